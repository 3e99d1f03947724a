import type { DefaultTreeAdapterMap } from 'parse5';

export type Node = DefaultTreeAdapterMap['node'];
export type Element = DefaultTreeAdapterMap['element'];

export const isElement = (node: Node): node is Element => 'tagName' in node;

export const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((candidate) => candidate.name === name)?.value;

/**
 * Visits a tree in document order without recursion, since documents nest as deep as they like. `enter` says whether
 * to go into the node's children; `leave` is called after those that were entered.
 */
export function walk(root: Node, enter: (node: Node) => boolean, leave: (node: Node) => void = () => undefined): void {
  const path: { readonly node: Node; next: number }[] = [];
  if (enter(root)) path.push({ node: root, next: 0 });
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const child = 'childNodes' in top.node ? top.node.childNodes[top.next++] : undefined;
    if (child === undefined) {
      path.pop();
      leave(top.node);
    } else if (enter(child)) path.push({ node: child, next: 0 });
  }
}

/** The elements of one of these names below `root`, outermost first, in document order. */
export function elementsNamed(root: Node, ...names: readonly string[]): Element[] {
  const found: Element[] = [];
  walk(root, (node) => {
    if (isElement(node) && names.includes(node.tagName)) found.push(node);
    return true;
  });
  return found;
}

/** HTML's white space, not the no-break space. */
export const collapsed = (text: string): string => text.replace(/[ \t\n\f\r]+/g, ' ');

/** All text below a node as it stands. */
export function rawText(root: Node): string {
  const parts: string[] = [];
  walk(root, (node) => {
    if ('value' in node) parts.push(node.value);
    if (isElement(node) && node.tagName === 'br') parts.push('\n');
    return true;
  });
  return parts.join('');
}
