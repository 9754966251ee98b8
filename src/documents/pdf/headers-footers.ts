/** Removes headers, footers and page numbers, which repeat from page to page; one copy of their words stays. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import {
  gapsOf,
  median,
  type PageContent,
  rowsByBaseline,
  type Rulings,
  type TextRun,
} from './geometry.ts';
import { hasWideGap, isApart } from './line-text.ts';
import { changeOf, type PageNumbering, pageNumbering } from './page-numbering.ts';

const limits = {
  rows: 4, // compared at each end of a page
  frontPages: 4,
  depth: 0.15, // share of the page's height at each end that holds headers and footers
  letters: 20_000, // letters of a page that are searched for the words of a header
  headers: 10_000, // headers whose copy is remembered
};

/** Pages before and after that are compared: a header that changes with the chapter is on a nearby page. */
export const nearbyPages = 4;

interface EdgeLine {
  readonly runs: ReadonlySet<TextRun>;
  readonly baseline: number;
  readonly style: string;
  readonly letters: string;
  /** Its words, with a placeholder for every number, and its numbers. */
  readonly numbering: PageNumbering;
  /** True if its parts are on both sides of the page. */
  readonly isWide: boolean;
  /** True when a gap or a line separates it from the next row towards the middle. */
  readonly isLast: boolean;
}

type PageEdge = 'top' | 'bottom';

/** The rows of a page as far as its headers and footers depend on them. */
export interface PageEdges {
  readonly page: number;
  /** From the edge inwards. */
  readonly top: readonly EdgeLine[];
  readonly bottom: readonly EdgeLine[];
  /** The baselines of all rows, by their pattern and style. */
  readonly rows: ReadonlyMap<string, readonly number[]>;
  /** The letters of the rows between, in lower case. */
  readonly letters: string;
}

/** Finds repeated lines at the edges of pages. */
export class HeadersFooters {
  readonly #extent: TextExtent;
  readonly #bodySize: number;
  /** The first pages, which have the title of the file. */
  readonly #front: PageEdges[] = [];
  /** Words of headers that the text has, or of which one copy is retained. */
  readonly #retained = new Set<string>();
  /** Number of lines left out. */
  removed = 0;

  /** `pages` determine the text area. */
  constructor(pages: readonly PageContent[], bodySize: number) {
    this.#extent = extentOf(pages);
    this.#bodySize = bodySize;
  }

