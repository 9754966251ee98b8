/** Reads one page: text, fonts, lines, links, structure; each within its limits. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { fontStyle, withSigns } from './font-style.ts';
import { type Drawing, noRulings, readDrawing } from './drawing.ts';
import type { FontStyle, PageContent, StructureNode, TextRun } from './geometry.ts';
import { placeLinks, readLinks } from './links.ts';
import { withLostSigns } from './lost-signs.ts';
import type { OpenPdf } from './open-pdf.ts';
import { type RawRun, type RawText, readRuns, type TextLimits } from './text-runs.ts';
import { withWholeWords } from './whole-words.ts';
import { withWords } from './word-places.ts';

/** What a file's pages have in common. */
export interface PageReader extends OpenPdf {
  readonly limits: TextLimits;
  readonly isTagged: boolean;
  /** How fonts look, by the names that pdf.js gives them: each is looked at once. */
  readonly fonts: Map<string, FontStyle>;
}

/** Reads a page and gives its memory back. Throws a `PageLimit`, or what pdf.js throws. */
export async function readPageContent(reader: PageReader, number: number): Promise<PageContent> {
  const page = await reader.file.getPage(number);
  try {
    const read = await readRuns(page, reader.limits);
    const { width, height } = page.getViewport({ scale: 1 });
    if (read.runs.length === 0) {
      return { number, width, height, runs: [], rulings: noRulings, shapes: [], tree: undefined };
    }
    const { runs, rulings, shapes } = await readDrawn(reader, page, read);
    const links = await readLinks(page);
    const tree = reader.isTagged ? await readTree(page) : undefined;
    const upright = placeLinks(
      runs.filter((run) => quarterOf(run) === 0),
      links,
    );
    const turned = besides(runs, upright, height);
    const styled = [...upright, ...turned].map((run) => withFont(run, reader.fonts));
    return { number, width, height, runs: styled, rulings, shapes, tree };
  } finally {
    page.cleanup();
  }
}

/** What the page draws: pdf.js knows its fonts by their names after that only. */
async function readDrawn(
  { fonts, pdfjs }: PageReader,
  page: PDFPageProxy,
  { runs: plain, families }: RawText,
): Promise<{ readonly runs: readonly RawRun[] } & Omit<Drawing, 'words'>> {
  let runs = plain;
  let drawn: Drawing = { rulings: noRulings, shapes: [], words: [] };
  try {
    // Notes and stamps are drawn over the page: no tables are made of them.
    const { DISABLE: annotationMode } = pdfjs.AnnotationMode;
    const operators = await page.getOperatorList({ annotationMode });
    runs = withLostSigns(plain, operators, pdfjs);
    drawn = readDrawing(page, operators, pdfjs);
  } catch {
    // Its text was read; a drawing that cannot be is of no use.
  }
  for (const [key, family] of families) {
    if (fonts.has(key)) continue;
    const isKnown = page.commonObjs.has(key);
    const font: unknown = isKnown ? page.commonObjs.get(key) : undefined;
    const name = (font as { name?: unknown } | undefined)?.name;
    fonts.set(key, fontStyle(typeof name === 'string' ? name : '', family));
  }
  const { rulings, shapes, words } = drawn;
  return { runs: withWords(withWholeWords(runs), words), rulings, shapes };
}

async function readTree(page: PDFPageProxy): Promise<StructureNode | undefined> {
  try {
    const tree: unknown = await page.getStructTree();
    return tree === null || tree === undefined ? undefined : structureNode(tree);
  } catch {
    return undefined;
  }
}

/** pdf.js gives at most 40 levels. */
function structureNode(given: unknown): StructureNode {
  const { role, alt, children } = given as Record<string, unknown>;
  return {
    role: typeof role === 'string' ? role : '',
    alt: typeof alt === 'string' ? alt : undefined,
    children: (Array.isArray(children) ? (children as unknown[]) : []).flatMap(
      (child): StructureNode['children'] => {
        const { type, id, role: childRole } = child as Record<string, unknown>;
        if (type === 'content' && typeof id === 'string') return [{ content: id }];
        return typeof childRole === 'string' ? [structureNode(child)] : [];
      },
    ),
  };
}

/** 0 for text that is upright, else the number of quarter turns. */
function quarterOf({ angle }: RawRun): number {
  return (Math.round(angle / (Math.PI / 2)) + 4) % 4;
}

/**
 * Text that stands on its side, such as a stamp at the margin: below everything else, so that it
 * does not come between the lines. Where most of a page is like that, it is the page's own text.
 */
function besides(runs: readonly RawRun[], upright: readonly RawRun[], height: number): RawRun[] {
  const turned = [1, 2, 3].flatMap((quarter) => {
    const group = runs.filter((run) => quarterOf(run) === quarter);
    if (group.length === 0) return [];
    return [group];
  });
  let floor = upright.length === 0 ? 0 : height;
  return turned.flatMap((group) => {
    const top = Math.min(...group.map(({ baseline, size }) => baseline - size));
    const start = Math.min(...group.map(({ left }) => left));
    const shift = floor - top + 20;
    floor = Math.max(...group.map(({ baseline }) => baseline)) + shift;
    return group.map((run) => ({
      ...run,
      baseline: run.baseline + shift,
      left: run.left - start,
      right: run.right - start,
    }));
  });
}

/** All signs of some scripts are equally wide: that makes no code of them. */
function withFont({ fontName, angle, ...run }: RawRun, fonts: PageReader['fonts']): TextRun {
  const font = fonts.get(fontName);
  const isArtifact = run.isArtifact || isWatermark(run, angle);
  if (font === undefined) return { ...run, isArtifact };
  const isMono = font.isMono && !equallyWide.test(run.text);
  const text = withSigns(run.text, font);
  return { ...run, text, isArtifact, font: { ...font, isMono } };
}

/** Large letters that stand neither upright nor on their side. */
function isWatermark({ size }: TextRun, angle: number): boolean {
  const turns = angle / (Math.PI / 2);
  return size > 40 && Math.abs(turns - Math.round(turns)) > 0.15;
}

const equallyWide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f]/u;
