/** The text of a paragraph of an OpenDocument file: marks, links, pictures, formulas, notes. */
import { escapeText } from '../../../html/escape.ts';
import { isXmlElement, xmlChild, type XmlElement, xmlText } from '../../../html/xml-tree.ts';
import type { Marks, RunWriter } from '../writing/inline-writer.ts';
import { mathElements } from '../writing/math-elements.ts';
import { imageElement } from '../writing/pictures.ts';
import type { OdfParts } from './odf-parts.ts';

/** What was found in a paragraph beside its text. */
export interface RunFindings {
  /** Boxes with paragraphs of their own, which stand after it. */
  readonly boxes: XmlElement[];
  /** The first bookmark in it. */
  id: string | undefined;
}

/** Blanks that one element may stand for. */
const mostBlanks = 200;

/** Reads the content of a paragraph into a writer. */
export function readRuns(
  parent: XmlElement,
  parts: OdfParts,
  out: RunWriter,
  found: RunFindings,
  marks: Marks = {},
): void {
  for (const node of parent.children) {
    // Line ends in the file are blanks; several are one.
    if (typeof node === 'string') out.text(node.replace(/[ \t\r\n]+/g, ' '), marks);
    else readRun(node, parts, out, found, marks);
  }
}

function readRun(
  element: XmlElement,
  parts: OdfParts,
  out: RunWriter,
  found: RunFindings,
  marks: Marks,
): void {
  const { name, attributes } = element;
  switch (name) {
    case 'text:s': {
      const count = Math.min(mostBlanks, Math.max(1, Number(attributes['text:c'] ?? 1) || 1));
      out.text(' '.repeat(count), marks);
      break;
    }
    case 'text:tab':
      out.text('\t', marks);
      break;
    case 'text:line-break':
      out.lineBreak();
      break;
    case 'text:span': {
      const style = attributes['text:style-name'];
      if (parts.styles.isHidden(style, 'text')) break;
      readRuns(element, parts, out, found, merged(marks, parts.styles.marksOf(style)));
      break;
    }
    case 'text:a':
      readRuns(element, parts, out, found, { ...marks, href: attributes['xlink:href'] });
      break;
    case 'text:note': {
      const body = xmlChild(element, 'text:note-body');
      if (body === undefined) break;
      const number = parts.notes.push(body);
      out.html(`<sup><a href="#note-${number}" role="doc-noteref">${number}</a></sup>`);
      break;
    }
    case 'text:bookmark':
    case 'text:bookmark-start':
      found.id ??= attributes['text:name'];
      break;
    case 'draw:frame':
      readFrame(element, parts, out, found, marks);
      break;
    case 'draw:a': {
      const linked = { ...marks, href: attributes['xlink:href'] };
      readRuns(element, parts, out, found, linked);
      break;
    }
    case 'draw:custom-shape':
    case 'draw:g':
    case 'draw:rect':
      found.boxes.push(element);
      break;
    case 'text:ruby':
      readRuns(xmlChild(element, 'text:ruby-base') ?? element, parts, out, found, marks);
      break;
    // Not part of the text.
    case 'office:annotation':
    case 'office:annotation-end':
    case 'text:soft-page-break':
    case 'text:change':
    case 'text:change-start':
    case 'text:change-end':
      break;
    default:
      readRuns(element, parts, out, found, marks);
  }
}

function merged(around: Marks, own: Marks): Marks {
  return {
    href: around.href,
    bold: own.bold ?? around.bold,
    italic: own.italic ?? around.italic,
    struck: own.struck ?? around.struck,
    raised: own.raised === true || around.raised,
    lowered: own.lowered === true || around.lowered,
    code: own.code === true || around.code,
  };
}

/** A frame holds a picture, a formula, a box, or several ways to show one thing. */
function readFrame(
  frame: XmlElement,
  parts: OdfParts,
  out: RunWriter,
  found: RunFindings,
  marks: Marks,
): void {
  if (xmlChild(frame, 'draw:text-box') !== undefined) {
    found.boxes.push(frame);
    return;
  }
  const object = xmlChild(frame, 'draw:object')?.attributes['xlink:href'] ?? '';
  const formula = parts.formulas.get(object.replace(/^\.\/|\/$/g, ''));
  if (formula !== undefined) {
    out.html(mathml(formula));
    return;
  }
  const image = xmlChild(frame, 'draw:image')?.attributes['xlink:href'];
  const alt = xmlText(xmlChild(frame, 'svg:desc')) || xmlText(xmlChild(frame, 'svg:title'));
  if (image === undefined) {
    if (alt.trim() !== '') out.html(imageElement(alt, 'data:,'), marks);
    return;
  }
  const html = /^https?:/i.test(image)
    ? imageElement(alt, image)
    : parts.pictures.element(alt, () => parts.zip.read(image.replace(/^\.\//, '')));
  out.html(html, marks);
}

/** MathML as it is, without what is no formula; what the program wrote to make it, is kept by no one. */
function mathml(element: XmlElement): string {
  const name = element.name.replace(/^.*:/, '');
  if (!mathElements.has(name)) return '';
  const content = element.children
    .map((node) => (isXmlElement(node) ? mathml(node) : escapeText(node)))
    .join('');
  return `<${name}>${content}</${name}>`;
}
