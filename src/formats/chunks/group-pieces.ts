/** Which pieces make a passage: sections first, then the best places inside of them. */
import { partedSentences, type Piece } from './pieces.ts';

/** Pieces `from` up to, not including, `to`. */
export interface Group {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  /** True when the section was cut before it, so that it may repeat the end of the group before. */
  readonly isCut: boolean;
}

/** What groups must keep to. */
export interface Bounds {
  readonly maxTokens: number;
  /** Kept free for what is repeated. */
  readonly overlap: number;
  /** True when the text of these pieces has no more tokens than `maxTokens` after all. */
  fits(from: number, to: number): boolean;
}

/**
 * A section is a group if it fits, else its subsections and parts of its text are. Groups with less
 * than a quarter of `maxTokens` join a neighbour under the same heading. Headings stay with what
 * comes after them.
 */
export function groupPieces(pieces: readonly Piece[], bounds: Bounds): Group[] {
  const sums = [0];
  for (const { tokens } of pieces) sums.push((sums.at(-1) ?? 0) + tokens);
  return new Grouping(pieces, sums, bounds).section(0, pieces.length);
}

class Grouping {
  readonly #pieces: readonly Piece[];
  /** Tokens before each piece. */
  readonly #sums: readonly number[];
  readonly #bounds: Bounds;

  constructor(pieces: readonly Piece[], sums: readonly number[], bounds: Bounds) {
    this.#pieces = pieces;
    this.#sums = sums;
    this.#bounds = bounds;
  }

  /** Goes down one level of headings at a time: there are six. */
  section(from: number, to: number): Group[] {
    const starts = this.#subsections(from, to);
    if (starts.length === 0) return this.#cut(from, to);
    const groups: Group[] = [];
    let start = from;
    for (const end of [...starts, to]) {
      // Headings with nothing below them stand above the next section.
      if (this.#contentStart(start, end) === end && end < to) continue;
      groups.push(...this.section(start, end));
      start = end;
    }
    return this.#joinSmall(groups);
  }

  /** The headings of the highest level in there, apart from those that it begins with. */
  #subsections(from: number, to: number): number[] {
    let level = 7;
    const starts: number[] = [];
    for (let at = this.#contentStart(from, to); at < to; at++) {
      const piece = this.#pieces[at];
      if (piece?.kind !== 'heading' || piece.level > level) continue;
      if (piece.level < level) starts.length = 0;
      level = piece.level;
      starts.push(at);
    }
    return starts;
  }

  /** The first piece that is no heading. */
  #contentStart(from: number, to: number): number {
    let at = from;
    while (at < to && this.#pieces[at]?.kind === 'heading') at++;
    return at;
  }

  /** Parts of about the same size, cut where the least is parted. */
  #cut(from: number, to: number): Group[] {
    const groups: Group[] = [];
    const { maxTokens, overlap, fits } = this.#bounds;
    for (let start = from; start < to;) {
      const isCut = start > from;
      const room = isCut ? maxTokens - overlap : maxTokens;
      let end = this.#bestEnd(start, to, room);
      // Counted exactly, the whole may have more tokens than its pieces.
      while (end > start + 1 && !fits(start, end)) end--;
      groups.push(this.#group(start, end, isCut));
      start = end;
    }
    return groups;
  }

  #bestEnd(from: number, to: number, room: number): number {
    const all = this.#tokens(from, to);
    if (all <= room) return to;
    const target = all / Math.ceil(all / room);
    let best = from + 1;
    let least = Infinity;
    for (let end = from + 1; end < to; end++) {
      const tokens = this.#tokens(from, end);
      if (tokens > room) break;
      const loss = this.#loss(end) + Math.abs(tokens - target) / target;
      // Of two that are as good the later one is nearer to what was asked for.
      if (loss <= least) {
        least = loss;
        best = end;
      }
    }
    return best;
  }

  /** What a cut before the piece costs, beside a distance of 1 for a group that would be empty. */
  #loss(at: number): number {
    const { depth = 0 } = this.#pieces[at] ?? {};
    const parted = depth >= partedSentences ? 0.6 + (depth - partedSentences) * 0.2 : depth * 0.08;
    const before = this.#pieces[at - 1];
    const parting = before?.kind === 'heading' ? 2 : before?.leadsOn === true ? 0.4 : 0;
    return Math.min(parted, 1) + parting;
  }

  /** Small groups join each other first, then the smaller neighbour. */
  #joinSmall(groups: readonly Group[]): Group[] {
    const bothSmall = this.#joinWhere(groups, (a, b) => this.#isSmall(a) && this.#isSmall(b));
    return this.#joinWhere(bothSmall, (a, b, next) => {
      if (this.#isSmall(a)) return true;
      const isNextBetter = next !== undefined && next.tokens < a.tokens && this.#canJoin(b, next);
      return this.#isSmall(b) && !isNextBetter;
    });
  }

  #joinWhere(
    groups: readonly Group[],
    wanted: (a: Group, b: Group, next: Group | undefined) => boolean,
  ): Group[] {
    const joined: Group[] = [];
    for (const [index, group] of groups.entries()) {
      const last = joined.at(-1);
      if (
        last !== undefined &&
        this.#canJoin(last, group) &&
        wanted(last, group, groups[index + 1])
      ) {
        joined[joined.length - 1] = this.#group(last.from, group.to, last.isCut);
      } else {
        joined.push(group);
      }
    }
    return joined;
  }

  #isSmall({ tokens }: Group): boolean {
    return tokens < this.#bounds.maxTokens / 4;
  }

  #canJoin(a: Group, b: Group): boolean {
    const { maxTokens, overlap, fits } = this.#bounds;
    const room = a.isCut ? maxTokens - overlap : maxTokens;
    return a.tokens + b.tokens <= room && fits(a.from, b.to);
  }

  #group(from: number, to: number, isCut: boolean): Group {
    return { from, to, tokens: this.#tokens(from, to), isCut };
  }

  #tokens(from: number, to: number): number {
    return (this.#sums[to] ?? 0) - (this.#sums[from] ?? 0);
  }
}
