/** Parsers of option values: text to numbers, lists and objects. A value that cannot be parsed is a usage error. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../core/checks/duration.ts';

/** Parses a number; its range is checked with the other options. */
export function numberValue(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new InvalidArgumentError('Expected a number.');
  }
  return value;
}

/** Parses milliseconds, or a number with its unit such as `30s`; the range is checked with the other options. */
export function durationValue(text: string): number {
  const value = parseDuration(text) ?? Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new InvalidArgumentError('Expected milliseconds, or a time such as 30s, 15m or 2h.');
  }
  return value;
}

/** Parses seconds, or a number with its unit such as `500ms`. */
export function secondsValue(text: string): number {
  const time = parseDuration(text);
  return time === undefined ? numberValue(text) : time / 1000;
}

/** Parses `a,b`; repeatable. */
export function listValue(text: string, before: readonly string[] = []): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...before, ...names.filter((name) => name !== '')];
}

/** Parses one value; repeatable. */
export function repeatedValue(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Parses `Name: value`; repeatable. */
export function headerValue(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [name, value] = splitOnce(text, text.indexOf(':'), 'Write it as "Name: value".');
  return { ...before, [name.trim()]: value.trim() };
}

/** Parses `https://docs.test=folder`; repeatable. */
export function siteFolder(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [origin, folder] = splitOnce(text, text.indexOf('='), 'Write it as origin=folder.');
  return { ...before, [origin]: folder };
}

/** Parses `name=1,other=2`; repeatable. */
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

/** A selector of the attributes format. */
export interface AttributeSelector {
  readonly selector: string;
  readonly attribute: string;
}

/** Parses `a.download@href`; repeatable. */
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

/** Text, or with `@` before it the bytes of the file of that name; `@-` is stdin. */
export function dataValue(text: string): string | Uint8Array {
  if (!text.startsWith('@')) return text;
  return tried(() => readFileSync(text === '@-' ? 0 : text.slice(1)));
}

/** JSON, as text or in a file as for `dataValue`. */
export function jsonData(text: string): unknown {
  const source = Buffer.from(dataValue(text))
    .toString('utf8')
    .replace(/^\ufeff/, '');
  return tried(() => JSON.parse(source) as unknown);
}

/** Reads the JSON object in a file. */
export function jsonObject(path: string): Record<string, unknown> {
  const value = jsonData(`@${path}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError('The file does not contain a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Parses a JSON list, or with `@` before it reads the file of that name. */
export function jsonList(text: string): unknown[] {
  const value = jsonData(text);
  if (!Array.isArray(value)) throw new InvalidArgumentError('Expected a JSON list: [{ … }, …].');
  return value;
}

/** Makes a failure to read a value a usage error. */
function tried<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function splitOnce(text: string, at: number, hint: string): [string, string] {
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError(hint);
  return [text.slice(0, at), text.slice(at + 1)];
}
