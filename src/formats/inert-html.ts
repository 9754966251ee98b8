/** A tree as HTML that runs nothing: what may be shown in a page of one's own. */
import { type DomElement, type DomNode, isElement, isText } from '../html/dom.ts';
import { parseSrcset } from '../html/srcset.ts';
import { isCodeUrl, isSafeUrl, withoutCredentials } from '../url/safe-url.ts';

/**
 * What is between the tags of `root`, without scripts, handlers (`onclick`), frames with a page of
 * their own (`srcdoc`), URLs that run code, also in a
 * `srcset` and in what scripts of the page would have read (`data-href`), elements that change the page around (`base`, `meta`,
 * `link`), and text that some parser takes for markup. Styles on elements stay.
 */
export function inertHtml(root: DomElement): string {
  const out: string[] = [];
  let node: DomNode | null = root.firstChild;
  while (node !== null) {
    const inside = open(node, out);
    if (inside && node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    if (inside) close(node, out);
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      if (node !== null && node !== root) close(node, out);
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
  return out.join('');
}

/** Left out with everything in them. Some have raw text, which is markup in a drawing or a formula. */
const leftOut = new Set(
  'script style template noscript noembed noframes base title applet param frame frameset portal fencedframe set animate animatetransform animatemotion'.split(
    ' ',
  ),
);

/** Written as the element that shows the same and has ordinary text. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['xmp', 'pre'],
  ['listing', 'pre'],
  ['plaintext', 'pre'],
]);

const voidElements = new Set(
  'area br col embed hr img input link meta source track wbr'.split(' '),
);

/** False when the node is left out with everything in it. */
function open(node: DomNode, out: string[]): boolean {
  if (isText(node)) out.push(escapeText(node.data));
  if (!isElement(node)) return false;
  const { localName } = node;
  if (leftOut.has(localName) || actsOnPage(node) || !/^[a-z][\w.:-]*$/.test(localName))
    return false;
  out.push('<', nameOf(node));
  for (const { name, value } of node.attributes) {
    if (!isInert(name, value, localName)) continue;
    const shown = urlAttributes.has(name) ? withoutCredentials(value) : value;
    out.push(' ', name, '="', escapeAttribute(shown), '"');
  }
  out.push('>');
  // What stands in a frame is for browsers without frames.
  if (localName === 'iframe') out.push('</iframe>');
  return localName !== 'iframe' && !voidElements.has(localName);
}

function close(node: DomNode, out: string[]): void {
  if (isElement(node)) out.push('</', nameOf(node), '>');
}

/** Those of microdata only say something. */
function actsOnPage(element: DomElement): boolean {
  const { localName } = element;
  if (localName === 'meta') return element.hasAttribute('http-equiv');
  return localName === 'link' && element.hasAttribute('rel');
}

function nameOf({ localName }: DomElement): string {
  return renamed.get(localName) ?? localName;
}

/** The name of an attribute that does nothing by itself. */
const inertName = /^(?!on|srcdoc$)[a-z_:@][\w.:@-]*$/i;

function isInert(name: string, value: string, element: string): boolean {
  if (!inertName.test(name)) return false;
  if (name === 'srcset' || name === 'imagesrcset') return isInertSrcset(value);
  if (name.startsWith('data-')) return isInertData(value);
  if (!urlAttributes.has(name) || isSafeUrl(value)) return true;
  const isSource = name === 'src' || name === 'poster' || element === 'image';
  return isSource && isPicture(value);
}

/** The candidates are those that a browser sees, and what looks like a script besides. */
function isInertSrcset(value: string): boolean {
  if (!value.includes(':')) return true;
  return (
    isInertData(value) && parseSrcset(value).every(({ url }) => isSafeUrl(url) || isPicture(url))
  );
}

/** A URL, several of them, or JSON with some: where one runs code, all of it is left out. */
function isInertData(value: string): boolean {
  if (isCodeUrl(value) && !isPicture(value)) return false;
  // Browsers skip white space and control characters in a scheme.
  return !value.includes(':') || !/(?:java|vb)script:/i.test(value.replace(/[\0- ]+/g, ''));
}

function isPicture(url: string): boolean {
  return /^\s*data:image\//i.test(url);
}

const urlAttributes = new Set(
  (
    'action background cite data formaction from href longdesc manifest ping poster profile src to ' +
    'usemap values xlink:href'
  ).split(' '),
);

function escapeText(text: string): string {
  if (!/[&<>\u00a0]/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('\u00a0', '&nbsp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Angle brackets too: where a parser takes the element for text, an attribute could end it. */
function escapeAttribute(value: string): string {
  // What cleaning puts in the place of an inlined image.
  if (value === '<Base64-Image-Removed>') return value;
  const text = escapeText(value);
  return text.includes('"') ? text.replaceAll('"', '&quot;') : text;
}
