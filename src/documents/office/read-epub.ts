/** Reads EPUB books (EPUB 3.3): the documents of the spine, in order, as one page. */
import { escapeAttribute, escapeText } from '../../content/html/serialize.ts';
import { parseHtml } from '../../content/html/parse.ts';
import {
  isXmlElement,
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlElements,
  type XmlNode,
  xmlText,
} from '../../content/html/xml.ts';
import { isSafeUrl } from '../../core/url/links.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import type { ZipFiles } from '../archives/read-zip.ts';
import { unreadable } from '../unreadable.ts';
import { filled } from './open-package.ts';
import { imageElement, type Pictures } from './pictures.ts';
import { openXmlArchive } from './xml-archive.ts';
import { HtmlBudget } from './html-writer.ts';
import { mathElements } from './mathml.ts';
import { decodePercent } from '../../core/runtime/percent-encoding.ts';

const mostDocuments = 5_000; // documents of one book; further ones are left out with a warning

/** Each document of the book without head and scripts; links between documents become links within the page. */
export const readEpub: ReadFile = async ({ body }, context): Promise<FileContent> => {
  const { limits } = context;
  const reading = { nodes: limits.nodes * 2, entity: entityReader() };
  const { zip, pictures, tree } = openXmlArchive(body, context, reading);
  const name = packageName(zip, await tree('META-INF/container.xml'));
  const book = await tree(name);
  const spine = readSpine(book, name);
  const positions: BookDocuments = new Map(spine.map((file, index) => [file, index + 1]));
  const encrypted = encryptedFiles(await tree('META-INF/encryption.xml'));
  const budget = new HtmlBudget(limits.text);
  const parts: string[] = [];
  const warnings: string[] = [];
  for (const file of spine.slice(0, mostDocuments)) {
    if (encrypted.has(file)) throw unreadable('The book', 'it is encrypted');
    const chapter = await tree(file);
    if (chapter === undefined)
      warnings.push(`The book has no ${file.slice(0, 200)}, which it names.`);
    else parts.push(writeChapter(chapter, { file, positions, pictures, budget }));
  }
  if (spine.length > mostDocuments) {
    warnings.push(`Only the first ${mostDocuments} documents of the book were read.`);
  }
  return { ...readFacts(book), html: parts.join(''), warnings: warnings.slice(0, 20) };
};

/** The text of HTML entities, which older books use. */
function entityReader(): (name: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const written = `&${name};`;
    const limits = { nodes: 100, depth: 10, attributes: 10 };
    // A space at the start of a page would be dropped.
    const text = parseHtml(`x${written}`, limits).body.textContent?.slice(1) ?? written;
    if (known.size < 1000) known.set(name, text === written ? undefined : text);
    return text === written ? undefined : text;
  };
}

function packageName(zip: ZipFiles, container: XmlElement | undefined): string {
  for (const { name, attributes } of xmlElements(container)) {
    const path = attributes['full-path'];
    if (localName(name) === 'rootfile' && path !== undefined && zip.has(path)) return path;
  }
  const found = zip.names.find((name) => name.endsWith('.opf'));
  if (found === undefined) throw unreadable('The book', 'it does not say what is in it');
  return found;
}

/** The files of the book in order, without the table of contents. */
function readSpine(book: XmlElement | undefined, name: string): string[] {
  const byId = new Map<string, string>();
  for (const { attributes } of inside(book, 'manifest', 'item')) {
    const { id = '', href = '', properties = '', 'media-type': type = '' } = attributes;
    const isText = /xhtml|html|xml/.test(type) && !/svg|ncx/.test(type);
    const isContents = properties.split(/\s+/).includes('nav');
    if (isText && !isContents) byId.set(id, fileAt(href, name));
  }
  const files = new Set<string>();
  for (const { attributes } of inside(book, 'spine', 'itemref')) {
    const file = byId.get(attributes['idref'] ?? '');
    if (file !== undefined) files.add(file);
  }
  return [...files];
}

function encryptedFiles(encryption: XmlElement | undefined): ReadonlySet<string> {
  const files = new Set<string>();
  for (const { name, attributes } of xmlElements(encryption)) {
    if (localName(name) === 'CipherReference') files.add(decodePercent(attributes['URI'] ?? ''));
  }
  return files;
}

