/** Path patterns of robots.txt: `*` stands for anything, a final `$` for the end. */

/** A pattern that is ready to be compared. */
export interface RobotsPattern {
  /** Octets of the pattern as written, wildcards included. */
  readonly length: number;
  /** True when a comparison may look at all of the path, not only at its beginning. */
  readonly scans: boolean;
  /** Compares with a path and query in the same spelling, where `*` and `$` are `%2A` and `%24`. */
  readonly matches: (path: string) => boolean;
}

/**
 * A pattern matches what it is the beginning of. Each literal piece is looked for once, from left
 * to right, and the first place it is found is taken: no backtracking, whatever the pattern.
 */
export function compilePattern(pattern: string): RobotsPattern {
  const atEnd = pattern.endsWith('$');
  const [first = '', ...rest] = (atEnd ? pattern.slice(0, -1) : pattern)
    .replaceAll('$', '%24')
    .split('*');
  const pieces = rest.filter(
    (piece, index) => piece !== '' || (atEnd && index === rest.length - 1),
  );
  const last = atEnd ? pieces.pop() : undefined;
  const matches = (path: string): boolean => {
    if (!path.startsWith(first)) return false;
    let position = first.length;
    for (const piece of pieces) {
      const found = path.indexOf(piece, position);
      if (found < 0) return false;
      position = found + piece.length;
    }
    if (!atEnd) return true;
    if (last === undefined) return position === path.length;
    return path.endsWith(last) && path.length - last.length >= position;
  };
  return { length: pattern.length, scans: pieces.length > 0, matches };
}
