/** Determines the style of a file's body text, and the sizes of its headings. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import { median, type PageContent, type Segment, type TextRun } from './geometry.ts';
import { titleLines } from './outline.ts';
import { segmentOf } from './page-layout.ts';

const limits = {
  sizes: 6, // heading levels by size; bold headings in the body's size come below them
  label: 60, // characters
  leastLabels: 3, // occurrences of a label in the file
  leastHanging: 4, // bold lines left of the text that are headings
  leastLines: 0.08, // share of lines at the left edge: headers and headings may be further left
};

/** The reference for recognising headings, notes and code. */
export interface BodyStyle {
  /** Font size of most text. */
  readonly size: number;
  /** True when most text is bold or monospaced: the style then has no meaning. */
  readonly isBold: boolean;
  readonly isMono: boolean;
  /** Larger sizes, the largest first: levels of headings. */
  readonly headingSizes: readonly number[];
  /** The left edge of the text in points, on pages with even and odd numbers. */
  readonly lefts: readonly [number, number];
  /** The left edge of bold headings on such pages; undefined unless they are left of the text. */
  readonly hanging?: readonly [number, number] | undefined;
  /** Bold lines that occur several times in the file: labels such as "Note", not headings. */
  readonly labels: ReadonlySet<string>;
  /** Styles of the file's outline; undefined without one. */
  readonly outline?: OutlineStyle | undefined;
}

/** Style of the titles of the outline. */
export interface OutlineStyle {
  /** The level of its topmost titles. */
  readonly top: number;
  /** The usual depth of titles by `styleKey`, and the share of lines in that style that are titles. */
  readonly styles: ReadonlyMap<string, { readonly depth: number; readonly share: number }>;
}

export function bodyStyleOf(pages: readonly PageContent[]): BodyStyle {
  const weights = new Map<number, number>();
  let [all, bold, mono] = [0, 0, 0];
  for (const { text, size, font } of pages.flatMap(textRuns)) {
    const key = Math.round(size * 2) / 2;
    if (hasLetters(text)) weights.set(key, (weights.get(key) ?? 0) + text.length);
    all += text.length;
    if (font.isBold) bold += text.length;
    if (font.isMono) mono += text.length;
  }
  const size = [...weights].reduce((best, one) => (one[1] > best[1] ? one : best), [10, 0])[0];
  const larger = [...weights]
    .filter(([one, weight]) => one >= size * 1.12 && weight < all * 0.2 && weight >= 2)
    .map(([one]) => one)
    .sort((a, b) => b - a);
  const sizes = groups(larger).slice(0, limits.sizes);
  const outline = outlineStyleOf(pages, { size, headingSizes: sizes });
  const top = outline?.top ?? 1;
  return {
    size,
    isBold: bold > all * 0.5,
    isMono: mono > all * 0.6,
    // Only the lines of a title page are larger than the headings of the outline.
    headingSizes: top > 2 ? [...sizes.slice(0, 1), ...sizes.slice(top - 1)] : sizes,
    ...linesOf(pages, size),
    outline: outline && { ...outline, top: Math.min(top, 2) },
  };
}

/** Style of the lines that are titles of the outline; undefined without any. */
function outlineStyleOf(
  pages: readonly PageContent[],
  body: Pick<BodyStyle, 'size' | 'headingSizes'>,
): OutlineStyle | undefined {
  if (!pages.some(({ titles = [] }) => titles.length > 0)) return undefined;
  const counts = new Map<string, { lines: number; readonly depths: number[] }>();
  const tops: number[] = [];
  for (const page of pages) {
    const lines = [...baselinesOf(page).values()]
      .map(segmentOf)
      .sort((a, b) => a.baseline - b.baseline);
    const titles = titleLines(lines, page.titles ?? []);
    for (const line of lines) {
      const key = styleKey(line);
      const count = getOrInsert(counts, key, () => ({ lines: 0, depths: [] }));
      count.lines += 1;
      const depth = titles.get(line)?.depth;
      if (depth !== undefined) count.depths.push(depth);
      if (depth === 1) tops.push(levelOfSize(line.size, body) ?? body.headingSizes.length + 1);
    }
  }
  const styles = [...counts].flatMap(([key, { lines, depths }]) =>
    depths.length === 0
      ? []
      : [[key, { depth: median(depths), share: depths.length / lines }] as const],
  );
  return { top: tops.length === 0 ? 1 : median(tops), styles: new Map(styles) };
}

