/** Checks an option against its schema; the error says what to change. */
import { z } from 'zod';
import { ValidationError, type ValidationIssue } from '../runtime/errors.ts';
import { redacted } from './option.ts';
import { preview, unknownName } from './option-errors.ts';

/** The place of the checked value among the options of a call. */
export interface CheckContext {
  /** The prefix of all paths. @default [] */
  readonly at?: readonly (string | number)[] | undefined;
  /** Known options that are not in the schema, because they are checked elsewhere. @default [] */
  readonly others?: readonly string[] | undefined;
  /** The replacement for an unknown option, if known. */
  readonly hintFor?: ((name: string, known: readonly string[]) => string | undefined) | undefined;
}

/** Checks `input` against `schema`; throws `ValidationError` with every issue found. */
export function check<S extends z.ZodType>(
  subject: string,
  schema: S,
  input: unknown,
  context: CheckContext = {},
): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw new ValidationError(
    subject,
    result.error.issues.flatMap((issue) => describe(issue, schema, context)),
  );
}

const mostUnknown = 10; // more unknown keys are something else: a browser in place of options

function describe(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  { at = [], others = [], hintFor }: CheckContext,
): ValidationIssue[] {
  const inner = issue.path.filter((part) => typeof part !== 'symbol');
  const path = [...at, ...inner];
  if (issue.code === 'unrecognized_keys') {
    const isTop = inner.length === 0;
    const known = [...knownKeys(schema, inner, issue.input), ...(isTop ? others : [])];
    const prefix = formatPath([...path, '']);
    if (issue.keys.length > mostUnknown) {
      const some = issue.keys.slice(0, 3).join(', ');
      const position = path.length === 0 ? '' : `${formatPath(path)}: `;
      const message = `${position}expected options (${known.join(', ')}), got an object with ${some} and ${issue.keys.length - 3} other unknown keys`;
      return [{ path, message }];
    }
    return issue.keys.map((key) => {
      const hint = isTop ? hintFor?.(key, known) : undefined;
      const message =
        hint === undefined
          ? unknownName('option', key, known, prefix)
          : `unknown option "${prefix}${key}"; ${hint}`;
      return { path: [...path, key], message };
    });
  }
  const hides =
    isSecretOfCaller(path) ||
    inner.some((_, at) =>
      schemasAt(schema, inner.slice(0, at + 1)).some((one) => redacted.has(one)),
    );
  const text = issue.code === 'custom' ? issue.message : expectation(issue, hides);
  const position = formatPath(path);
  return [{ path, message: position === '' ? text : `${position}: ${text}` }];
}

function expectation(issue: z.core.$ZodIssue, hides: boolean): string {
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input') {
    const expected = issue.errors.flatMap((errors) => errors.map((error) => plain(error.message)));
    const wanted = [...new Set(expected)].join(' or ');
    return hides ? wanted : `${wanted}, got ${preview(issue.input)}`;
  }
  if (issue.code === 'invalid_union' && 'options' in issue && issue.discriminator !== undefined) {
    const { options = [], discriminator, input } = issue;
    const known = options.flatMap((option) => (option === undefined ? [] : `"${String(option)}"`));
    const given = (input as Readonly<Record<string, unknown>> | undefined)?.[discriminator];
    return `expected one of ${known.join('|')}, got ${preview(given)}`;
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => plain(inner.message)).join('; ');
  }
  return hides ? plain(issue.message) : `${plain(issue.message)}, got ${preview(issue.input)}`;
}

/** Schemas of a caller's own actions and formats are not marked: these names hold tokens and passwords there, too. */
function isSecretOfCaller(path: readonly PropertyKey[]): boolean {
  if (path.includes('headers') || path.includes('cookies')) return true;
  return path.includes('actions') && path.at(-1) === 'text';
}

/** zod's message without its prefix and its note about the received value. */
function plain(message: string): string {
  return message
    .replace(/^(Invalid input|Invalid option|Too small|Too big|Invalid string): /, '')
    .replace(/, received .*$/, '');
}

/** The keys of the objects that the schema allows at `path`, for this `input`. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[], input: unknown): string[] {
  const objects = schemasAt(schema, path).filter((one) => one instanceof z.ZodObject);
  const fitting = objects.filter((one) => mayBe(one, input));
  return [...new Set(fitting.flatMap((one) => Object.keys(one.shape)))];
}

/** The schemas of the value at `path`, with those that they wrap or choose from. */
function schemasAt(schema: unknown, path: readonly PropertyKey[]): z.ZodType[] {
  if (!(schema instanceof z.ZodType)) return [];
  const [part, ...rest] = path;
  const own = part === undefined ? [schema] : [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return [...own, ...schemasAt(schema.unwrap(), path)];
  }
  if (schema instanceof z.ZodPipe) {
    return [...own, ...schemasAt(schema.in, path), ...schemasAt(schema.out, path)];
  }
  if (schema instanceof z.ZodUnion) {
    return [...own, ...schema.options.flatMap((option) => schemasAt(option, path))];
  }
  if (part === undefined) return own;
  if (schema instanceof z.ZodObject) return schemasAt(schema.shape[String(part)], rest);
  if (schema instanceof z.ZodArray) return schemasAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? schemasAt(schema.valueType, rest) : [];
}

/** False for an object whose literals, such as `type: 'pdf'`, differ from the input's. */
function mayBe(option: z.ZodObject, input: unknown): boolean {
  const given = input as Readonly<Record<string, unknown>>;
  return Object.entries(option.shape as Readonly<Record<string, z.ZodType>>).every(
    ([name, value]) => !isLiteral(value) || value.safeParse(given[name]).success,
  );
}

/** A literal, also an optional one. */
function isLiteral(schema: z.ZodType): boolean {
  const value: unknown = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return value instanceof z.ZodLiteral;
}

/** The error of one option: the problem says what to change. */
export function wrongOption(
  subject: string,
  path: ValidationIssue['path'],
  problem: string,
): ValidationError {
  return new ValidationError(subject, [{ path, message: `${formatPath(path)}: ${problem}` }]);
}

/** `routes[1].match` */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`,
    '',
  );
}
