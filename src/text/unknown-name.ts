/** What is said of a name that does not exist: the one that was meant, or those that there are. */
import { distance } from 'fastest-levenshtein';

/** The name in `known` that looks most like `name`, if any is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({
      candidate,
      edits: distance(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.max(2, Math.floor(name.length / 3))
    ? best.candidate
    : undefined;
}

/**
 * `unknown option "fomat"; did you mean "format"?`, or the list of those that there are. `at` stands before
 * each of the names.
 */
export function unknownName(what: string, name: string, known: readonly string[], at = ''): string {
  const similar = nearest(name, known);
  const hint =
    similar !== undefined
      ? `did you mean "${at}${similar}"?`
      : known.length === 0
        ? `there is no ${what} here`
        : `known: ${known.map((one) => at + one).join(', ')}`;
  return `unknown ${what} "${at}${name}"; ${hint}`;
}

/** Throws an `Error` that names the first of `others`, what of an object of options is not known. */
export function refuseUnknown(others: object, known: readonly string[], at = ''): void {
  const [unexpected] = Object.keys(others);
  if (unexpected === undefined) return;
  throw new Error(
    known.length === 0
      ? `it takes no option "${unexpected}"`
      : unknownName('option', unexpected, known, at),
  );
}
