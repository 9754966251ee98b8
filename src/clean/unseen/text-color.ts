/** Colors as far as it takes to see that a text has the color of what it stands on. */
import { color as parseColor, serializeRGB } from '@csstools/css-color-parser';
import { parseComponentValue } from '@csstools/css-parser-algorithms';
import { tokenize } from '@csstools/css-tokenizer';

/** Red, green and blue from 0 to 255, and how much of it covers, from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Colors of one page that take a parser of their own: names, `hsl()`, `oklch()`, `color-mix()`. */
const mostParsed = 3000;

/** Reads the colors of one page, each once. */
export class ColorReader {
  readonly #known = new Map<string, Color | undefined>();

  /** Undefined for what says no color, or says it in a way that is not read here. */
  read(text: string): Color | undefined {
    const value = text.trim();
    if (value.length > 200 || value === '') return undefined;
    const plain = plainColor(value);
    if (plain !== undefined || /^#|^[\d.+-]/.test(value)) return plain;
    if (this.#known.has(value)) return this.#known.get(value);
    if (this.#known.size >= mostParsed) return undefined;
    const color = parsedColor(value);
    this.#known.set(value, color);
    return color;
  }
}

/** `#rgb` and `rgb()`, which are most of them. */
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
  // The light scheme is the one that is shown.
  const [, light] = /^light-dark\(((?:[^(),]|\([^()]*\))*),/.exec(value) ?? [];
  try {
    const component = parseComponentValue(tokenize({ css: light ?? value }));
    const color = component === undefined ? false : parseColor(component);
    return color === false ? undefined : plainColor(serializeRGB(color).toString().toLowerCase());
  } catch {
    return undefined;
  }
}

/** True when nobody reads text of the one color on the other: steps of 24 in 255 are no contrast. */
export function isSameColor(text: Color, ground: Color): boolean {
  return [0, 1, 2].every((part) => Math.abs((text[part] ?? 0) - (ground[part] ?? 0)) <= 24);
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
