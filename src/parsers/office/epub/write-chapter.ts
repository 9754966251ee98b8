/** One document of a book as part of a page. */
import { escapeAttribute, escapeText } from '../../../html/escape.ts';
import {
  isXmlElement,
  type XmlElement,
  xmlElements,
  type XmlNode,
} from '../../../html/xml-tree.ts';
import type { HtmlBudget } from '../writing/html-budget.ts';
import { mathElements } from '../writing/math-elements.ts';
import { imageElement, type PictureFiles, type Pictures } from '../writing/pictures.ts';
import { type BookPlaces, fileAt, idInPage, linkInPage } from './book-links.ts';

/** What a document is written with. */
export interface Chapter {
  /** The name of its file. */
  readonly file: string;
  readonly places: BookPlaces;
  readonly pictureFiles: PictureFiles;
  readonly pictures: Pictures;
  readonly budget: HtmlBudget;
}

/** Its body, with ids and links that are its own on the page. */
export function writeChapter(document: XmlElement, chapter: Chapter): string {
  const body = [...xmlElements(document)].find(({ name }) => plain(name) === 'body') ?? document;
  const id = idInPage(numberOf(chapter), '');
  const out: string[] = [`<section id="${id}">`];
  for (const node of body.children) write(node, chapter, out);
  out.push('</section>');
  return out.join('');
}

const dropped = /^(?:script|style|link|meta|head|title|object|iframe|form|audio|video|template)$/;
const kept: ReadonlySet<string> = new Set([
  ...mathElements,
  ...(
    'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption ' +
    'figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p pre q rp rt ruby s samp section small span strong ' +
    'sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr center big strike'
  ).split(' '),
]);
const voids = /^(?:br|hr|col|wbr)$/;
const attributesKept =
  /^(?:title|lang|dir|start|reversed|value|colspan|rowspan|headers|scope|class|cite|datetime|display|role|type|align)$/;

/** Recursion is bounded by the levels of the tree. */
function write(node: XmlNode, chapter: Chapter, out: string[]): void {
  const { budget } = chapter;
  if (!isXmlElement(node)) {
    out.push(budget.spend(escapeText(node)));
    return;
  }
  const name = plain(node.name).toLowerCase();
  if (dropped.test(name)) return;
  if (name === 'img' || name === 'image') {
    out.push(budget.spend(picture(node, chapter)));
    return;
  }
  if (!kept.has(name)) {
    // Drawings are not text; of anything else the content counts.
    if (name === 'svg') drawing(node, chapter, out);
    else for (const child of node.children) write(child, chapter, out);
    return;
  }
  out.push(budget.spend(`<${name}${attributesOf(node, chapter)}>`));
  if (voids.test(name)) return;
  for (const child of node.children) write(child, chapter, out);
  out.push(`</${name}>`);
}

/** Covers are often pictures in a drawing. */
function drawing(svg: XmlElement, chapter: Chapter, out: string[]): void {
  for (const element of xmlElements(svg)) {
    if (plain(element.name) === 'image') out.push(chapter.budget.spend(picture(element, chapter)));
  }
}

function picture({ attributes }: XmlElement, { file, pictureFiles, pictures }: Chapter): string {
  const source = attributes['src'] ?? attributes['xlink:href'] ?? attributes['href'] ?? '';
  const alt = attributes['alt'] ?? '';
  if (/^(?:https?:)?\/\//i.test(source)) return imageElement(alt, source);
  return pictures.element(alt, () => pictureFiles.read(fileAt(source, file)));
}

function attributesOf({ attributes }: XmlElement, chapter: Chapter): string {
  const parts: string[] = [];
  for (const [name, value = ''] of Object.entries(attributes)) {
    if (name === 'id' || name === 'name') {
      parts.push(` id="${escapeAttribute(idInPage(numberOf(chapter), value))}"`);
    } else if (name === 'href') {
      const href = linkInPage(value, chapter.file, chapter.places);
      if (href !== undefined) parts.push(` href="${escapeAttribute(href)}"`);
    } else if (name === 'epub:type') {
      const role = /\bnoteref\b/.test(value) ? 'doc-noteref' : undefined;
      if (role !== undefined && !('role' in attributes)) parts.push(` role="${role}"`);
    } else if (attributesKept.test(name)) parts.push(` ${name}="${escapeAttribute(value)}"`);
  }
  return parts.join('');
}

function numberOf({ file, places }: Chapter): number {
  return places.get(file) ?? 0;
}

function plain(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
