/** Reads one page (text, fonts, lines, annotations, structure), each part within its limits. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import type { PDFPageProxy } from 'unpdf/pdfjs';
import { withPlainWords } from './drawn-letters.ts';
import { type Drawing, noRulings, readDrawing } from './drawing.ts';
import {
  fontStyle,
  type RawRun,
  type RawText,
  readRuns,
  type TextLimits,
  withGlyphs,
  withWholeWords,
} from './text-runs.ts';
import type { FontStyle, LinkArea, PageContent, StructureNode, TextRun } from './geometry.ts';
import { restoreMissingGlyphs } from './missing-glyphs.ts';
import type { OpenPdf } from './open-pdf.ts';
import { indexKey, type Outline, refKey } from './outline.ts';
import { readAnnotations } from './page-annotations.ts';
import { withWords } from './word-positions.ts';

/** The shared state of a file's pages. */
export interface PageReader extends OpenPdf {
  readonly limits: TextLimits;
  readonly isTagged: boolean;
  readonly outline: Outline;
  /** Font styles by pdf.js's font names, each determined once. */
  readonly fonts: Map<string, FontStyle>;
}

/** Reads a page and releases its memory. Throws a `PageLimit`, or the errors of pdf.js. */
export async function readPageContent(reader: PageReader, number: number): Promise<PageContent> {
  const page = await reader.file.getPage(number);
  try {
    const read = await readRuns(page, reader.limits, reader.pdfjs);
    const { width, height } = page.getViewport({ scale: 1 });
    const { links, texts } = await readAnnotations(reader, page, read.runs.length);
    if (read.runs.length + texts.length === 0) {
      return { number, width, height, runs: [], rulings: noRulings, shapes: [], tree: undefined };
    }
    const { runs: drawn, rulings, shapes } = await readDrawn(reader, page, read);
    const runs = [...drawn, ...texts];
    const tree = reader.isTagged ? await readTree(page) : undefined;
    const upright = attachLinks(
      runs.filter((run) => quarterOf(run) === 0),
      links,
    );
    const turned = besides(runs, upright, height);
    const styled = [...upright, ...turned].map((run) => withFont(run, reader.fonts));
    const titles = titlesOf(reader.outline, page);
    return { number, width, height, runs: withPlainWords(styled), rulings, shapes, tree, titles };
  } finally {
    page.cleanup();
  }
}

/** Reads the drawing of the page: pdf.js knows its fonts by name only after that. */
async function readDrawn(
  { fonts, pdfjs }: PageReader,
  page: PDFPageProxy,
  { runs: plain, families }: RawText,
): Promise<{ readonly runs: readonly RawRun[] } & Pick<Drawing, 'rulings' | 'shapes'>> {
  let runs = plain;
  let drawn: Drawing = { rulings: noRulings, shapes: [], words: [], monoFonts: new Set() };
  try {
    // Annotations are drawn over the page: they must not become tables.
    const { DISABLE: annotationMode } = pdfjs.AnnotationMode;
    const operators = await page.getOperatorList({ annotationMode });
    runs = restoreMissingGlyphs(plain, operators, pdfjs);
    drawn = readDrawing(page, operators, pdfjs);
  } catch {
    // The text was read: an unreadable drawing is ignored.
  }
  for (const [key, family] of families) {
    const isEqual = drawn.monoFonts.has(key);
    if (fonts.has(key) && !(isEqual && fonts.get(key)?.isMono === false)) continue;
    const isKnown = page.commonObjs.has(key);
    const font: unknown = isKnown ? page.commonObjs.get(key) : undefined;
    const given = (font as { name?: unknown } | undefined)?.name;
    const name = typeof given === 'string' ? given : '';
    // Fonts of these families are not monospaced: the file has wrong widths.
    const isMono = isEqual && !/helvetica|arial|times|sans|serif/i.test(name);
    fonts.set(key, fontStyle(name, isMono ? 'monospace' : family));
  }
  const { rulings, shapes, words } = drawn;
  return { runs: withWords(withWholeWords(runs), words), rulings, shapes };
}

function titlesOf(outline: Outline, { pageNumber, ref }: PDFPageProxy): PageContent['titles'] {
  const byRef: unknown = ref;
  const keys = typeof byRef === 'object' && byRef !== null ? [refKey(byRef)] : [];
  return [indexKey(pageNumber - 1), ...keys].flatMap((key) => outline.get(key) ?? []);
}

async function readTree(page: PDFPageProxy): Promise<StructureNode | undefined> {
  try {
    const tree: unknown = await page.getStructTree();
    return tree === null || tree === undefined ? undefined : structureNode(tree);
  } catch {
    return undefined;
  }
}

/** pdf.js returns at most 40 levels. */
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

/** 0 for upright text, else the number of quarter turns. */
function quarterOf({ angle }: RawRun): number {
  return (Math.round(angle / (Math.PI / 2)) + 4) % 4;
}

/**
 * Rotated text, such as a stamp at the margin, is moved below everything else, so that it does not interrupt
 * lines. If most of a page is rotated, it is the page's own text.
 */
