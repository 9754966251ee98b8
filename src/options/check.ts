/** From what a caller wrote to a checked value, or to an error that says what to change. */
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { ValidationError, type ValidationIssue } from '../errors.ts';
import { preview } from '../text/preview.ts';

/** Checks `input` against `schema`; throws `ValidationError` with every issue found. */
export function check<S extends z.ZodType>(
  subject: string,
  schema: S,
  input: unknown,
): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw new ValidationError(
    subject,
    result.error.issues.flatMap((issue) => describe(issue, schema)),
  );
}

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

/** `unknown option "fomat"; did you mean "format"?` or the list of what is known. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const similar = nearest(name, known);
  const hint = similar === undefined ? `known: ${known.join(', ')}` : `did you mean "${similar}"?`;
  return `unknown ${what} "${name}"; ${hint}`;
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType): ValidationIssue[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  const at = formatPath(path);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: unknownName('option', formatPath([...path, key]), prefixed(path, known)),
    }));
  }
  const text = issue.code === 'custom' ? issue.message : expectation(issue);
  return [{ path, message: at === '' ? text : `${at}: ${text}` }];
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const expected = issue.errors.flatMap((errors) => errors.map((error) => plain(error.message)));
    return `${[...new Set(expected)].join(' or ')}, got ${preview(issue.input)}`;
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => plain(inner.message)).join('; ');
  }
  return isSecret(issue.path)
    ? plain(issue.message)
    : `${plain(issue.message)}, got ${preview(issue.input)}`;
}

/** Headers carry tokens: their values are not repeated, where they might be logged. */
function isSecret(path: readonly PropertyKey[]): boolean {
  return path.includes('headers') && path.at(-1) !== 'headers';
}

/** zod's message without its heading and its own word on what was received. */
function plain(message: string): string {
  return message
    .replace(/^(Invalid input|Invalid option|Too small|Too big|Invalid string): /, '')
    .replace(/, received .*$/, '');
}

/** The keys of the object schema at `path`. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = unwrap(schema);
  for (const part of path) {
    if (current instanceof z.ZodObject) current = unwrap(current.shape[String(part)]);
    else if (current instanceof z.ZodArray) current = unwrap(current.element);
    else return [];
  }
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner;
}

function prefixed(path: readonly (string | number)[], keys: readonly string[]): string[] {
  return keys.map((key) => formatPath([...path, key]));
}

function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`,
    '',
  );
}
