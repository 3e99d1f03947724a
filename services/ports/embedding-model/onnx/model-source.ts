import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SluiceError } from '../../../domain/errors.js';

export interface SourceOptions {
  /** A folder or a hub id. */
  readonly model: string;
  /** The weights, a path inside the model. */
  readonly file: string;
  readonly revision: string;
  readonly allowDownload: boolean;
  /** Where downloaded models are kept. */
  readonly cacheFolder: string;
}

/** A model that can be loaded. */
export interface ModelSource {
  /** How people call it. */
  readonly name: string;
  /** What the loader is given: an absolute folder or a hub id. */
  readonly location: string;
  /** Where its files lie, for a download once it has ended. */
  readonly folder: string;
  readonly download: boolean;
}

const hubId = /^[\w.-]+\/[\w.-]+$/;

/** Finds the model that `model` names. Throws configuration-invalid, saying what is missing and what to set. */
export async function findModel(options: SourceOptions): Promise<ModelSource> {
  const { model, file, revision, allowDownload, cacheFolder } = options;
  const folder = path.resolve(model);
  if (await isFolder(folder)) {
    await requireFiles(folder, file);
    return { name: path.basename(folder), location: folder, folder, download: false };
  }
  if (!hubId.test(model)) {
    throw new SluiceError(
      'configuration-invalid',
      `onnx.model: there is no folder ${folder}: set it to the folder of the model, or to a hub id such as Xenova/all-MiniLM-L6-v2`,
    );
  }
  const kept = path.resolve(cacheFolder, model, revision === 'main' ? '' : revision);
  const source = { name: model, location: model, folder: kept };
  if (await isFile(path.join(kept, file))) return { ...source, download: false };
  if (allowDownload) return { ...source, download: true };
  throw new SluiceError(
    'configuration-invalid',
    `onnx.model: ${model} is neither a folder nor a model that was downloaded before (${path.join(kept, file)}): ` +
      'set onnx.allowDownload to true to download it from the hub, or onnx.model to its folder',
  );
}

async function requireFiles(folder: string, file: string): Promise<void> {
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
    if (await isFile(path.join(folder, name))) continue;
    throw new SluiceError('configuration-invalid', `onnx.model: the folder ${folder} has no ${name}; put it there`);
  }
  if (await isFile(path.join(folder, file))) return;
  const weights = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.onnx')).sort();
  throw new SluiceError(
    'configuration-invalid',
    `onnx.file: the folder ${folder} has no ${file}: ` +
      (weights.length === 0
        ? 'nor any other weights in ONNX; export the model to ONNX first'
        : `set it to one of ${weights.join(', ')}`),
  );
}

const isFolder = async (name: string): Promise<boolean> =>
  stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );

const isFile = async (name: string): Promise<boolean> =>
  stat(name).then(
    (found) => found.isFile(),
    () => false,
  );
