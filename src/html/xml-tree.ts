/** The plain tree of an XML text, and the ways through it. `read-xml.ts` makes it. */

/** An element with its content. */
export interface XmlElement {
  /** With a prefix that stands for its namespace: `w:p`. */
  readonly name: string;
  /** By names with prefixes. `constructor` and the like are names as all others. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlNode[];
}

/** An element or a text. */
export type XmlNode = XmlElement | string;

/** True for elements, of this name where one is given. */
export function isXmlElement(node: XmlNode | undefined, name?: string): node is XmlElement {
  return (
    node !== undefined && typeof node !== 'string' && (name === undefined || node.name === name)
  );
}

/** The elements in an element, of these names where any is given. */
export function xmlChildren(
  element: XmlElement | undefined,
  ...names: readonly string[]
): XmlElement[] {
  const found: XmlElement[] = [];
  for (const node of element?.children ?? []) {
    if (typeof node === 'string') continue;
    if (names.length === 0 || names.includes(node.name)) found.push(node);
  }
  return found;
}

/** The first element at the end of a path of names. */
export function xmlChild(
  element: XmlElement | undefined,
  ...path: readonly string[]
): XmlElement | undefined {
  let found = element;
  for (const name of path) {
    if (found === undefined) return undefined;
    found = firstChild(found, name);
  }
  return found;
}

function firstChild({ children }: XmlElement, name: string): XmlElement | undefined {
  for (const node of children) if (typeof node !== 'string' && node.name === name) return node;
  return undefined;
}

/** Every element inside, in document order. */
export function* xmlElements(root: XmlElement | undefined, name?: string): Generator<XmlElement> {
  const waiting: XmlNode[] = root === undefined ? [] : [...root.children].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') continue;
    if (name === undefined || node.name === name) yield node;
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child !== undefined) waiting.push(child);
    }
  }
}

/** All text inside. */
export function xmlText(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  const [first = '', second] = element.children;
  if (second === undefined && typeof first === 'string') return first;
  const parts: string[] = [];
  const waiting: XmlNode[] = [element];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') parts.push(node);
    else
      for (let at = node.children.length - 1; at >= 0; at -= 1)
        waiting.push(node.children[at] ?? '');
  }
  return parts.join('');
}

/** All text inside, without white space around it. */
export function trimmedXmlText(element: XmlElement | undefined): string {
  return xmlText(element).trim();
}
