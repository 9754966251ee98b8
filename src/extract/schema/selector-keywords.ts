/** The keywords `x-selector`, `x-attribute` and `x-transform`: values by explicit selectors, and the transforms of their texts. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { DomElement } from '../../content/html/dom.ts';
import { selectByXPath } from '../../content/html/xpath.ts';
import { compileLinear } from '../../core/checks/bounded-pattern.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { absoluteUrl, elementText, elementUrl, propertyValue } from '../facts/element-text.ts';
import type { TextLocale } from '../values/dates.ts';
import { coerceNumber } from '../values/numbers.ts';
import { isSchemaObject, type JsonSchema, type Shape } from './json-schema.ts';

/** True when the schema itself gives its selector or attribute. */
export function isSelected(schema: JsonSchema): boolean {
  return schema['x-selector'] !== undefined || schema['x-attribute'] !== undefined;
}

/** The matches of each alternative; without a selector the element itself. */
export function selectAll(within: DomElement, schema: JsonSchema): DomElement[][] {
  const selector = schema['x-selector'] ?? ':scope';
  return [selector].flat().map((one) => {
    if (one.trim() === ':scope') return [within];
    try {
      const xpath = xpathOf(one);
      if (xpath !== undefined) return selectByXPath(xpath, within);
      return [...within.querySelectorAll(one)];
    } catch (error) {
      if (error instanceof PagewrightError) throw error;
      // Checked when the schema was compiled; a selector that fails here matches nothing.
      return [];
    }
  });
}

/** One of the alternatives as written; for the element itself `outer`, which matched it. */
export function selectorAt(
  schema: JsonSchema,
  index: number,
  outer: string | undefined,
): string | undefined {
  const selector = [schema['x-selector'] ?? ':scope'].flat()[index];
  return selector === undefined || selector.trim() === ':scope' ? outer : selector;
}

/** The path in `xpath://h1`; undefined for a CSS selector. */
export function xpathOf(selector: string): string | undefined {
  return selector.startsWith('xpath:') ? selector.slice('xpath:'.length).trim() : undefined;
}

const urlAttributes = new Set(['href', 'src', 'action', 'poster', 'data', 'cite', 'formaction']);

/** The element's content: the named attribute, else the content for the wanted type. */
export function readElement(
  element: DomElement,
  shape: Shape,
  baseUrl: string,
): string | boolean | undefined {
  const attribute = shape.schema['x-attribute'];
  if (attribute === undefined || attribute === 'text') return contentOf(element, shape, baseUrl);
  if (attribute === 'html') return element.innerHTML;
  const value = element.getAttribute(attribute);
  if (value === null) return undefined;
  // `disabled=""`: the presence is the value.
  if (shape.kind === 'boolean' && (value === '' || value === attribute)) return true;
  return urlAttributes.has(attribute) ? absoluteUrl(value, baseUrl) : value;
}

/** An element's own content for a wanted type: the link for a URL, the datetime for a date. */
export function contentOf(element: DomElement, shape: Shape, baseUrl: string): string {
  const { format = '' } = shape.schema;
  if (/^(uri|url|iri)/.test(format)) return linkOf(element, baseUrl) ?? elementText(element);
  if (format === 'date' || format === 'date-time') {
    const time = element.localName === 'time' ? element : element.querySelector('time[datetime]');
    const machine = time?.getAttribute('datetime') ?? element.getAttribute('content');
    return machine ?? elementText(element);
  }
  if (element.localName === 'input') return element.getAttribute('value') ?? '';
  if (shape.kind === 'string' && !isMute(element)) return elementText(element);
  return propertyValue(element, baseUrl);
}

/** The element's own URL, or the URL of its only link or image. */
function linkOf(element: DomElement, baseUrl: string): string | undefined {
  const own = elementUrl(element, baseUrl);
  if (own !== undefined) return own;
  for (const selector of ['a[href]', 'img[src]']) {
    const [first, second] = element.querySelectorAll(selector);
    if (first !== undefined && second === undefined) return elementUrl(first, baseUrl);
  }
  return undefined;
}

/** Elements whose value is not their text. */
function isMute(element: DomElement): boolean {
  return /^(meta|link|img|source|video|audio|embed|iframe|object|track|data|meter)$/.test(
    element.localName,
  );
}

// The keyword `x-transform` changes the texts of a selector, in written order.

/** The context for reading a text. */
export interface TransformContext {
  readonly locale: TextLocale;
  readonly baseUrl: string;
}

/** Turns the texts of the matches into the texts of the value or the list. */
export type Transform = (texts: readonly string[], context: TransformContext) => string[];

const known =
  '"trim", "lowercase", "uppercase", "number", "date", "url", { regex, group?, flags? }, { split }, { join }';

const maxSteps = 20;
const maxParts = 10_000; // of one text: a cell may hold a list, but not this many entries

/** The problem of an `x-transform`, or undefined. */
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

/** The steps as one function, compiled once for a schema; undefined without steps. */
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

/** The step, or its problem. */
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
