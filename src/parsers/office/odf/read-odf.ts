/** Texts, presentations and sheets of OpenDocument (.odt, .odp, .ods; OpenDocument 1.3). */
import { readXml } from '../../../html/read-xml.ts';
import { xmlChild, xmlChildren, type XmlElement, xmlText } from '../../../html/xml-tree.ts';
import { decodeText } from '../../../text/decode.ts';
import type { FileContent, ReadFile } from '../../file-parser.ts';
import { PagewrightError } from '../../../errors.ts';
import { readZip } from '../../zip/read-zip.ts';
import { filled } from '../open-xml/open-package.ts';
import { BlockWriter } from '../writing/block-writer.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { PictureFiles, Pictures } from '../writing/pictures.ts';
import { ContentReader } from './content-reader.ts';
import type { OdfParts } from './odf-parts.ts';
import { readSheets } from './read-sheets.ts';
import { OdfStyles } from './styles.ts';
import { writeSlide } from './write-slide.ts';

/** Prefixes in the trees, whatever a program calls them. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ...['office', 'text', 'table', 'style', 'presentation', 'meta'].map(
    (name) => [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, name] as const,
  ),
  ['urn:oasis:names:tc:opendocument:xmlns:drawing:1.0', 'draw'],
  ['urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0', 'svg'],
  ['urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0', 'fo'],
  ['http://www.w3.org/1999/xlink', 'xlink'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://www.w3.org/1998/Math/MathML', 'math'],
]);

/** The text with all changes accepted; comments, headers and footers are left out. */
export const readOdf: ReadFile = async (
  { body: bytes },
  { limits, unpacking },
): Promise<FileContent> => {
  const zip = readZip(bytes, { totalBytes: limits.bodyBytes, budget: unpacking });
  const part = async (name: string): Promise<XmlElement | undefined> => {
    const found = zip.read(name);
    if (found === undefined) return undefined;
    const source = await decodeText(found, undefined, 'xml');
    return readXml(source, { nodes: limits.nodes * 3, prefixes }).root;
  };
  const content = await part('content.xml');
  const body = xmlChild(content, 'office:body');
  if (content === undefined || body === undefined) {
    const isEncrypted = zip.has('encrypted-package') || content !== undefined;
    throw new PagewrightError(
      'UNSUPPORTED_CONTENT',
      `The office file cannot be read: ${isEncrypted ? 'it is encrypted or damaged' : 'it has no content.xml'}.`,
    );
  }
  const formulas = new Map<string, XmlElement>();
  for (const name of zip.names.filter((one) => /^[^/]+\/content\.xml$/.test(one))) {
    const tree = formulas.size < 1000 ? await part(name) : undefined;
    if (tree?.name === 'math:math') formulas.set(name.slice(0, -'/content.xml'.length), tree);
  }
  const budget = new HtmlBudget(limits.text);
  const styles = new OdfStyles(await part('styles.xml'), content);
  const parts: OdfParts = {
    ...{ zip: new PictureFiles(zip), pictures: new Pictures() },
    ...{ styles, budget, formulas, notes: [] },
  };
  const facts = readFacts(await part('meta.xml'), styles);
  const spreadsheet = xmlChild(body, 'office:spreadsheet');
  if (spreadsheet !== undefined) return { ...facts, ...readSheets(spreadsheet, parts, limits) };
  const presentation = xmlChild(body, 'office:presentation');
  if (presentation === undefined) {
    const text = xmlChild(body, 'office:text') ?? body;
    const html = new ContentReader(parts).read(text);
    return { ...facts, html: html + notesOf(parts) };
  }
  const pages = xmlChildren(presentation, 'draw:page').slice(0, 2000);
  const blocks = new BlockWriter(budget);
  pages.forEach((page, index) => {
    writeSlide(page, index + 1, parts, blocks);
  });
  return { ...facts, html: blocks.finish() + notesOf(parts), numPages: pages.length };
};

/** A note may have notes of its own, which come after it. */
function notesOf(parts: OdfParts): string {
  const items: string[] = [];
  for (let at = 0; at < parts.notes.length && at < 10_000; at += 1) {
    const note = parts.notes[at];
    const html = note === undefined ? '' : new ContentReader(parts).read(note);
    items.push(`<li id="note-${at + 1}">${html}</li>`);
  }
  return items.length === 0
    ? ''
    : `<section class="footnotes"><ol>${items.join('')}</ol></section>`;
}

function readFacts(tree: XmlElement | undefined, styles: OdfStyles): Omit<FileContent, 'html'> {
  const meta = xmlChild(tree, 'office:meta');
  const text = (name: string): string | undefined => filled(xmlText(xmlChild(meta, name)));
  const keywords = xmlChildren(meta, 'meta:keyword').map(xmlText).join(', ');
  return {
    title: text('dc:title'),
    author: text('meta:initial-creator') ?? text('dc:creator'),
    description: text('dc:description') ?? text('dc:subject'),
    keywords: filled(keywords),
    language: text('dc:language') ?? styles.language,
    publishedTime: text('meta:creation-date'),
    modifiedTime: text('dc:date'),
  };
}
