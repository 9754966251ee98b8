/** Determines the style of a file's body text, and the sizes of its headings. */
import type { PageContent, TextRun } from './geometry.ts';

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
  /** Bold lines that stand in the file several times: labels such as "Note", and no headings. */
  readonly labels: ReadonlySet<string>;
}

/** Limit of heading levels by size; bold headings in the body's size come below them. */
const maxSizes = 4;

/** Limits of labels: their length, and how often one stands in the file. */
const maxLabel = 60;
const leastLabels = 3;

/** The share of lines that begin at the left edge: headers and headings may be further left. */
const leastLines = 0.08;

export function bodyStyleOf(pages: readonly PageContent[]): BodyStyle {
  const weights = new Map<number, number>();
  let [all, bold, mono] = [0, 0, 0];
  for (const { text, size, font } of pages.flatMap(textRuns)) {
    const key = Math.round(size * 2) / 2;
    weights.set(key, (weights.get(key) ?? 0) + text.length);
    all += text.length;
    if (font.isBold) bold += text.length;
    if (font.isMono) mono += text.length;
  }
  const size = [...weights].reduce((best, one) => (one[1] > best[1] ? one : best), [10, 0])[0];
  const larger = [...weights]
    .filter(([one, weight]) => one >= size * 1.12 && weight < all * 0.2 && weight >= 2)
    .map(([one]) => one)
    .sort((a, b) => b - a);
  return {
    size,
    isBold: bold > all * 0.5,
    isMono: mono > all * 0.6,
    headingSizes: groups(larger).slice(0, maxSizes),
    ...linesOf(pages, size),
  };
}

function textRuns({ runs }: PageContent): readonly TextRun[] {
  return runs.filter(({ isArtifact }) => !isArtifact);
}

/** What the lines of the text's size tell: where they begin, and which bold ones are repeated. */
function linesOf(pages: readonly PageContent[], size: number): Pick<BodyStyle, 'lefts' | 'labels'> {
  const starts = [new Map<number, number>(), new Map<number, number>()] as const;
  const bold = new Map<string, number>();
  for (const page of pages) {
    const lines = new Map<number, TextRun[]>();
    for (const run of textRuns(page)) {
      const line = lines.get(Math.round(run.baseline));
      if (line === undefined) lines.set(Math.round(run.baseline), [run]);
      else line.push(run);
    }
    for (const line of lines.values()) {
      const [first, ...others] = line.sort((a, b) => a.left - b.left);
      if (first === undefined || Math.abs(first.size - size) > size * 0.1) continue;
      const text = line.map((run) => run.text.trim()).join(' ');
      if (first.font.isBold) {
        const isLabel = text.length <= maxLabel && others.every(({ font }) => font.isBold);
        if (isLabel) bold.set(text, (bold.get(text) ?? 0) + 1);
      } else if (!first.font.isMono) {
        const edges = page.number % 2 === 0 ? starts[0] : starts[1];
        const edge = Math.round(first.left);
        edges.set(edge, (edges.get(edge) ?? 0) + 1);
      }
    }
  }
  const labels = [...bold].filter(([, count]) => count >= leastLabels).map(([text]) => text);
  return { lefts: [leftEdge(starts[0]), leftEdge(starts[1])], labels: new Set(labels) };
}

/** The leftmost edge at which many lines begin. */
function leftEdge(starts: ReadonlyMap<number, number>): number {
  const all = [...starts.values()].reduce((sum, count) => sum + count, 0);
  const edges = [...starts].filter(([, count]) => count >= all * leastLines);
  return edges.length === 0 ? 0 : Math.min(...edges.map(([edge]) => edge));
}

/** Merges sizes that hardly differ. */
function groups(sizes: readonly number[]): number[] {
  const kept: number[] = [];
  for (const size of sizes) {
    const last = kept.at(-1);
    if (last === undefined || size < last * 0.94) kept.push(size);
  }
  return kept;
}

/** The level of a heading of this size, from 1; undefined for text no larger than the body's. */
export function levelOfSize(
  size: number,
  { size: body, headingSizes }: BodyStyle,
): number | undefined {
  if (size < body * 1.1) return undefined;
  const at = headingSizes.findIndex((one) => size >= one * 0.94);
  return at < 0 ? (headingSizes.length === 0 ? undefined : headingSizes.length) : at + 1;
}
