/** Removes headers, footers and page numbers, which repeat from page to page. */
import type { PageContent, TextRun } from './geometry.ts';
import { isApart } from './line-text.ts';

/** Lines at each end of a page that are compared. */
const lookedAt = 4;

/** Pages before and after that are compared: a header that changes with the chapter is on a nearby page. */
export const nearbyPages = 4;

interface EdgeLine {
  readonly runs: ReadonlySet<TextRun>;
  readonly baseline: number;
  /** Its words, with a placeholder for every number. */
  readonly pattern: string;
  readonly text: string;
  /** True when its parts are at both sides of the page. */
  readonly isWide: boolean;
}

type PageEdge = 'top' | 'bottom';

/** The lines at both ends of a page. */
export interface PageEdges {
  /** From the edge inwards. */
  readonly top: readonly EdgeLine[];
  readonly bottom: readonly EdgeLine[];
}

/** Finds repeated lines at the edges of pages. */
export class HeadersFooters {
  readonly #extent: TextExtent;
  readonly #bodySize: number;

  /** `pages` show the text area. */
  constructor(pages: readonly PageContent[], bodySize: number) {
    this.#extent = extentOf(pages);
    this.#bodySize = bodySize;
  }

  edgesOf(page: PageContent): PageEdges {
    return edgesOf(page, this.#extent, this.#bodySize);
  }

  /** The page without lines repeated on others, which are the pages within `reach`. */
  without(page: PageContent, own: PageEdges, others: readonly PageEdges[]): PageContent {
    const gone = new Set<TextRun>();
    for (const side of ['top', 'bottom'] as const) {
      for (const line of own[side]) {
        const isRepeated =
          others.some((other) => other[side].some((one) => isSame(one, line))) ||
          isPageNumber(line, page.number, depthOf(line, this.#extent, side));
        if (!isRepeated) break;
        for (const run of line.runs) gone.add(run);
      }
    }
    return gone.size === 0 ? page : { ...page, runs: page.runs.filter((run) => !gone.has(run)) };
  }
}

/** True for the same words at the same height; numbers may differ. */
function isSame(a: EdgeLine, b: EdgeLine): boolean {
  return a.pattern === b.pattern && Math.abs(a.baseline - b.baseline) < 4;
}

/** True for a number alone, or a header that begins or ends with its page number. */
function isPageNumber({ text, isWide }: EdgeLine, page: number, depth: number): boolean {
  if (depth > maxDepth) return false;
  const number = String(page);
  if (text === number || /^(?:page )?[-–— ]*\d+[-–— ]*(?: ?(?:of|\/) ?\d+)?$/i.test(text)) {
    return text === number || depth < maxDepth / 3;
  }
  const words = text.split(' ');
  return page > 1 && words.length > 1 && isWide && [words[0], words.at(-1)].includes(number);
}

/** The share of the page height at each end in which headers and footers are. */
const maxDepth = 0.15;

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

/** 0 at the near edge, 1 at the far edge. */
function depthOf({ baseline }: EdgeLine, { top, bottom }: TextExtent, side: PageEdge): number {
  const span = Math.max(bottom - top, 1);
  return (side === 'top' ? baseline - top : bottom - baseline) / span;
}

function edgesOf({ runs, height }: PageContent, extent: TextExtent, bodySize: number): PageEdges {
  const text = runs.filter(({ isArtifact, baseline }) => !isArtifact && baseline <= height);
  // Chapter headings repeat as well, but they are larger.
  const isSmall = ({ runs: row }: EdgeLine): boolean =>
    [...row].every(({ size }) => size < bodySize * 1.25);
  const rows = rowsOf(text);
  const isEdge = (line: EdgeLine, side: PageEdge): boolean =>
    depthOf(line, extent, side) < maxDepth && isSmall(line);
  return {
    top: rows
      .slice(0, lookedAt)
      .map(edgeLine)
      .filter((line) => isEdge(line, 'top')),
    bottom: rows
      .slice(-lookedAt)
      .reverse()
      .map(edgeLine)
      .filter((line) => isEdge(line, 'bottom')),
  };
}

/** Runs on one baseline. */
interface EdgeRow {
  readonly baseline: number;
  readonly runs: TextRun[];
}

function rowsOf(runs: readonly TextRun[]): EdgeRow[] {
  const rows: EdgeRow[] = [];
  for (const run of [...runs].sort((a, b) => a.baseline - b.baseline)) {
    const last = rows.at(-1);
    if (last !== undefined && run.baseline - last.baseline < run.size * 0.3) last.runs.push(run);
    else rows.push({ baseline: run.baseline, runs: [run] });
  }
  return rows;
}

function edgeLine({ baseline, runs }: EdgeRow): EdgeLine {
  const text = rowText(runs);
  return { baseline, runs: new Set(runs), text, pattern: patternOf(text), isWide: hasGap(runs) };
}

/** True for a gap of several letters. */
function hasGap(row: readonly TextRun[]): boolean {
  const sorted = [...row].sort((a, b) => a.left - b.left);
  return sorted.some((run, at) => run.left - (sorted[at - 1]?.right ?? run.left) > run.size * 3);
}

function rowText(row: readonly TextRun[]): string {
  const sorted = [...row].sort((a, b) => a.left - b.left);
  return sorted
    .map((run, at) => {
      const before = sorted[at - 1];
      return before !== undefined && isApart(before, run) ? ` ${run.text}` : run.text;
    })
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Numbers come first: left and right pages have them on different sides. */
function patternOf(text: string): string {
  const words = text.toLowerCase().split(' ');
  const isNumber = (word: string | undefined): boolean => /^(?:\d+|[ivxlc]+)$/.test(word ?? '');
  if (words.length === 1 && isNumber(words[0])) return '#';
  if (isNumber(words.at(-1))) words.unshift(words.pop() ?? '');
  if (isNumber(words[0])) words[0] = '#';
  return words.join(' ').replace(/\d+/g, '#');
}
