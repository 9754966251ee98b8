/** html: the cleaned page as HTML that runs nothing. rawHtml: the page as it was received. */
import { type DomElement, type DomNode, isElement, isText, visitBelow } from '../html/dom.ts';
import { parseSrcset } from '../html/image-urls.ts';
import { isCodeUrl, isSafeUrl, withoutCredentials } from '../../core/url/links.ts';
import { builtInModule, type Format } from './format.ts';

/**
 * The content as HTML, without the body tag; a page that is not HTML as preformatted text. Nothing in it
 * runs: no scripts, no handlers, and only URLs of pages, messages and images.
 */
export const html: Format<'html', string, undefined> = {
  name: 'html',
  needs: 'content',
  showsContent: true,
  worker: builtInModule,
  run(page) {
    if (page.kind === 'html') return withoutControls(inertHtml(page.root)).trim();
    const text = page.source === '' ? page.markdown : page.source;
    return `<pre>${escapeSource(withoutControls(text))}</pre>`;
  },
};

/** Control characters mean nothing in HTML, and make it resemble binary data. */
function withoutControls(text: string): string {
  return text.replace(/[\0-\x08\x0b\x0e-\x1f\x7f]/g, '');
}

function escapeSource(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// rawHtml: the page as it was received.

/**
 * The text as received, decoded and otherwise untouched; for a PDF or an office file the HTML made
 * from it; empty for other binary content. Contains the page's scripts: show it in a sandbox only.
 */
export const rawHtml: Format<'rawHtml', string, undefined> = {
  name: 'rawHtml',
  needs: 'page',
  worker: builtInModule,
  run: (page) => page.source,
};

// A tree as HTML that runs nothing and can be embedded in a page of another site.

/**
 * The inner HTML of `root`, without scripts, handlers (`onclick`), frames with a page of their own
 * (`srcdoc`), URLs that run code, also in a `srcset` and in attributes that the page's scripts read
 * (`data-href`), elements that change the surrounding page (`base`, `meta`, `link`), and text that
 * some parser takes for markup. Inline styles stay.
 */
function inertHtml(root: DomElement): string {
  const out: string[] = [];
  visitBelow(
    root,
    (node) => writeStartTag(node, out),
    (node) => writeEndTag(node, out),
  );
  return out.join('');
}

/** Elements left out with their content. Some hold raw text, which is markup inside SVG or MathML. */
const leftOut = new Set(
  'script style template noscript noembed noframes base title applet param frame frameset portal fencedframe set animate animatetransform animatemotion'.split(
    ' ',
  ),
);

/** Elements written as another element that renders the same and has ordinary text. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['xmp', 'pre'],
  ['listing', 'pre'],
  ['plaintext', 'pre'],
]);

const voidElements = new Set(
  'area br col embed hr img input link meta source track wbr'.split(' '),
);

/** False when the node is left out with everything in it. */
function writeStartTag(node: DomNode, out: string[]): boolean {
  if (isText(node)) out.push(escapeInertText(node.data));
  if (!isElement(node)) return false;
  const { localName } = node;
  if (leftOut.has(localName) || actsOnPage(node) || !/^[a-z][\w.:-]*$/.test(localName))
    return false;
  out.push('<', inertTagName(node));
  for (const { name, value } of node.attributes) {
    if (!isInert(name, value, localName)) continue;
    const shown = urlAttributes.has(name) ? withoutCredentials(value) : value;
    out.push(' ', name, '="', escapeInertAttribute(shown), '"');
  }
  out.push('>');
  // The content of a frame is for browsers without frames.
  if (localName === 'iframe') out.push('</iframe>');
  return localName !== 'iframe' && !voidElements.has(localName);
}

function writeEndTag(node: DomNode, out: string[]): void {
  if (isElement(node)) out.push('</', inertTagName(node), '>');
}

/** A `meta` or `link` of microdata only states a fact. */
function actsOnPage(element: DomElement): boolean {
  const { localName } = element;
  if (localName === 'meta') return element.hasAttribute('http-equiv');
  return localName === 'link' && element.hasAttribute('rel');
}

function inertTagName({ localName }: DomElement): string {
  return renamed.get(localName) ?? localName;
}

/** Names of attributes that do nothing by themselves. */
const inertName = /^(?!on|srcdoc$)[a-z_:@][\w.:@-]*$/i;

function isInert(name: string, value: string, element: string): boolean {
  if (!inertName.test(name)) return false;
  if (name === 'srcset' || name === 'imagesrcset') return isInertSrcset(value);
  if (name.startsWith('data-')) return isInertData(value);
  if (!urlAttributes.has(name) || isSafeUrl(value)) return true;
  const isSource = name === 'src' || name === 'poster' || element === 'image';
  return isSource && isPicture(value);
}

/** Checks the candidates that a browser sees, and everything else that resembles a script. */
function isInertSrcset(value: string): boolean {
  if (!value.includes(':')) return true;
  return (
    isInertData(value) && parseSrcset(value).every(({ url }) => isSafeUrl(url) || isPicture(url))
  );
}

/** False for a value (a URL, several URLs, or JSON with URLs) in which any URL runs code. */
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

function escapeInertText(text: string): string {
  if (!/[&<>\u00a0]/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('\u00a0', '&nbsp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Escapes angle brackets too: where a parser takes the element for text, an attribute could end it. */
function escapeInertAttribute(value: string): string {
  // The placeholder that cleaning writes for an inlined image.
  if (value === '<Base64-Image-Removed>') return value;
  const text = escapeInertText(value);
  return text.includes('"') ? text.replaceAll('"', '&quot;') : text;
}
