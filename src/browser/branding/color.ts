/** Colours: parses, blends and compares them, by human perception. */
import { checkAnswer, type IsolatedWorld } from '../actions/isolated-world.ts';
import { convertColors } from './in-page/convert-colors.ts';

/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/** White, the canvas of every page. */
export const white: Rgba = [255, 255, 255, 1];

/** Parses computed sRGB colours of browsers, `rgb(1, 2, 3)` and `rgba(1, 2, 3, 0.4)`. */
export function parseRgb(css: string): Rgba | undefined {
  const match = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.e-]+))?\)$/.exec(css);
  if (match === null) return undefined;
  const [, red, green, blue, alpha = '1'] = match;
  return [Number(red), Number(green), Number(blue), Number(alpha)];
}

/** `#rrggbb`, without the alpha. */
export function toHex([red, green, blue]: Rgba): string {
  const byte = (value: number): string =>
    Math.round(Math.min(255, Math.max(0, value)))
      .toString(16)
      .padStart(2, '0');
  return `#${byte(red)}${byte(green)}${byte(blue)}`;
}

/** Parses `#rrggbb`. */
export function fromHex(hex: string): Rgba {
  const at = (start: number): number => Number.parseInt(hex.slice(start, start + 2), 16);
  return [at(1), at(3), at(5), 1];
}

/** Blends `top` over an opaque colour. */
export function over(top: Rgba, bottom: Rgba): Rgba {
  const mix = (above: number, below: number): number => above * top[3] + below * (1 - top[3]);
  return [mix(top[0], bottom[0]), mix(top[1], bottom[1]), mix(top[2], bottom[2]), 1];
}

/** Lightness 0 to 1, chroma 0 to about 0.32, hue 0 to 360: OKLCH, a perceptual colour space. */
export function perceived(hex: string): { lightness: number; chroma: number; hue: number } {
  const [lightness, a, b] = oklab(hex);
  const hue = (Math.atan2(b, a) * 180) / Math.PI;
  return { lightness, chroma: Math.hypot(a, b), hue: (hue + 360) % 360 };
}

/** Perceived difference of two colours: 0.02 is just visible, black and white are 1 apart. */
export function difference(one: string, other: string): number {
  const [l1, a1, b1] = oklab(one);
  const [l2, a2, b2] = oklab(other);
  return Math.hypot(l1 - l2, a1 - a2, b1 - b2);
}

/** OKLab as in CSS Color 4, section 10.2. */
function oklab(hex: string): [lightness: number, a: number, b: number] {
  const [red, green, blue] = fromHex(hex).slice(0, 3).map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function linear(byte: number): number {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

// Parses computed colours; the browser converts those in modern syntaxes.

const conversionLimit = 500; // colours in modern syntax that are converted

/** Parses each string; strings that are not colours are missing in the result. */
export async function readColors(
  world: IsolatedWorld,
  strings: readonly string[],
): Promise<ReadonlyMap<string, Rgba>> {
  const found = new Map<string, Rgba>();
  const modern = new Set<string>();
  for (const css of strings) {
    const color = parseRgb(css);
    if (color === undefined) modern.add(css);
    else found.set(css, color);
  }
  if (modern.size === 0) return found;
  const requested = [...modern].slice(0, conversionLimit);
  const answer = checkAnswer(await world.call(convertColors, requested), [] as unknown[], 'colors');
  for (const [index, css] of requested.entries()) {
    const parts = answer[index];
    if (parts === null) continue;

    found.set(css, checkAnswer<Rgba>(parts, [0, 0, 0, 0], 'color'));
  }
  return found;
}
