/** What a schema's `x-transform` does with the texts that its selector found, in the order it is written. */
import { compileLinear } from '../../text/linear-pattern.ts';
import { oneLine } from '../../text/one-line.ts';
import { absoluteUrl } from '../structured-data/property-value.ts';
import { coerceNumber } from './coerce-number.ts';
import { isSchemaObject, type JsonSchema } from './json-schema.ts';
import type { TextLocale } from './text-locale.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** What a text is read with. */
export interface TransformContext {
  readonly locale: TextLocale;
  readonly baseUrl: string;
}

/** From the texts of the matches to the texts that become the value or the list. */
export type Transform = (texts: readonly string[], context: TransformContext) => string[];

const known =
  '"trim", "lowercase", "uppercase", "number", "date", "url", { regex, group?, flags? }, { split }, { join }';
const maxSteps = 20;
/** A cell may hold a list, not a book of entries. */
const maxParts = 10_000;

/** What is wrong with an `x-transform`, or undefined. */
export function transformProblem(schema: JsonSchema): string | undefined {
  const given = schema['x-transform'];
  if (given === undefined) return undefined;
  if (schema['x-selector'] === undefined && schema['x-attribute'] === undefined) {
    return 'it changes what a selector finds: it needs x-selector or x-attribute beside it';
  }
  const isObject = [schema.type].flat().includes('object') || schema.properties !== undefined;
  if (isObject) return 'it is for texts and lists of them; this is an object';
  if (isSchemaObject(schema.items) && schema.items.properties !== undefined) {
    return 'it is for texts and lists of them; these items are objects';
  }
  const steps = [given].flat() as unknown[];
  if (steps.length > maxSteps) return `at most ${maxSteps} steps`;
  for (const step of steps) {
    const compiled = compileStep(step);
    if (typeof compiled === 'string') return compiled;
    const splits = isSchemaObject(step) && step.split !== undefined;
    const isList = [schema.type].flat().includes('array') || schema.items !== undefined;
    if (splits && !isList) return 'split makes a list; the type here is not "array"';
  }
  return undefined;
}

/** The steps as one function, compiled once for a schema; undefined where it has none. */
export function transformsOf(): (schema: JsonSchema) => Transform | undefined {
  const compiled = new WeakMap<JsonSchema, Transform>();
  return (schema) => {
    const given = schema['x-transform'];
    if (given === undefined) return undefined;
    let transform = compiled.get(schema);
    if (transform === undefined) {
      const steps = ([given].flat() as unknown[])
        .map(compileStep)
        .filter((step) => typeof step !== 'string');
      transform = (texts, context) =>
        steps.reduce<string[]>((current, step) => step(current, context), [...texts]);
      compiled.set(schema, transform);
    }
    return transform;
  };
}

/** The step, or what is wrong with it. */
function compileStep(step: unknown): Transform | string {
  if (typeof step === 'string') {
    const read = Object.hasOwn(named, step) ? named[step] : undefined;
    if (read === undefined) return `${JSON.stringify(step)} is not known; known: ${known}`;
    return (texts, context) => texts.flatMap((text) => read(text, context) ?? []);
  }
  if (!isSchemaObject(step)) return `expected one of ${known}, got ${JSON.stringify(step)}`;
  const { regex, group, flags, split, join, ...rest } = step as Record<string, unknown>;
  const kinds = [regex, split, join].filter((kind) => kind !== undefined);
  const [unexpected] = Object.keys(rest);
  if (unexpected !== undefined) return `unknown key "${unexpected}"; known: ${known}`;
  const [kind] = kinds;
  if (kinds.length !== 1 || typeof kind !== 'string') {
    return `expected one of ${known}, each a string, got ${JSON.stringify(step)}`;
  }
  if (regex === undefined && (group !== undefined || flags !== undefined)) {
    return '"group" and "flags" belong to regex';
  }
  if (regex !== undefined) return compileRegex(kind, group, flags);
  if (split === '') return '"split" needs a text to split at';
  if (split !== undefined) {
    return (texts) =>
      texts
        .flatMap((text) => text.split(kind, maxParts))
        .map(oneLine)
        .filter((text) => text !== '')
        .slice(0, maxParts);
  }
  return (texts) => (texts.length === 0 ? [] : [texts.join(kind)]);
}

const named: Readonly<
  Record<string, (text: string, context: TransformContext) => string | undefined>
> = {
  trim: oneLine,
  lowercase: (text) => text.toLowerCase(),
  uppercase: (text) => text.toUpperCase(),
  number: (text, { locale }) =>
    coerceNumber(text, { language: locale.language, unit: undefined })?.toString(),
  date: (text, { locale }) => locale.readDate(text)?.date,
  url: (text, { baseUrl }) => (canParseUrl(text, baseUrl) ? absoluteUrl(text, baseUrl) : undefined),
};

function compileRegex(source: string, group: unknown, flags: unknown): Transform | string {
  if (flags !== undefined && (typeof flags !== 'string' || !/^[ims]*$/.test(flags))) {
    return `"flags" may have i, m and s, got ${JSON.stringify(flags)}`;
  }
  const pattern = compileLinear(source, flags ?? '');
  if (pattern === undefined) {
    return `${JSON.stringify(source)} is not a regular expression of RE2: it has no look-around and no back references`;
  }
  const count = pattern.groupCount();
  const wanted = group ?? Math.min(1, count);
  if (typeof wanted !== 'number' || !Number.isInteger(wanted) || wanted < 0 || wanted > count) {
    return `"group" is a whole number from 0 to ${count}, the groups of the pattern, got ${JSON.stringify(group)}`;
  }
  return (texts) =>
    texts.flatMap((text) => {
      const matcher = pattern.matcher(text);
      return matcher.find() ? (matcher.group(wanted) ?? []) : [];
    });
}