function besides(runs: readonly RawRun[], upright: readonly RawRun[], height: number): RawRun[] {
  const turned = [1, 2, 3]
    .map((quarter) => runs.filter((run) => quarterOf(run) === quarter))
    .filter((group) => group.length > 0);
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

/** All glyphs of some scripts have equal widths, which does not make them code. */
function withFont({ fontName, angle, ...run }: RawRun, fonts: PageReader['fonts']): TextRun {
  const font = fonts.get(fontName);
  const isArtifact = run.isArtifact || isWatermark(run, angle);
  if (font === undefined) return { ...run, isArtifact };
  const isMono = font.isMono && !equallyWide.test(run.text);
  const glyphs = withGlyphs(run.text, font);
  // TeX and groff print the hyphens of code as minus signs.
  const text = isMono ? glyphs.replaceAll('\u2212', '-') : glyphs;
  return { ...run, text, isArtifact, font: { ...font, isMono } };
}

/** True for large letters that are neither upright nor rotated by a quarter turn. */
function isWatermark({ size }: TextRun, angle: number): boolean {
  const turns = angle / (Math.PI / 2);
  return size > 40 && Math.abs(turns - Math.round(turns)) > 0.15;
}

const equallyWide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f]/u;

// Links: areas of the page, assigned to the text below them.

/** The runs with their links; a partly linked run is split. */
function attachLinks<Run extends TextRun>(runs: readonly Run[], areas: readonly LinkArea[]): Run[] {
  if (areas.length === 0) return [...runs];
  const bands = byHeight(areas);
  return runs.flatMap((run) => {
    const middle = run.baseline - run.size * 0.3;
    const over = (bands.get(Math.floor(middle / bandHeight)) ?? []).filter(
      (area) =>
        area.top <= middle &&
        area.bottom >= middle &&
        Math.min(area.right, run.right) - Math.max(area.left, run.left) > run.size * 0.2,
    );
    return over.length === 0 ? [run] : cutAtLinks(run, over);
  });
}

const bandHeight = 50; // points: areas are indexed by their vertical position

function byHeight(areas: readonly LinkArea[]): Map<number, LinkArea[]> {
  const bands = new Map<number, LinkArea[]>();
  for (const area of areas) {
    const first = Math.floor(area.top / bandHeight);
    const last = Math.min(Math.floor(area.bottom / bandHeight), first + 100);
    for (let band = first; band <= last; band += 1) getOrInsert(bands, band, () => []).push(area);
  }
  return bands;
}

/** Splits a run at the edges of links, between words. */
function cutAtLinks<Run extends TextRun>(run: Run, areas: readonly LinkArea[]): Run[] {
  const { text } = run;
  const edges = spreadLetters(text, run.left, run.right);
  const letterPositions = letterEdges(run, edges);
  const hrefs: (string | undefined)[] = Array.from({ length: text.length }, () => undefined);
  for (const { left, right, href } of areas) {
    const from = wordEdge(text, edges, left);
    const to = wordEdge(text, edges, right);
    hrefs.fill(href, from, to);
  }
  const parts: Run[] = [];
  for (let at = 0; at < text.length;) {
    let end = at + 1;
    while (end < text.length && hrefs[end] === hrefs[at]) end += 1;
    parts.push({
      ...run,
      text: text.slice(at, end),
      left: letterPositions[at] ?? run.left,
      right: letterPositions[end] ?? run.right,
      afterSpace: at === 0 ? run.afterSpace : /\s/.test(text.slice(at - 1, at + 1)),
      href: hrefs[at],
      words: wordsOf(run, at, end, letterPositions),
    });
    at = end;
  }
  return parts;
}

/** The boundary of a word or of the text that is closest to `x`. */
function wordEdge(text: string, edges: readonly number[], x: number): number {
  let best = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const isEdge =
      at === 0 || at === text.length || isWordCharacter(text, at - 1) !== isWordCharacter(text, at);
    if (isEdge && Math.abs((edges[at] ?? 0) - x) < Math.abs((edges[best] ?? 0) - x)) best = at;
  }
  return best;
}

function isWordCharacter(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[at] ?? '');
}

/** The words of a part of a run: characters `from` to `to`. */
function wordsOf(
  { text, words }: TextRun,
  from: number,
  to: number,
  letterPositions: readonly number[],
): TextRun['words'] {
  const matches = [...text.matchAll(/\S+/g)];
  return words?.flatMap(({ left, right, isApart }, at) => {
    const start = matches[at]?.index ?? 0;
    const end = start + (matches[at]?.[0].length ?? 0);
    if (start >= to || end <= from) return [];
    return [
      {
        left: letterPositions[Math.max(from, start)] ?? left,
        right: letterPositions[Math.min(to, end)] ?? right,
        isApart: isApart && start >= from,
      },
    ];
  });
}

/** The edges of letters, exact at known word positions. */
function letterEdges({ text, words = [] }: TextRun, edges: readonly number[]): readonly number[] {
  const letterPositions = [...edges];
  for (const [at, { 0: word, index }] of [...text.matchAll(/\S+/g)].entries()) {
    const known = words[at];
    if (known === undefined) break;
    letterPositions.splice(index, word.length + 1, ...spreadLetters(word, known.left, known.right));
  }
  return letterPositions;
}

/** Approximate edges of letters: the file gives only the total width. */
function spreadLetters(text: string, left: number, right: number): number[] {
  const weights = [...text].flatMap((letter) =>
    letter.length === 1 ? [letterWeight(letter)] : [letterWeight(letter), 0],
  );
  const unit = (right - left) / (weights.reduce((sum, weight) => sum + weight, 0) || 1);
  let at = left;
  const edges = [at];
  for (const weight of weights) edges.push((at += weight * unit));
  return edges;
}

function letterWeight(letter: string): number {
  if (/[iljtfI.,;:'|!()[\] ]/.test(letter)) return 0.55;
  if (/[mwMW@—]/.test(letter)) return 1.6;
  return /[A-Z]/.test(letter) ? 1.3 : 1;
}