/** Elements of a name in a part of the package, with any prefix. */
function inside(book: XmlElement | undefined, part: string, name: string): XmlElement[] {
  const found = xmlChildren(book).find((one) => localName(one.name) === part);
  return xmlChildren(found).filter((one) => localName(one.name) === name);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function readFacts(book: XmlElement | undefined): Omit<FileContent, 'html'> {
  const metadata = xmlChildren(book).find(({ name }) => localName(name) === 'metadata');
  // Older packages have one more wrapper element.
  const around = xmlChild(metadata, 'dc-metadata') ?? metadata;
  const texts = (wanted: string): string[] =>
    xmlChildren(around)
      .filter(({ name }) => localName(name) === wanted)
      .map((element) => filled(xmlText(element)) ?? '')
      .filter((text) => text !== '');
  const modified = xmlChildren(around).find(
    ({ attributes }) => attributes['property'] === 'dcterms:modified',
  );
  // A description may contain HTML.
  const description = texts('description')[0]?.replace(/<[^<>]{0,200}>/g, ' ');
  return {
    title: texts('title')[0],
    author: filled(texts('creator').join(', ')),
    description: filled(description ?? ''),
    keywords: filled(texts('subject').join(', ')),
    language: texts('language')[0],
    publishedTime: texts('date')[0],
    modifiedTime: filled(xmlText(modified)),
  };
}

// One document of a book as part of the page.

/** The context of a document. */
interface EpubChapter {
  /** The name of the document's file. */
  readonly file: string;
  readonly positions: BookDocuments;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
}

/** Its body, with unique ids and links on the page. */
function writeChapter(document: XmlElement, chapter: EpubChapter): string {
  const body =
    [...xmlElements(document)].find(({ name }) => localName(name) === 'body') ?? document;
  const id = idInPage(numberOf(chapter), '');
  const out: string[] = [`<section id="${id}">`];
  for (const node of body.children) write(node, chapter, out);
  out.push('</section>');
  return out.join('');
}

const dropped = /^(?:script|style|link|meta|head|title|object|iframe|form|audio|video|template)$/;

const allowedElements: ReadonlySet<string> = new Set([
  ...mathElements,
  ...(
    'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption ' +
    'figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q rp rt ruby s samp section small span strong ' +
    'sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr center big strike'
  ).split(' '),
]);

const voids = /^(?:br|hr|col|wbr)$/;

const allowedAttributes =
  /^(?:title|lang|dir|start|reversed|value|colspan|rowspan|headers|scope|class|cite|datetime|display|role|type|align)$/;

/** The depth of the tree bounds the recursion. */
function write(node: XmlNode, chapter: EpubChapter, out: string[]): void {
  const { budget } = chapter;
  if (!isXmlElement(node)) {
    out.push(budget.spend(escapeText(node)));
    return;
  }
  const name = localName(node.name).toLowerCase();
  if (dropped.test(name)) return;
  if (name === 'img' || name === 'image') {
    out.push(budget.spend(picture(node, chapter)));
    return;
  }
  if (!allowedElements.has(name)) {
    // An SVG is not text; of any other unknown element the content counts.
    if (name === 'svg') drawing(node, chapter, out);
    else for (const child of node.children) write(child, chapter, out);
    return;
  }
  out.push(budget.spend(`<${name}${attributesOf(node, chapter)}>`));
  if (voids.test(name)) return;
  for (const child of node.children) write(child, chapter, out);
  out.push(`</${name}>`);
}

/** Covers are often images inside an SVG. */
function drawing(svg: XmlElement, chapter: EpubChapter, out: string[]): void {
  for (const element of xmlElements(svg)) {
    if (localName(element.name) === 'image')
      out.push(chapter.budget.spend(picture(element, chapter)));
  }
}

function picture({ attributes }: XmlElement, { file, pictures }: EpubChapter): string {
  const source = attributes['src'] ?? attributes['xlink:href'] ?? attributes['href'] ?? '';
  const alt = attributes['alt'] ?? '';
  if (/^(?:https?:)?\/\//i.test(source)) return imageElement(alt, source);
  return pictures.element(alt, fileAt(source, file));
}

function attributesOf({ attributes }: XmlElement, chapter: EpubChapter): string {
  const parts: string[] = [];
  for (const [name, value = ''] of Object.entries(attributes)) {
    if (name === 'id' || name === 'name') {
      parts.push(` id="${escapeAttribute(idInPage(numberOf(chapter), value))}"`);
    } else if (name === 'href') {
      const href = linkInPage(value, chapter.file, chapter.positions);
      if (href !== undefined) parts.push(` href="${escapeAttribute(href)}"`);
    } else if (name === 'epub:type') {
      const role = /\bnoteref\b/.test(value) ? 'doc-noteref' : undefined;
      if (role !== undefined && !('role' in attributes)) parts.push(` role="${role}"`);
    } else if (allowedAttributes.test(name)) parts.push(` ${name}="${escapeAttribute(value)}"`);
  }
  return parts.join('');
}

function numberOf({ file, positions }: EpubChapter): number {
  return positions.get(file) ?? 0;
}

// Links within a book, whose documents become one page.

/** The number of each document by its file name. */
type BookDocuments = ReadonlyMap<string, number>;

/** Resolves a link in a file to the name of another file. */
function fileAt(href: string, from: string): string {
  const [path = ''] = href.split(/[?#]/);
  const parts = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const part of decodePercent(path).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/**
 * The target of a link on the page: `chapter-2.xhtml#part` becomes `#document-2-part`. Links out of the
 * book stay; links to files that are not part of the page are dropped.
 */
function linkInPage(href: string, from: string, positions: BookDocuments): string | undefined {
  if (/^\s*[a-z][a-z\d+.-]*:/i.test(href)) return isSafeUrl(href) ? href : undefined;
  if (href.startsWith('//')) return href;
  const hash = href.indexOf('#');
  const file = hash === 0 || href === '' ? from : fileAt(href, from);
  const number = positions.get(file);
  if (number === undefined) return undefined;
  const id = hash < 0 ? '' : decodePercent(href.slice(hash + 1));
  return `#${idInPage(number, id)}`;
}

/** The id of an element of a document, or of the document itself. */
function idInPage(number: number, id: string): string {
  return id === '' ? `document-${number}` : `document-${number}-${id}`;
}
