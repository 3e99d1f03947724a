import type { Attributes } from '../attributes.js';
import type { Submit } from './command.js';
import type { Draft } from './draft.js';
import { attributesOf, type Version } from './state.js';

function sameAttributes(a: Attributes, b: Attributes): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && JSON.stringify(a[key]) === JSON.stringify(b[key]))
  );
}

const sameTags = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((tag, index) => tag === b[index]);

/** Whether any pack may stand in the vector store already. */
const hasPoints = (version: Version): boolean => Object.keys(version.confirmed).length > 0;

/**
 * Gives a version the metadata of a submit of the same bytes. Attributes belong to a version, so the points of a ready
 * one are told at once; those of another when it becomes ready, unless they were written under the new revision.
 */
export function takeMetadata(draft: Draft, version: Version, submit: Submit): { version: Version; changed: boolean } {
  const changed =
    version.givenTitle !== submit.title ||
    version.source !== submit.source ||
    !sameTags(version.tags, submit.tags) ||
    !sameAttributes(version.givenAttributes, submit.attributes);
  // A file that was only touched, or comes through another flow, has not changed in anything that a search shows.
  if (!changed) {
    if (version.fileTime === submit.fileTime && version.flow === submit.flow) return { version, changed };
    return { version: draft.change(version, { fileTime: submit.fileTime, flow: submit.flow }), changed };
  }
  const ready = version.state === 'ready';
  const updated = draft.change(version, {
    givenTitle: submit.title,
    source: submit.source,
    tags: submit.tags,
    givenAttributes: submit.attributes,
    fileTime: submit.fileTime,
    flow: submit.flow,
    attributeRevision: version.attributeRevision + 1,
    pointsOutdated: !ready && (version.pointsOutdated || hasPoints(version)),
  });
  if (ready) draft.effect({ kind: 'update-payload', version: updated });
  return { version: updated, changed };
}

/** What `version` is after its own front matter is known: the caller's attributes win over the document's. */
export function withDecodedAttributes(version: Version, decoded: Attributes): Partial<Version> {
  const before = attributesOf(version);
  const after = attributesOf({ ...version, decodedAttributes: decoded });
  if (sameAttributes(before, after)) return { decodedAttributes: decoded };
  return {
    decodedAttributes: decoded,
    attributeRevision: version.attributeRevision + 1,
    pointsOutdated: version.state !== 'ready' && (version.pointsOutdated || hasPoints(version)),
  };
}
