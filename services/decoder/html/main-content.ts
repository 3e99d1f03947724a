import { attribute, elementsNamed, isElement, rawText, type Element, type Node } from './dom.js';

/** Never text of the document. */
const never = new Set(
  'script style noscript template svg iframe object embed audio video canvas button select input textarea datalist head link meta'.split(
    ' ',
  ),
);
/** Around the content, wherever they stand. */
const aroundRoles = new Set(['navigation', 'banner', 'contentinfo', 'search']);
/** Links that a documentation tool puts beside each heading. */
const anchors = /(?:^|\s)(?:headerlink|anchor|anchor-link|hash-link|header-anchor|direct-link)(?:\s|$)/;
/** What makes a header, footer or aside part of the content. */
const contents = new Set(['main', 'article', 'section', 'blockquote']);

/** Where the content of a document is: its one main element, else its one article, else the body. */
export function contentRoot(document: Node): Node {
  const mains = elementsNamed(document, 'main');
  const roles = mains.length > 0 ? mains : withRole(document, 'main');
  for (const candidates of [roles, elementsNamed(document, 'article')]) {
    const [only, another] = candidates.filter((element) => rawText(element).trim() !== '');
    if (only !== undefined && another === undefined) return only;
  }
  return elementsNamed(document, 'body')[0] ?? document;
}

const withRole = (document: Node, role: string): Element[] =>
  elementsNamed(document, 'div', 'section').filter((element) => attribute(element, 'role') === role);

/** Whether an element is no content: code, controls, what is hidden, navigation, and what frames the page. */
export function isBoilerplate(element: Element, root: Node): boolean {
  const { tagName } = element;
  if (never.has(tagName)) return true;
  if (attribute(element, 'hidden') !== undefined || attribute(element, 'aria-hidden') === 'true') return true;
  if (tagName === 'a') return anchors.test(attribute(element, 'class') ?? '');
  if (tagName === 'nav' || aroundRoles.has(attribute(element, 'role') ?? '')) return true;
  return (tagName === 'header' || tagName === 'footer' || tagName === 'aside') && !insideContent(element, root);
}

/** As far up as is looked for what encloses an element. */
const mostLevels = 64;

function insideContent(element: Element, root: Node): boolean {
  let above: Node | null = element.parentNode;
  for (let level = 0; above !== null && level < mostLevels; level++) {
    if (isElement(above) && contents.has(above.tagName)) return true;
    if (above === root) return false;
    above = 'parentNode' in above ? above.parentNode : null;
  }
  return false;
}
