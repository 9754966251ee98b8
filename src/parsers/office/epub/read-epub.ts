/** Books (.epub; EPUB 3.3): their documents in the order of the spine. */
import { PagewrightError } from '../../../errors.ts';
import { parseHtml } from '../../../html/parse.ts';
import { readXml } from '../../../html/read-xml.ts';
import {
  xmlChild,
  xmlChildren,
  type XmlElement,
  xmlElements,
  xmlText,
} from '../../../html/xml-tree.ts';
import { decodeText } from '../../../text/decode.ts';
import type { FileContent, ReadFile } from '../../file-parser.ts';
import { readZip, type ZipFiles } from '../../zip/read-zip.ts';
import { filled } from '../open-xml/open-package.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { PictureFiles, Pictures } from '../writing/pictures.ts';
import { type BookPlaces, fileAt } from './book-links.ts';
import { writeChapter } from './write-chapter.ts';

/** Documents of one book; further ones are left out with a warning. */
const mostDocuments = 5_000;

/** Each document of the book without its head and scripts; links between them lead within the page. */
export const readEpub: ReadFile = async ({ body }, { limits, unpacking }): Promise<FileContent> => {
  const zip = readZip(body, { totalBytes: limits.bodyBytes, budget: unpacking });
  const nodes = limits.nodes * 2;
  const entities = new Entities();
  const tree = async (name: string): Promise<XmlElement | undefined> => {
    const bytes = zip.read(name);
    if (bytes === undefined) return undefined;
    const source = await decodeText(bytes, undefined, 'xml');
    return readXml(source, { nodes, entity: (entity) => entities.text(entity) }).root;
  };
  const name = packageName(zip, await tree('META-INF/container.xml'));
  const book = await tree(name);
  const spine = readSpine(book, name);
  const places: BookPlaces = new Map(spine.map((file, index) => [file, index + 1]));
  const encrypted = encryptedFiles(await tree('META-INF/encryption.xml'));
  const budget = new HtmlBudget(limits.text);
  const pictures = new Pictures();
  const pictureFiles = new PictureFiles(zip);
  const parts: string[] = [];
  const warnings: string[] = [];
  for (const file of spine.slice(0, mostDocuments)) {
    if (encrypted.has(file)) throw unreadable('it is encrypted');
    const chapter = await tree(file);
    if (chapter === undefined)
      warnings.push(`The book has no ${file.slice(0, 200)}, which it names.`);
    else parts.push(writeChapter(chapter, { file, places, pictureFiles, pictures, budget }));
  }
  if (spine.length > mostDocuments) {
    warnings.push(`Only the first ${mostDocuments} documents of the book were read.`);
  }
  return { ...readFacts(book), html: parts.join(''), warnings: warnings.slice(0, 20) };
};

/** Entities of HTML, which older books use. */
class Entities {
  readonly #known = new Map<string, string | undefined>();

  text(name: string): string | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const written = `&${name};`;
    const limits = { nodes: 100, depth: 10, attributes: 10 };
    // A blank at the beginning of a page would be dropped.
    const text = parseHtml(`x${written}`, limits).body.textContent?.slice(1) ?? written;
    if (this.#known.size < 1000) this.#known.set(name, text === written ? undefined : text);
    return text === written ? undefined : text;
  }
}

function packageName(zip: ZipFiles, container: XmlElement | undefined): string {
  for (const { name, attributes } of xmlElements(container)) {
    const path = attributes['full-path'];
    if (plain(name) === 'rootfile' && path !== undefined && zip.has(path)) return path;
  }
  const found = zip.names.find((name) => name.endsWith('.opf'));
  if (found === undefined) throw unreadable('it does not say what is in it');
  return found;
}

function unreadable(what: string): PagewrightError {
  return new PagewrightError('UNSUPPORTED_CONTENT', `The book cannot be read: ${what}.`);
}

/** The files of the book in their order, without the table of contents. */
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
    if (plain(name) === 'CipherReference') files.add(decodeURIComponentSafely(attributes['URI']));
  }
  return files;
}

function decodeURIComponentSafely(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Elements of a name in a part of the package, whatever their prefixes. */
function inside(book: XmlElement | undefined, part: string, name: string): XmlElement[] {
  const found = xmlChildren(book).find((one) => plain(one.name) === part);
  return xmlChildren(found).filter((one) => plain(one.name) === name);
}

function plain(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function readFacts(book: XmlElement | undefined): Omit<FileContent, 'html'> {
  const metadata = xmlChildren(book).find(({ name }) => plain(name) === 'metadata');
  // Older packages have one more element around.
  const around = xmlChild(metadata, 'dc-metadata') ?? metadata;
  const texts = (wanted: string): string[] =>
    xmlChildren(around)
      .filter(({ name }) => plain(name) === wanted)
      .map((element) => filled(xmlText(element)) ?? '')
      .filter((text) => text !== '');
  const modified = xmlChildren(around).find(
    ({ attributes }) => attributes['property'] === 'dcterms:modified',
  );
  // A description may be HTML itself.
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
