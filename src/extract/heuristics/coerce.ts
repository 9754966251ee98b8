/** Coerces page text to a value of the schema's type. */
import { oneLine } from '../../content/text/plain-text.ts';
import { absoluteUrl } from '../facts/element-text.ts';
import { coerceBoolean } from '../values/booleans.ts';
import { coerceTime, type TextLocale, utcDateTime } from '../values/dates.ts';
import { coerceNumber, wantedUnit } from '../values/numbers.ts';
import { type JsonSchema, meetsConstraints, type Shape } from '../schema/json-schema.ts';
import { fold, wordsOf } from '../facts/property-names.ts';
import { canonical } from './synonyms.ts';
import { urlOf } from '../../core/url/normalize-url.ts';

/** The source of a text and the property that it fills. */
export interface CoercionTarget {
  /** The property's name: its unit (`weightKg`) and kind (`imageUrl`) are read from it. */
  readonly name: string;
  readonly shape: Shape;
  readonly shapeOf: (schema: JsonSchema) => Shape;
  /** The text's locale; English for texts made for machines. */
  readonly locale: TextLocale;
  readonly baseUrl: string;
}

/** The value, or undefined if the text has none that fits: nothing is guessed. */
export function coerce(raw: string | number | boolean, target: CoercionTarget): unknown {
  const { shape } = target;
  if (shape.kind === 'union') {
    // Strict types come first: a text fits every string.
    const ranked = [...shape.alternatives].sort((a, b) => looseness(a) - looseness(b));
    for (const alternative of ranked) {
      const inner = target.shapeOf(alternative);
      if (inner.kind === 'string' || isPlain(raw, inner.kind)) {
        const value = coerce(raw, { ...target, shape: inner });
        if (value !== undefined) return value;
      }
    }
    return undefined;
  }
  const value = convert(raw, target);
  return value !== undefined && meetsConstraints(value, shape.schema) ? value : undefined;
}

function looseness(schema: JsonSchema): number {
  return schema.type === 'string' ? 1 : 0;
}

/** In a union, a text only becomes a number or a boolean as a whole. */
function isPlain(raw: string | number | boolean, kind: Shape['kind']): boolean {
  if (typeof raw !== 'string') return typeof raw === (kind === 'integer' ? 'number' : kind);
  if (kind === 'boolean') return /^(true|false)$/i.test(raw.trim());
  return kind === 'any' || /^\s*-?\d+(\.\d+)?\s*$/.test(raw);
}

function convert(raw: string | number | boolean, target: CoercionTarget): unknown {
  const { schema, kind } = target.shape;
  if (schema.enum !== undefined) return fromList(raw, schema.enum);
  if (schema.const !== undefined) return fromList(raw, [schema.const]);
  switch (kind) {
    case 'number':
    case 'integer':
      return toNumber(raw, target);
    case 'boolean':
      return typeof raw === 'boolean' ? raw : coerceBoolean(String(raw), target.name);
    case 'string':
      return toText(String(raw), target);
    case 'any':
      return typeof raw === 'string' ? toText(raw, target) : raw;
    default:
      return undefined;
  }
}

function toNumber(raw: string | number | boolean, target: CoercionTarget): number | undefined {
  if (typeof raw === 'boolean') return undefined;
  const { schema, kind } = target.shape;
  const unit = wantedUnit(wordsOf(target.name), schema.description ?? '');
  const value =
    typeof raw === 'number' ? raw : coerceNumber(raw, { language: target.locale.language, unit });
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return kind === 'integer' && !Number.isInteger(value) ? undefined : value;
}

function toText(raw: string, target: CoercionTarget): string | undefined {
  const text = oneLine(raw);
  if (text === '' || isPlaceholder(text)) return undefined;
  const { schema } = target.shape;
  if (/\bhh:mm\b(?!:)/i.test(schema.description ?? '')) return coerceTime(text);
  switch (schema.format) {
    case 'uri':
    case 'url':
    case 'iri':
    case 'uri-reference':
      return toUrl(text, target.baseUrl);
    case 'date':
      return target.locale.readDate(text)?.date;
    case 'date-time':
      return toDateTime(text, target);
    case 'email':
      return toEmail(text);
    default:
      if (canonical(fold(target.name)) === 'telephone') return toPhone(text);
      if (isUrlLike(text, target.name)) return absoluteUrl(text, target.baseUrl);
      // Facebook wants the URL of a profile as `article:author`.
      return /^https?:\/\/\S+$/.test(text) && namesSomeone.has(canonical(fold(target.name)))
        ? undefined
        : enumerationName(text);
  }
}

/** True for placeholders of forms and tables: `–`, `n/a`. */
function isPlaceholder(text: string): boolean {
  return text.length < 6 && /^(?:[-–—−]+|n\.? ?\/ ?a\.?|k\. ?A\.|n\. ?d\.|s\. ?d\.)$/i.test(text);
}

const namesSomeone = new Set(['name', 'headline', 'author', 'publisher', 'brand', 'manufacturer']);

/** The number as written; taken out of a sentence only if it is the only one. */
function toPhone(text: string): string | undefined {
  const isNumber = /^[^\p{L}]*(?:(?:ext|x|dw)\.? ?\d+)?$/iu.test(text);
  if (isNumber) return (text.match(/\d/g) ?? []).length >= 5 ? text : undefined;
  const numbers = text.slice(0, 200).match(/\+?\(?\d[\d ()./-]{4,20}\d/g) ?? [];
  return numbers.length === 1 ? numbers[0] : undefined;
}

function toEmail(text: string): string | undefined {
  const words = text.replace(/^mailto:/i, '').split(/[\s<>(),;]+/);
  return words.find((word) => word.length < 255 && /^[^@]+@[^@]+\.[^@]+$/.test(word));
}

function toUrl(text: string, baseUrl: string): string | undefined {
  const url = /\s/.test(text) ? undefined : urlOf(text, baseUrl);
  return url?.protocol === 'javascript:' || url?.protocol === 'data:' ? undefined : url?.href;
}

/** A local time has no offset: accepted only if the schema's pattern accepts it. */
function toDateTime(text: string, target: CoercionTarget): string | undefined {
  const parsed = target.locale.readDate(text);
  if (parsed === undefined) return undefined;
  const { schema } = target.shape;
  const utc = utcDateTime(parsed);
  // Some schemas require milliseconds.
  if (utc !== undefined)
    return [utc, utc.replace(/Z$/, '.000Z')].find((one) => meetsConstraints(one, schema));
  const local = `${parsed.date}T${parsed.time ?? '00:00:00'}`;
  return typeof schema.pattern === 'string' && meetsConstraints(local, schema) ? local : undefined;
}

/** Relative URLs become absolute without `format: uri` too, if the property is named as a URL. */
function isUrlLike(text: string, name: string): boolean {
  if (!/^(\/|\.\.?\/)\S*$/.test(text)) return false;
  return /(url|link|href|image|images|photo|photos|thumbnail|logo|picture|src)$/i.test(name);
}

/** `https://schema.org/InStock` → `InStock`. */
function enumerationName(text: string): string {
  return /^https?:\/\/schema\.org\/([A-Z][A-Za-z]+)$/.exec(text)?.[1] ?? text;
}

/** The entry that equals the text apart from case, spaces, punctuation and the vocabulary. */
function fromList(raw: string | number | boolean, list: readonly unknown[]): unknown {
  const text = fold(enumerationName(String(raw).trim()));
  return list.find((entry) => {
    if (entry === raw) return true;
    const isComparable = typeof entry === 'string' || typeof entry === 'number';
    return isComparable && fold(String(entry)) === text;
  });
}
