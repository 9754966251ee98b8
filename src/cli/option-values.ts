/** Parsers of option values: words of a command line become numbers, lists and objects. A word that cannot be read is wrong usage. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** A number; whether it is in range is checked with the other options. */
export function numberValue(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new InvalidArgumentError('It is no number.');
  }
  return value;
}

/** `a,b`, and again for more. */
export function listValue(text: string, before: readonly string[] = []): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...before, ...names.filter((name) => name !== '')];
}

/** One value, and again for more. */
export function repeatedValue(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** `Name: value`, and again for more. */
export function headerValue(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [name, value] = splitOnce(text, text.indexOf(':'), 'Write it as "Name: value".');
  return { ...before, [name.trim()]: value.trim() };
}

/** `https://docs.test=folder`, and again for more. */
export function siteFolder(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [origin, folder] = splitOnce(text, text.indexOf('='), 'Write it as origin=folder.');
  return { ...before, [origin]: folder };
}

/** `name=1,other=2`, and again for more. */
export function namedNumbers(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Record<string, number> {
  const entries = listValue(text).map((entry): [string, number] => {
    const [name, value] = splitOnce(entry, entry.indexOf('='), 'Write it as name=number.');
    return [name, numberValue(value)];
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** What the attributes format looks for. */
export interface AttributeSelector {
  readonly selector: string;
  readonly attribute: string;
}

/** `a.download@href`, and again for more. */
export function attributeSelector(
  text: string,
  before: readonly AttributeSelector[] = [],
): AttributeSelector[] {
  const [selector, attribute] = splitOnce(
    text,
    text.lastIndexOf('@'),
    'Write it as selector@attribute.',
  );
  return [...before, { selector, attribute }];
}

/** The JSON object in a file. */
export function jsonObject(path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError('The file does not hold a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** A JSON list, or with `@` before it the name of a file that holds one. */
export function jsonList(text: string): unknown[] {
  let value: unknown;
  try {
    const source = text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text;
    value = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  if (!Array.isArray(value)) throw new InvalidArgumentError('It is no JSON list: [{ … }, …].');
  return value;
}

function splitOnce(text: string, at: number, hint: string): [string, string] {
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError(hint);
  return [text.slice(0, at), text.slice(at + 1)];
}