  edgesOf(page: PageContent): PageEdges {
    const edges = edgesOf(page, this.#extent, this.#bodySize);
    if (this.#front.length < limits.frontPages) this.#front.push(edges);
    return edges;
  }

  /** The page without lines repeated on others, which are the pages within `nearbyPages`. */
  without(page: PageContent, own: PageEdges, others: readonly PageEdges[]): PageContent {
    const gone = new Set<TextRun>();
    let lines = 0;
    for (const side of ['top', 'bottom'] as const) {
      for (const line of repeatedLines(own, others, side)) {
        if (this.#stays(line, [own, ...others])) continue;
        lines += 1;
        for (const run of line.runs) gone.add(run);
      }
    }
    const runs = page.runs.filter((run) => !gone.has(run));
    // Pages without anything else do not have a header.
    const isEmpty = runs.every(({ isArtifact }) => isArtifact);
    if (lines === 0 || (isEmpty && others.every(({ letters }) => letters === ''))) return page;
    this.removed += lines;
    return { ...page, runs };
  }

  /** True for the first copy of words that are nowhere in the text nearby, as the title of a chapter is. */
  #stays(line: EdgeLine, pages: readonly PageEdges[]): boolean {
    const known = [...this.#front, ...pages];
    const phrases = line.numbering.phrases.filter((phrase) => !this.#retained.has(phrase));
    if (phrases.length === 0 || this.#retained.size >= limits.headers) return false;
    const isMissing = phrases.some((phrase) => !isInText(phrase, line, known));
    // Phrases in the text of these pages are not missing on later ones, which are far away.
    for (const phrase of phrases) this.#retained.add(phrase);
    return isMissing;
  }
}

/** True if the letters occur elsewhere than at this height of a page. */
function isInText(letters: string, line: EdgeLine, pages: readonly PageEdges[]): boolean {
  return pages.some(
    (page) =>
      page.letters.includes(letters) ||
      [...page.top, ...page.bottom].some(
        (other) => Math.abs(other.baseline - line.baseline) >= 4 && other.letters.includes(letters),
      ),
  );
}

/** The lines at an edge that belong to a header or footer, from the edge inwards. */
function repeatedLines(
  own: PageEdges,
  others: readonly PageEdges[],
  side: PageEdge,
): readonly EdgeLine[] {
  const found: { readonly line: EdgeLine; readonly copies: Copies }[] = [];
  for (const line of own[side]) {
    const copies = copiesOf(line, own.page, others, side);
    if (copies.equal + copies.numbered + copies.titles === 0 && !isOwnNumber(line, own.page)) break;
    found.push({ line, copies });
  }
  const end = found.findLastIndex(({ line }) => line.isLast);
  const lines: EdgeLine[] = [];
  for (const [at, { line, copies }] of found.entries()) {
    const isSeparate = at <= end;
    const pages = [own, ...others];
    const facts = {
      isSeparate,
      isInRows: pages.some((other) => isElsewhere(line, other)),
      isInText: line.letters !== '' && isInText(line.letters, line, pages),
      isFirst: at === 0,
      page: own.page,
    };
    if (!isRepeated(line, copies, facts)) break;
    lines.push(line);
  }
  return lines;
}

/** The numbers of pages with a copy of a line. */
interface Copies {
  /** The same words and numbers. */
  readonly equal: number;
  /** The same words, and a number that differs as the page numbers do. */
  readonly numbered: number;
  /** Other words at the same height, alone or with such a number. */
  readonly titles: number;
}

function copiesOf(
  line: EdgeLine,
  page: number,
  others: readonly PageEdges[],
  side: PageEdge,
): Copies {
  let [equal, numbered, titles] = [0, 0, 0];
  for (const other of others) {
    const beside = other[side].filter((one) => Math.abs(one.baseline - line.baseline) < 4);
    const same = beside.find((one) => one.numbering.pattern === line.numbering.pattern);
    const change = same && changeOf(line.numbering, same.numbering);
    if (change === 0) equal += 1;
    else if (change === other.page - page) numbered += 1;
    else if (
      line.numbering.isNumber &&
      beside.some((one) => isNext(line, one, other.page - page))
    ) {
      numbered += 1;
    } else if (beside.some((one) => isTitle(line, one, other.page - page))) titles += 1;
  }
  return { equal, numbered, titles };
}

/** True if the outer numbers of two lines differ as their pages do. */
function isNext(a: EdgeLine, b: EdgeLine, pages: number): boolean {
  const [one, other] = [a.numbering.outer, b.numbering.outer];
  return one !== undefined && other !== undefined && other - one === pages;
}

/** True for two headers of one kind: each names its chapter, and has its page number or none. */
function isTitle(a: EdgeLine, b: EdgeLine, pages: number): boolean {
  if (a.style !== b.style || !a.isLast || !b.isLast) return false;
  return (
    isNext(a, b, pages) || (a.numbering.outer === undefined && b.numbering.outer === undefined)
  );
}

/** Facts about a line that decide together with its copies. */
interface LineFacts {
  readonly isSeparate: boolean;
  /** Its pattern is that of a row in the text. */
  readonly isInRows: boolean;
  /** Its letters are in the text, as a chapter's title. */
  readonly isInText: boolean;
  readonly isFirst: boolean;
  readonly page: number;
}

function isRepeated(line: EdgeLine, copies: Copies, facts: LineFacts): boolean {
  const { isSeparate, isInRows, isInText, isFirst, page } = facts;
  const { numbering, isWide } = line;
  // A list of numbers continues in the text; a page number is alone.
  if (numbering.isNumber) return copies.numbered > 0 || (isSeparate && isOwnNumber(line, page));
  if (isInRows) return false;
  if (copies.equal > (isSeparate ? 0 : 1)) return true;
  const isPaged = numbering.isPaged || (isWide && numbering.outer !== undefined);
  if (copies.numbered > (isSeparate ? 0 : 1)) return isPaged;
  if (isSeparate && isWide && page > 1 && numbering.outer === page) return true;
  return isSeparate && copies.titles > 1 && (isPaged || (isFirst && isInText));
}

function isOwnNumber({ numbering, isWide }: EdgeLine, page: number): boolean {
  return numbering.outer === page && (numbering.isNumber || (isWide && page > 1));
}

/** True when the text of a page has such a line at another height. */
function isElsewhere({ numbering, style, baseline }: EdgeLine, { rows }: PageEdges): boolean {
  const baselines = rows.get(`${style} ${numbering.pattern}`) ?? [];
  return baselines.some((other) => Math.abs(other - baseline) >= 4);
}

/** The vertical extent of the text on all pages. */
interface TextExtent {
  readonly top: number;
  readonly bottom: number;
}

function extentOf(pages: readonly PageContent[]): TextExtent {
  let [top, bottom] = [Infinity, -Infinity];
  for (const { runs, height } of pages) {
    for (const { baseline, isArtifact } of runs) {
      // Rotated text is placed below the page.
      if (isArtifact || baseline > height) continue;
      top = Math.min(top, baseline);
      bottom = Math.max(bottom, baseline);
    }
  }
  return { top, bottom };
}

/** The share of the height of the page, or of its text, between a row and the edge. */
function depthOf({ baseline }: TextRow, side: PageEdge, { top, bottom }: TextExtent): number {
  return (side === 'top' ? baseline - top : bottom - baseline) / Math.max(bottom - top, 1);
}

function edgesOf(page: PageContent, extent: TextExtent, bodySize: number): PageEdges {
  const { runs, height, rulings } = page;
  const rows = rowsOf(runs.filter(({ isArtifact, baseline }) => !isArtifact && baseline <= height));
  const leading = median(gapsOf(rows));
  const lines = (side: PageEdge): EdgeLine[] => {
    const inward = side === 'top' ? rows : rows.toReversed();
    const edge: EdgeLine[] = [];
    for (const [at, row] of inward.slice(0, limits.rows).entries()) {
      const next = inward[at + 1];
      const isLast = next === undefined || areSeparate(row, next, leading, rulings);
      // Text may only use a part of the page: separate lines are at its edge.
      const depth = Math.min(
        depthOf(row, side, { top: 0, bottom: height }),
        isLast ? depthOf(row, side, extent) : 1,
      );
      // Chapter headings repeat as well, but they are larger.
      const isSmall = row.runs.every(({ size }) => size < bodySize * 1.25);
      if (depth > limits.depth || !isSmall || isTableRow(inward.slice(at, at + 3), rulings)) break;
      edge.push(edgeLine(row, isLast));
    }
    return edge;
  };
  const [top, bottom] = [lines('top'), lines('bottom')];
  const inEdges = new Set([...top, ...bottom].flatMap((line) => [...line.runs]));
  const baselines = new Map<string, number[]>();
  let letters = '';
  for (const row of rows) {
    const { pattern } = pageNumbering(row.text);
    const list = getOrInsert(baselines, `${styleOf(row.runs)} ${pattern}`, () => []);
    if (list.length < 3) list.push(row.baseline);
    const isEdge = row.runs.some((run) => inEdges.has(run));
    if (!isEdge && letters.length < limits.letters)
      letters += lettersOf(row.text.slice(0, limits.letters));
  }
  return { page: page.number, top, bottom, rows: baselines, letters };
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}]+/gu, '');
}

/** True for a gap that is wider than between lines, or a line across, between two rows. */
function areSeparate(
  row: TextRow,
  next: TextRow,
  leading: number,
  { horizontal }: Rulings,
): boolean {
  const [above, below] = row.baseline < next.baseline ? [row, next] : [next, row];
  const size = Math.max(sizeOf(above), sizeOf(below));
  if (below.baseline - above.baseline > Math.max(leading * 1.4, size * 1.75)) return true;
  const [left, right] = [leftOf(row), rightOf(row)];
  return horizontal.some(
    ({ at, start, end }) =>
      at > above.baseline &&
      at < below.baseline - size * 0.5 &&
      end - start > (right - left) * 0.8 &&
      start < left + size &&
      end > right - size,
  );
}

/** True if the first of three rows is a table row: its cells are aligned with the others', or ruled. */
function isTableRow([row, next, last]: readonly TextRow[], { vertical }: Rulings): boolean {
  if (row === undefined || next === undefined) return false;
  const inside = (one: TextRow): readonly number[] => {
    const y = one.baseline - sizeOf(one) * 0.3;
    const [left, right] = [leftOf(one), rightOf(one)];
    const lines = vertical.filter(({ start, end }) => start < y && end > y);
    return lines.flatMap(({ at }) => (at > left && at < right ? [at] : []));
  };
  const ruled = inside(row);
  if (ruled.length > 0 && inside(next).some((x) => ruled.some((at) => Math.abs(at - x) < 3))) {
    return true;
  }
  if (last === undefined) return false;
  return areAligned(row, next) && areAligned(next, last);
}

function areAligned(a: TextRow, b: TextRow): boolean {
  const [cells, others] = [cellsOf(a), cellsOf(b)];
  if (Math.abs(a.baseline - b.baseline) > sizeOf(a) * 3) return false;
  const shared = cells.filter(({ left, right }) =>
    others.some((cell) => Math.abs(cell.left - left) < 2 || Math.abs(cell.right - right) < 2),
  );
  return shared.length > 1;
}

/** The parts of a row with a gap of several letters between. */
function cellsOf({ runs }: TextRow): { readonly left: number; readonly right: number }[] {
  const cells: { left: number; right: number }[] = [];
  for (const { left, right, size } of runs) {
    const last = cells.at(-1);
    if (last !== undefined && left - last.right < size) last.right = Math.max(last.right, right);
    else cells.push({ left, right });
  }
  return cells;
}

/** Runs on one baseline, from the left. */
interface TextRow {
  readonly baseline: number;
  readonly runs: readonly TextRun[];
  readonly text: string;
}

function rowsOf(runs: readonly TextRun[]): TextRow[] {
  return rowsByBaseline(runs, (distance, { size }) => distance >= size * 0.3).map((row) => {
    const { baseline = 0 } = row[0] ?? {};
    const sorted = row.sort((a, b) => a.left - b.left);
    return { baseline, runs: sorted, text: rowText(sorted) };
  });
}

function edgeLine({ baseline, runs, text }: TextRow, isLast: boolean): EdgeLine {
  return {
    baseline,
    runs: new Set(runs),
    style: styleOf(runs),
    letters: lettersOf(text),
    numbering: pageNumbering(text),
    isWide: hasWideGap(runs, 3),
    isLast,
  };
}

function styleOf([first]: readonly TextRun[]): string {
  return first === undefined ? '' : `${Math.round(first.size)} ${first.font.isBold}`;
}

function sizeOf({ runs }: TextRow): number {
  return runs[0]?.size ?? 10;
}

function leftOf({ runs }: TextRow): number {
  return runs[0]?.left ?? 0;
}

function rightOf({ runs }: TextRow): number {
  return runs.reduce((most, { right }) => Math.max(most, right), -Infinity);
}

function rowText(row: readonly TextRun[]): string {
  return row
    .map((run, at) => {
      const before = row[at - 1];
      return before !== undefined && isApart(before, run) ? ` ${run.text}` : run.text;
    })
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}
