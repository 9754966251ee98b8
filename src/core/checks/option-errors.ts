/** Messages about wrong options, with the value as a preview and the name that was meant. */
import { inspect } from 'node:util';
import { distance } from 'fastest-levenshtein';

/** The name in `known` that looks most like `name`, if any is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
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
 * `unknown option "fomat"; did you mean "format"?`, or the list of known names. `at` is the prefix of
 * each name.
 */
export function unknownName(what: string, name: string, known: readonly string[], at = ''): string {
  const similar = nearestName(name, known);
  const hint =
    similar !== undefined
      ? `did you mean "${at}${similar}"?`
      : known.length === 0
        ? `there is no ${what} here`
        : `known: ${known.map((one) => at + one).join(', ')}`;
  return `unknown ${what} "${at}${name}"; ${hint}`;
}

/** Throws an `Error` that names the first of `others`, the unknown options of an object. */
export function refuseUnknown(others: object, known: readonly string[], at = ''): void {
  const [unexpected] = Object.keys(others);
  if (unexpected === undefined) return;
  throw new Error(
    known.length === 0
      ? `it takes no option "${unexpected}"`
      : unknownName('option', unexpected, known, at),
  );
}

/** A value as a message shows it: on one line, 60 characters at most. */
export function preview(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 1, breakLength: Infinity });
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

// An option of free text: a question, a query.

const longestTextOption = 10_000;

/** Checks a text option; throws an `Error` that begins with the option's name. */
export function textOption(name: string, value: unknown): string {
  if (typeof value === 'string' && /\S/.test(value) && value.length <= longestTextOption)
    return value;
  throw new Error(
    `${name}: expected a text of 1 to ${longestTextOption} characters, got ${preview(value)}`,
  );
}

/** The problem of the module URL in the `worker` of a format, parser or hook, or undefined. */
export function workerProblem(worker: unknown): string | undefined {
  const isUrl = typeof worker === 'string' && /^(?:file|data|pagewright):/.test(worker);
  return worker === undefined || isUrl
    ? undefined
    : `worker must be the URL of a module, as import.meta.resolve('./module.js') gives, got ${preview(worker)}`;
}
