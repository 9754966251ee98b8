/** The text of a page as runs: where each piece stands, in which font, under which mark. */
import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { TextRun } from './geometry.ts';
import { cleanText } from './clean-text.ts';
import { plainStyle } from './font-style.ts';
import { PageLimit } from './page-limit.ts';

type Chunk = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;
type Item = Chunk['items'][number];
type TextItem = Extract<Item, { str: string }>;

/** What is read of a page's text, before its fonts are known. */
export interface RawText {
  readonly runs: readonly RawRun[];
  /** What pdf.js takes each font for. */
  readonly families: ReadonlyMap<string, string>;
}

/** A run that names its font. */
export interface RawRun extends TextRun {
  readonly fontName: string;
  /** Radians, of the line it stands on. */
  readonly angle: number;
}

/** Of one page. */
export interface TextLimits {
  /** Characters. */
  readonly characters: number;
  /** Pieces of text. */
  readonly runs: number;
  /** Milliseconds. */
  readonly time: number;
}

/** Reads all text of a page; throws a `PageLimit`. */
export async function readRuns(page: PDFPageProxy, limits: TextLimits): Promise<RawText> {
  const collector = new Collector(page);
  const end = performance.now() + limits.time;
  const stream = page.streamTextContent({
    includeMarkedContent: true,
  }) as ReadableStream<Chunk>;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      collector.add(value);
      if (collector.characters > limits.characters) {
        throw new PageLimit(`it has more than ${limits.characters} characters`);
      }
      if (collector.runs.length > limits.runs) {
        throw new PageLimit(`it has more than ${limits.runs} pieces of text`);
      }
      if (performance.now() > end) throw new PageLimit(`it took more than ${limits.time} ms`);
    }
  } catch (error) {
    await reader.cancel(new Error('The page is left out.')).catch(() => undefined);
    throw error;
  }
  return { runs: collector.runs, families: collector.families };
}

/** Where marked content begins or ends, as pdf.js gives it. */
interface Mark {
  readonly type: string;
  readonly id?: unknown;
  readonly tag?: unknown;
}

class Collector {
  readonly runs: RawRun[] = [];
  readonly families = new Map<string, string>();
  characters = 0;
  /** The marks that are open; undefined for one without a number. */
  readonly #marks: { content: string | undefined; isArtifact: boolean }[] = [];
  readonly #transform: readonly number[];
  #afterSpace = false;

  constructor(page: PDFPageProxy) {
    this.#transform = page.getViewport({ scale: 1 }).transform;
  }

  add({ items, styles }: Chunk): void {
    for (const [name, style] of Object.entries(styles)) this.families.set(name, style.fontFamily);
    for (const item of items) {
      if ('str' in item) this.#text(item);
      else this.#mark(item);
    }
  }

  #mark({ type, id, tag }: Mark): void {
    if (type === 'endMarkedContent') {
      this.#marks.pop();
      return;
    }
    const outer = this.#marks.at(-1);
    const isNamed = typeof id === 'string';
    this.#marks.push({
      content: isNamed ? id : outer?.content,
      isArtifact: tag === 'Artifact' || (!isNamed && outer?.isArtifact === true),
    });
  }

  #text({ str, width, transform, fontName, hasEOL }: TextItem): void {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = multiply(
      this.#transform,
      transform as number[],
    );
    const text = cleanText(str);
    if (text.trim() !== '' && [e, f, width].every(isOnPaper)) {
      this.characters += text.length;
      const angle = Math.atan2(b, a);
      const scale = Math.hypot(this.#transform[0] ?? 1, this.#transform[1] ?? 0);
      const [along, across] = [Math.cos(angle), Math.sin(angle)];
      const left = e * along + f * across;
      const mark = this.#marks.at(-1);
      this.runs.push({
        text,
        left,
        right: left + Math.abs(width) * scale,
        baseline: f * along - e * across,
        size: Math.hypot(c, d) || Math.hypot(a, b) || 1,
        font: plainStyle,
        fontName,
        angle,
        order: this.runs.length,
        afterSpace: this.#afterSpace || /^\s/.test(text),
        content: mark?.content,
        isArtifact: mark?.isArtifact === true,
      });
      this.#afterSpace = /\s$/.test(text);
    } else if (text !== '') this.#afterSpace = true;
    if (hasEOL) this.#afterSpace = true;
  }
}

/** Points: a PDF may name places that no computer can tell from their neighbours. */
export function isOnPaper(value: number): boolean {
  return Math.abs(value) < 1e6;
}

/** The first transformation after the second (ISO 32000-1, 8.3.4). */
export function multiply(first: readonly number[], second: readonly number[]): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = first;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = second;
  return [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ];
}
