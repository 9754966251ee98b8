/** CSS lengths, numbers and colors, as far as hidden text depends on them. */
import { color as parseColor, serializeRGB } from '@csstools/css-color-parser';
import { parseComponentValue } from '@csstools/css-parser-algorithms';
import { tokenize } from '@csstools/css-tokenizer';

const limits = {
  longestCalculation: 300,
  depth: 12,
  parsed: 3000, // colors of a page that need a full parser: names, `hsl()`, `color-mix()`
};

/** The reference sizes of relative lengths; px. */
export interface LengthContext {
  /** Of the element. */
  readonly fontSize: number;
  /** The size that a percentage refers to; undefined if unknown. */
  readonly whole?: number | undefined;
}

const assumedWindow = { width: 1280, height: 720 };

const defaultContext: LengthContext = { fontSize: 16 };

/** The size of one unit in pixels. */
function unitSize(unit: string, { fontSize, whole }: LengthContext): number | undefined {
  switch (unit) {
    case 'em':
    case 'ic':
    case 'cap':
      return fontSize;
    case 'ex':
    case 'ch':
      return fontSize / 2;
    case 'rem':
    case 'ric':
      return 16;
    case 'lh':
    case 'rlh':
      return fontSize * 1.2;
    case '%':
      return whole === undefined ? undefined : whole / 100;
    default:
      break;
  }
  const absolute = absoluteUnits[unit];
  if (absolute !== undefined) return absolute;
  const [, side] = /^(?:[sld]?v|cq)(w|i|h|b|min|max)$/.exec(unit) ?? [];
  if (side === undefined) return undefined;
  return (
    (side === 'w' || side === 'i' || side === 'max' ? assumedWindow.width : assumedWindow.height) /
    100
  );
}

const absoluteUnits: Readonly<Record<string, number>> = {
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
};

/**
 * A length in pixels, calculated ones included; undefined for anything else. A number without a unit is only
 * accepted if it is 0.
 */
export function lengthInPixels(
  text: string,
  context: LengthContext = defaultContext,
): number | undefined {
  const value = text.trim();
  const plain = numeral.exec(value);
  if (plain !== null) {
    const [, digits = '', unit] = plain;
    if (unit === undefined) return Number(digits) === 0 ? 0 : undefined;
    const size = unitSize(unit, context);
    return size === undefined ? undefined : Number(digits) * size;
  }
  return calculate(value, (unit) => unitSize(unit, context));
}

/** A number, or a percentage as a share of 1. */
export function numberOf(text: string): number | undefined {
  const value = text.trim();
  const plain = numeral.exec(value);
  if (plain === null) return calculate(value, (unit) => (unit === '%' ? 0.01 : undefined));
  const [, digits = '', unit] = plain;
  if (unit === undefined) return Number(digits);
  return unit === '%' ? Number(digits) / 100 : undefined;
}

const numeral = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?$/;

/** `calc()`, `min()`, `max()`, `clamp()` and `abs()`. */
function calculate(text: string, sizeOf: (unit: string) => number | undefined): number | undefined {
  if (!/^(?:calc|min|max|clamp|abs)\(/.test(text) || text.length > limits.longestCalculation)
    return undefined;
  const tokens =
    text.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:[a-z]+|%)?|[a-z-]+\(|[-+*/(),]|[^\s]/g) ?? [];
  let at = 0;
  const sum = (depth: number): number => {
    let total = product(depth);
    while (tokens[at] === '+' || tokens[at] === '-') {
      total += tokens[at++] === '+' ? product(depth) : -product(depth);
    }
    return total;
  };
  const product = (depth: number): number => {
    let total = factor(depth);
    while (tokens[at] === '*' || tokens[at] === '/') {
      total = tokens[at++] === '*' ? total * factor(depth) : total / factor(depth);
    }
    return total;
  };
  const factor = (depth: number): number => {
    const token = tokens[at++] ?? '';
    if (token === '-') return -factor(depth + 1);
    if (token === '+') return factor(depth + 1);
    if (depth > limits.depth) return NaN;
    if (token.endsWith('(')) {
      const values = [sum(depth + 1)];
      while (tokens[at] === ',') {
        at += 1;
        values.push(sum(depth + 1));
      }
      return tokens[at++] === ')' ? appliedOperator(token, values) : NaN;
    }
    const [, digits, unit] = numeral.exec(token) ?? [];
    if (digits === undefined) return NaN;
    return Number(digits) * (unit === undefined ? 1 : (sizeOf(unit) ?? NaN));
  };
  const result = factor(0);
  return at === tokens.length && Number.isFinite(result) ? result : undefined;
}

