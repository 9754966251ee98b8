/** Reads the annotations of a page: areas of links, and texts that viewers draw: form fields, typed notes. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { type Box, boxAround, type LinkArea } from './geometry.ts';
import type { OpenPdf } from './open-pdf.ts';
import { isOnPaper, multiply, plainStyle, type RawRun } from './text-runs.ts';

const limits = {
  links: 2000, // of a page
  texts: 5000, // of a page
  lines: 500, // of a page
  characters: 20_000, // of one annotation
  usualSize: 10, // points, for a field that fits its size to the text
};

/** Flags of annotations that are not displayed: Invisible, Hidden, NoView (ISO 32000-1, 12.5.3). */
const hiddenFlags = 1 | 2 | 32;

/** `order`: the position in the file of the first text. */
export async function readAnnotations(
  { file, pdfjs }: OpenPdf,
  page: PDFPageProxy,
  order: number,
): Promise<{ readonly links: readonly LinkArea[]; readonly texts: readonly RawRun[] }> {
  const { LINK, WIDGET, FREETEXT } = pdfjs.AnnotationType;
  // page.getAnnotations() reads the text of a page with links again, for the text below each link.
  const others = new Set(Array.from({ length: file.numPages }, (_, index) => index));
  others.delete(page.pageNumber - 1);
  const found: unknown = await file.getAnnotationsByType(new Set([LINK, WIDGET, FREETEXT]), others);
  const { transform } = page.getViewport({ scale: 1 });
  const links: LinkArea[] = [];
  const texts: RawRun[] = [];
  for (const annotation of (found ?? []) as Annotation[]) {
    const { annotationType: type, annotationFlags: flags, url } = annotation;
    if (typeof flags === 'number' && (flags & hiddenFlags) !== 0) continue;
    const box = boxOf(annotation.rect, transform);
    if (box === undefined) continue;
    if (type === LINK) {
      const isTarget = typeof url === 'string' && /^(?:https?|mailto|tel|ftp):/i.test(url);
      if (isTarget && links.length < limits.links) links.push({ ...box, href: url });
    } else if (texts.length < limits.texts) {
      texts.push(...runsOf(annotation, box, order + texts.length));
    }
  }
  return { links, texts };
}

/** An annotation in the form of pdf.js; its types do not list the properties. */
interface Annotation {
  readonly annotationType?: unknown;
  readonly annotationFlags?: unknown;
  readonly url?: unknown;
  readonly rect?: unknown;
  readonly contentsObj?: { readonly str?: unknown };
  readonly defaultAppearanceData?: { readonly fontSize?: unknown };
  readonly fieldType?: unknown;
  readonly fieldValue?: unknown;
  readonly password?: unknown;
  readonly multiLine?: unknown;
  readonly checkBox?: unknown;
  readonly radioButton?: unknown;
  readonly exportValue?: unknown;
  readonly buttonValue?: unknown;
  readonly options?: unknown;
}

function boxOf(rect: unknown, transform: readonly number[]): Box | undefined {
  if (!Array.isArray(rect)) return undefined;
  const [x1, y1, x2, y2] = rect as number[];
  const corners = [
    [x1, y1],
    [x2, y2],
  ].map(([x = 0, y = 0]) => {
    const [, , , , left = 0, top = 0] = multiply(transform, [1, 0, 0, 1, x, y]);
    return { left, right: left, top, bottom: top };
  });
  if (!corners.every(({ left, top }) => isOnPaper(left) && isOnPaper(top))) return undefined;
  return boxAround(corners);
}

/** The text of an annotation, line by line. */
function runsOf(annotation: Annotation, box: Box, order: number): RawRun[] {
  const text = textOf(annotation).slice(0, limits.characters);
  const lines = text.split(/\r\n?|\n/).slice(0, limits.lines);
  if (text.trim() === '') return [];
  const height = box.bottom - box.top;
  const isSingle = lines.length === 1 && annotation.multiLine !== true && 'fieldType' in annotation;
  const size = sizeOf(annotation, height);
  const first = isSingle ? (box.top + box.bottom) / 2 + size * 0.35 : box.top + size * 1.1;
  return lines.flatMap((line, at) => {
    const left = box.left + Math.min(2, size * 0.2);
    const right = Math.max(Math.min(box.right, left + line.length * size * 0.5), left + size * 0.3);
    const run = { text: line.replace(/\s+/g, ' '), left, right, size, angle: 0, fontName: '' };
    const baseline = first + at * size * 1.2;
    const others = { font: plainStyle, afterSpace: true, isArtifact: false };
    return line.trim() === '' ? [] : [{ ...run, baseline, order: order + at, ...others }];
  });
}

function sizeOf({ defaultAppearanceData: style }: Annotation, height: number): number {
  const size = style?.fontSize;
  return typeof size === 'number' && size > 1 && size < 100
    ? size
    : Math.max(Math.min(limits.usualSize, height * 0.7), 1);
}

/** The text that a viewer displays: the value of a field, the check mark of a box. */
function textOf(annotation: Annotation): string {
  const { fieldType, fieldValue, contentsObj } = annotation;
  if (fieldType === undefined) return typeof contentsObj?.str === 'string' ? contentsObj.str : '';
  if (annotation.checkBox === true) return checkMark(fieldValue === annotation.exportValue);
  if (annotation.radioButton === true) return checkMark(fieldValue === annotation.buttonValue);
  if (annotation.password === true || (fieldType !== 'Tx' && fieldType !== 'Ch')) return '';
  const values = (Array.isArray(fieldValue) ? (fieldValue as unknown[]) : [fieldValue]).filter(
    (value) => typeof value === 'string',
  );
  if (fieldType === 'Tx') return values.join('\n');
  const options = (Array.isArray(annotation.options) ? annotation.options : []) as readonly {
    readonly exportValue?: unknown;
    readonly displayValue?: unknown;
  }[];
  const visible = values.map((value) => {
    const option = options.find(({ exportValue }) => exportValue === value);
    return typeof option?.displayValue === 'string' ? option.displayValue : value;
  });
  return visible.join(', ');
}

function checkMark(isChecked: boolean): string {
  return isChecked ? '☑' : '☐';
}
