/** The visible text of an element, and its value as a property of structured data. */
import {
  type DomElement,
  type DomNode,
  isElement,
  isText,
  nextNode,
  visitBelow,
} from '../../content/html/dom.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { urlOf } from '../../core/url/normalize-url.ts';
import { isCodeUrl } from '../../core/url/links.ts';

/** Inline elements, which do not end a word. All others separate the texts before, in and after them. */
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter nobr ' +
    'output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

const silent = new Set(
  'script style template noscript head iframe object svg math select datalist'.split(' '),
);

/**
 * The text on one line: white space collapsed, blocks separated by a space; no scripts and styles.
 * `onNode` is called for every node that is read: the texts of nested elements overlap.
 */
export function elementText(element: DomElement, onNode?: () => void): string {
  return textLines(element, undefined, onNode).join(' ');
}

/** The text of a label or heading; empty when the element is far too large to be one. */
export function labelText(element: DomElement): string {
  let nodes = 0;
  let characters = 0;
  for (let node = element.firstChild; node !== null;) {
    nodes += 1;
    if (isText(node)) characters += node.data.length;
    if (nodes > maxLabelNodes || characters > maxLabelCharacters) return '';
    node = nextNode(node, element);
  }
  return elementText(element);
}

const maxLabelNodes = 1_000;
const maxLabelCharacters = 10_000;

/** One entry for each run of text between blocks and line breaks; no entry is empty. */
export function textLines(
  root: DomElement,
  isSkipped: (element: DomElement) => boolean = () => false,
  onNode?: () => void,
): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  const endLine = (): void => {
    const text = oneLine(line.join(''));
    if (text !== '') lines.push(text);
    line = [];
  };
  const endBlock = (node: DomNode): void => {
    if (isElement(node) && !inline.has(node.localName)) endLine();
  };
  const open = (node: DomNode): boolean => {
    onNode?.();
    if (isText(node)) line.push(node.data);
    endBlock(node);
    return isElement(node) && !silent.has(node.localName) && !isSkipped(node);
  };
  visitBelow(root, open, endBlock);
  endLine();
  return lines;
}

// The value of an element as a property of structured data.

/** The URL attribute of elements that represent another resource. */
const urlAttributes: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['link', 'href'],
  ['audio', 'src'],
  ['embed', 'src'],
  ['iframe', 'src'],
  ['img', 'src'],
  ['source', 'src'],
  ['track', 'src'],
  ['video', 'src'],
  ['object', 'data'],
]);

/**
 * The value by the rules of the HTML standard, "Values: the content attribute, element-specific
 * attributes, textContent" (section 5.2.4); and, as is common, a `content` attribute on any element.
 * URLs are absolute; text is on one line.
 */
export function propertyValue(element: DomElement, baseUrl: string, onNode?: () => void): string {
  const content = element.getAttribute('content');
  const urlAttribute = urlAttributes.get(element.localName);
  if (element.localName === 'meta') return oneLine(content ?? '');
  if (urlAttribute !== undefined) {
    const url = content ?? element.getAttribute(urlAttribute) ?? '';
    return absoluteUrl(url, baseUrl);
  }
  if (content !== null) return oneLine(content);
  const attribute = machineAttribute(element);
  return attribute === null ? elementText(element, onNode) : oneLine(attribute);
}

/** The absolute URL of an element's resource (its href, src or data); undefined for other elements. */
export function elementUrl(element: DomElement, baseUrl: string): string | undefined {
  const name = urlAttributes.get(element.localName);
  const url = name === undefined ? null : element.getAttribute(name);
  return url === null ? undefined : absoluteUrl(url, baseUrl);
}

/** `value` resolved against `baseUrl`; unchanged if it is not a URL; empty if it runs code or embeds a page. */
export function absoluteUrl(value: string, baseUrl: string): string {
  const trimmed = value.trim();
  if (trimmed === '' || isCodeUrl(trimmed)) return '';
  return urlOf(trimmed, baseUrl)?.href ?? trimmed;
}

function machineAttribute(element: DomElement): string | null {
  if (element.localName === 'data' || element.localName === 'meter') {
    return element.getAttribute('value');
  }
  return element.localName === 'time' ? element.getAttribute('datetime') : null;
}

// An attribute that holds several names.

/** The words of the value, each once, in order; none for an absent attribute. */
export function attributeTokens(value: string | null): string[] {
  return [...new Set((value ?? '').split(/\s+/).filter((token) => token !== ''))];
}

// Names that a page chooses for its data.

/** False for the one key that would change an object's prototype when it is copied. */
export function isSafeKey(name: string): boolean {
  return name !== '__proto__';
}
