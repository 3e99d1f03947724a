import { parse } from 'parse5';
import type { Attributes } from '../../domain/attributes.js';
import type { Block } from '../../domain/text.js';
import { withoutControls } from '../text/normalise.js';
import { attribute, collapsed, elementsNamed, isElement, rawText, walk, type Element, type Node } from './dom.js';
import { contentRoot, isBoilerplate } from './main-content.js';
import { pipeTable } from './table.js';
import { BlockWriter } from './writer.js';

const blockElements = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer ' +
    'form header hgroup hr html legend main p section summary table tbody td tfoot th thead tr'
  ).split(' '),
);
const longestTitle = 500;

/**
 * An HTML document's main content as Markdown-like text: headings, lists, pipe tables, fenced code, paragraphs; entities
 * decoded, navigation, controls and page frames left out. Its `<title>` is an attribute.
 */
export function decodeHtml(html: string): { readonly blocks: readonly Block[]; readonly attributes: Attributes } {
  const document = parse(withoutControls(html));
  const root = contentRoot(document);
  let blocks = render(root, (element) => isBoilerplate(element, root));
  // A page of nothing but frames still says something.
  if (blocks.length === 0)
    blocks = render(document, (element) => /^(?:script|style|template|head)$/.test(element.tagName));
  const title = elementsNamed(document, 'title')[0];
  const words = title === undefined ? '' : collapsed(rawText(title)).trim().slice(0, longestTitle);
  return { blocks, attributes: words === '' ? {} : { title: words } };
}

function render(root: Node, isDropped: (element: Element) => boolean): readonly Block[] {
  const writer = new BlockWriter();
  const enter = (node: Node): boolean => {
    if (node.nodeName === '#text' && 'value' in node) writer.text(node.value);
    if (!isElement(node)) return 'childNodes' in node;
    if (node !== root && isDropped(node)) {
      if (node.tagName === 'header') elementsNamed(node, 'h1').slice(0, 1).forEach(writeHeading);
      return false;
    }
    return enterElement(node, writer, isDropped);
  };
  const writeHeading = (heading: Element): void => {
    writer.flush();
    writer.text(rawText(heading));
    writer.heading(1);
  };
  walk(root, enter, (node) => {
    if (isElement(node)) leaveElement(node, writer);
  });
  return writer.end();
}

/** Whether to go on with the element's children. */
function enterElement(element: Element, writer: BlockWriter, isDropped: (element: Element) => boolean): boolean {
  const { tagName } = element;
  switch (tagName) {
    case 'br':
      writer.lineBreak();
      return false;
    case 'img':
      writer.text(` ${attribute(element, 'alt') ?? ''} `);
      return false;
    case 'pre':
      writer.flush();
      writer.code(rawText(element), languageOf(element));
      return false;
    case 'ul':
    case 'ol':
    case 'menu':
      writer.beginList(tagName === 'ol', Number.parseInt(attribute(element, 'start') ?? '1', 10) || 1);
      return true;
    case 'li':
      writer.beginItem();
      return true;
    case 'table': {
      writer.flush();
      const rows = pipeTable(element, isDropped);
      if (rows === undefined) return true;
      for (const caption of elementsNamed(element, 'caption').slice(0, 1)) writer.text(rawText(caption));
      writer.flush();
      writer.table(rows);
      return false;
    }
    default:
      if (blockElements.has(tagName) || isHeading(tagName)) writer.flush();
      return true;
  }
}

function leaveElement({ tagName }: Element, writer: BlockWriter): void {
  if (isHeading(tagName)) writer.heading(Number(tagName.slice(1)));
  else if (tagName === 'ul' || tagName === 'ol' || tagName === 'menu') writer.endList();
  else if (tagName === 'li') writer.endItem();
  else if (blockElements.has(tagName)) writer.flush();
}

const isHeading = (tagName: string): boolean => /^h[1-6]$/.test(tagName);

/** `language-js`, `lang-js`, `highlight-source-js` on the pre or the code in it, as highlighters have it. */
function languageOf(pre: Element): string {
  for (const element of [pre, ...elementsNamed(pre, 'code').slice(0, 1)]) {
    const found = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(attribute(element, 'class') ?? '')?.[1];
    if (found !== undefined) return found;
  }
  return '';
}