function appliedOperator(name: string, values: readonly number[]): number {
  const [first = NaN, second = NaN, third = NaN] = values;
  switch (name) {
    case '(':
    case 'calc(':
      return values.length === 1 ? first : NaN;
    case 'min(':
      return Math.min(...values);
    case 'max(':
      return Math.max(...values);
    case 'clamp(':
      return Math.max(first, Math.min(second, third));
    default:
      return name === 'abs(' ? Math.abs(first) : NaN;
  }
}

// Colors, as far as needed to compare text with its background.

/** Red, green and blue from 0 to 255, and alpha from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Reads the colors of one page, each once. */
export class ColorReader {
  readonly #known = new Map<string, Color | undefined>();

  /** Undefined for text that is not a color, or a color in an unsupported form. */
  read(text: string): Color | undefined {
    const value = text.trim();
    if (value.length > 200 || value === '') return undefined;
    const plain = plainColor(value);
    if (plain !== undefined || /^#|^[\d.+-]/.test(value)) return plain;
    if (this.#known.has(value)) return this.#known.get(value);
    if (this.#known.size >= limits.parsed) return undefined;
    const color = parsedColor(value);
    this.#known.set(value, color);
    return color;
  }
}

/** Parses `#rgb` and `rgb()`, the most frequent forms. */
function plainColor(value: string): Color | undefined {
  const [, hex] = /^#([\da-f]{3,8})$/.exec(value) ?? [];
  if (hex !== undefined) return fromHex(hex);
  const [, inside] = /^rgba?\(([^()]*)\)$/.exec(value) ?? [];
  const parts = inside?.split(/[\s,/]+/).filter(Boolean);
  if (parts === undefined || parts.length < 3 || parts.length > 4) return undefined;
  const [red = NaN, green = NaN, blue = NaN, alpha = 1] = parts.map((part, index) => {
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?$/.test(part)
      ? Number.parseFloat(part)
      : NaN;
    if (!part.endsWith('%')) return number;
    return index === 3 ? number / 100 : number * 2.55;
  });
  return [red, green, blue, alpha].some(Number.isNaN) ? undefined : [red, green, blue, alpha];
}

function parsedColor(value: string): Color | undefined {
  if (value === 'transparent') return [0, 0, 0, 0];
  // The light scheme is assumed.
  const [, light] = /^light-dark\(((?:[^(),]|\([^()]*\))*),/.exec(value) ?? [];
  try {
    const component = parseComponentValue(tokenize({ css: light ?? value }));
    const color = component === undefined ? false : parseColor(component);
    return color === false ? undefined : plainColor(serializeRGB(color).toString().toLowerCase());
  } catch {
    return undefined;
  }
}

/** True if text in the first color is illegible on the second: 24 steps of 255 are no contrast. */
export function isSameColor(text: Color, background: Color): boolean {
  return [0, 1, 2].every((part) => Math.abs((text[part] ?? 0) - (background[part] ?? 0)) <= 24);
}

function fromHex(hex: string): Color | undefined {
  if (hex.length === 5 || hex.length === 7) return undefined;
  const width = hex.length > 4 ? 2 : 1;
  const part = (index: number): number => {
    const digits = hex.slice(index * width, (index + 1) * width);
    return Number.parseInt(width === 1 ? digits + digits : digits, 16);
  };
  const hasAlpha = hex.length === 4 || hex.length === 8;
  return [part(0), part(1), part(2), hasAlpha ? part(3) / 255 : 1];
}