/** The style of a line, as far as it distinguishes headings. */
export function styleKey({ size, runs }: Segment): string {
  return `${Math.round(size * 2) / 2} ${runs.every(({ font }) => font.isBold)}`;
}

/** True for letters; lone accents do not count. */
export function hasLetters(text: string): boolean {
  return /[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]/u.test(text);
}

function textRuns({ runs }: PageContent): readonly TextRun[] {
  return runs.filter(({ isArtifact }) => !isArtifact);
}

/** Facts from the lines of the text's size: where they begin, and which bold ones are repeated. */
function linesOf(
  pages: readonly PageContent[],
  size: number,
): Pick<BodyStyle, 'lefts' | 'hanging' | 'labels'> {
  const boldStarts: [number[], number[]] = [[], []];
  const starts = [new Map<number, number>(), new Map<number, number>()] as const;
  const bold = new Map<string, number>();
  for (const page of pages) {
    for (const line of baselinesOf(page).values()) {
      const [first, ...others] = line.sort((a, b) => a.left - b.left);
      if (first === undefined || Math.abs(first.size - size) > size * 0.1) continue;
      const text = line.map((run) => run.text.trim()).join(' ');
      if (first.font.isBold) {
        const isLabel = text.length <= limits.label && others.every(({ font }) => font.isBold);
        if (isLabel) bold.set(text, (bold.get(text) ?? 0) + 1);
        if (isLabel && hasLetters(text)) boldStarts[page.number % 2 === 0 ? 0 : 1].push(first.left);
      } else if (!first.font.isMono) {
        const edges = page.number % 2 === 0 ? starts[0] : starts[1];
        const edge = Math.round(first.left);
        edges.set(edge, (edges.get(edge) ?? 0) + 1);
      }
    }
  }
  const labels = [...bold].filter(([, count]) => count >= limits.leastLabels).map(([text]) => text);
  const lefts = [leftEdge(starts[0]), leftEdge(starts[1])] as const;
  return { lefts, hanging: hangingEdges(boldStarts, lefts, size), labels: new Set(labels) };
}

/** The leftmost edges of bold lines left of the text; undefined if there are few. */
function hangingEdges(
  starts: readonly [readonly number[], readonly number[]],
  lefts: readonly [number, number],
  size: number,
): readonly [number, number] | undefined {
  const [even, odd] = [0, 1].map((side) =>
    (starts[side] ?? []).filter((start) => start < (lefts[side] ?? 0) - size * 0.8),
  );
  if (even === undefined || odd === undefined) return undefined;
  if (even.length + odd.length < limits.leastHanging) return undefined;
  return [Math.min(...even), Math.min(...odd)];
}

function baselinesOf(page: PageContent): Map<number, TextRun[]> {
  const lines = new Map<number, TextRun[]>();
  for (const run of textRuns(page)) {
    getOrInsert(lines, Math.round(run.baseline), () => []).push(run);
  }
  return lines;
}

/** The leftmost edge at which many lines begin. */
function leftEdge(starts: ReadonlyMap<number, number>): number {
  const all = [...starts.values()].reduce((sum, count) => sum + count, 0);
  const edges = [...starts].filter(([, count]) => count >= all * limits.leastLines);
  return edges.length === 0 ? 0 : Math.min(...edges.map(([edge]) => edge));
}

/** Merges sizes that hardly differ. */
function groups(sizes: readonly number[]): number[] {
  const distinct: number[] = [];
  for (const size of sizes) {
    const last = distinct.at(-1);
    if (last === undefined || size < last * 0.94) distinct.push(size);
  }
  return distinct;
}

/** The level of a heading of this size, from 1; undefined for text no larger than the body's. */
export function levelOfSize(
  size: number,
  { size: body, headingSizes }: Pick<BodyStyle, 'size' | 'headingSizes'>,
): number | undefined {
  if (size < body * 1.1) return undefined;
  const at = headingSizes.findIndex((one) => size >= one * 0.94);
  return at < 0 ? (headingSizes.length === 0 ? undefined : headingSizes.length) : at + 1;
}
