/** Paths without an end: segments that repeat, relative links that go ever deeper. */
import type { Suspicion, TrapDetector } from './trap.ts';

/** Segments of a path at which going deeper begins to count, and hops that go deeper in a row. */
const deepSegments = 6;
const deepHops = 4;

/** A trap repeats what its own path has already: `/a/b/a/b`, `/en/en/en`; or it goes ever deeper. */
export class PathTraps implements TrapDetector {
  /** Hops in a row that went deeper, of deep paths. */
  readonly #hops = new Map<string, number>();

  suspect(url: URL, parent: URL): Suspicion | undefined {
    const segments = segmentsOf(url.pathname);
    const isBelow = liesBelow(segments, segmentsOf(parent.pathname));
    const cycle = cycleOf(segments);
    if (cycle !== undefined) return { pattern: `/${cycle.join('/')}/…`, isTrap: true };
    const above = new Set(segments.slice(0, -2));
    const [before = '', last = ''] = segments.slice(-2);
    const repeatsBefore = isWord(before) && above.has(before);
    if (isBelow && isWord(last) && (above.has(last) || last === before)) {
      // The page that it began with was part of it.
      return { pattern: `/${before}/${last}/…`, isTrap: repeatsBefore, weight: 2 };
    }
    if (!isBelow || segments.length <= deepSegments) return undefined;
    const hops = (this.#hops.get(parent.href) ?? 0) + 1;
    this.#hops.set(url.href, hops);
    return {
      pattern: `more than ${deepSegments} segments`,
      isTrap: hops >= deepHops,
      // The way here was part of it.
      weight: hops === 1 ? segments.length : 1,
    };
  }
}

/** Numbers repeat by chance: /2024/05/05. */
function isWord(segment: string): boolean {
  return /\p{L}/u.test(segment);
}

function segmentsOf(pathname: string): string[] {
  return pathname.split('/').filter((segment) => segment !== '');
}

/** True when the parent is a directory above. */
function liesBelow(segments: readonly string[], parent: readonly string[]): boolean {
  return segments.length > parent.length && parent.every((segment, at) => segment === segments[at]);
}

/** The one to four segments that a path repeats three times in a row: a, b of /a/b/a/b/a/b. */
function cycleOf(segments: readonly string[]): readonly string[] | undefined {
  for (let length = 1; length <= 4; length++) {
    let same = 0;
    for (let at = length; at < segments.length; at++) {
      same = segments[at] === segments[at - length] ? same + 1 : 0;
      if (same < 2 * length) continue;
      const cycle = segments.slice(at - length + 1, at + 1);
      if (cycle.some(isWord)) return cycle;
    }
  }
  return undefined;
}
