/** Colors as far as it takes to see that a text has the color of what it stands on. */

/** Red, green and blue from 0 to 255, and how much of it covers, from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Undefined for what says no color, or says it in a way that is not read here. */
export function readColor(text: string): Color | undefined {
  const name = text.trim().slice(0, 60);
  const known = names[name];
  if (known !== undefined) return known;
  const [, hex] = /^#([\da-f]{3,8})$/.exec(name) ?? [];
  if (hex !== undefined) return fromHex(hex);
  const parts = /^rgba?\(([^()]*)\)$/
    .exec(name)?.[1]
    ?.split(/[\s,/]+/)
    .filter(Boolean);
  if (parts === undefined) return undefined;
  const [red, green, blue, alpha = 1] = parts.map((part, index) => {
    const value = Number.parseFloat(part);
    if (!part.endsWith('%')) return value;
    return index === 3 ? value / 100 : value * 2.55;
  });
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [red, green, blue, alpha].some(Number.isNaN) ? undefined : [red, green, blue, alpha];
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

const names: Readonly<Record<string, Color>> = Object.assign(Object.create(null), {
  transparent: [0, 0, 0, 0],
  white: [255, 255, 255, 1],
  snow: [255, 250, 250, 1],
  ivory: [255, 255, 240, 1],
  whitesmoke: [245, 245, 245, 1],
  black: [0, 0, 0, 1],
  red: [255, 0, 0, 1],
  green: [0, 128, 0, 1],
  blue: [0, 0, 255, 1],
  yellow: [255, 255, 0, 1],
  gray: [128, 128, 128, 1],
  grey: [128, 128, 128, 1],
  silver: [192, 192, 192, 1],
  lightgray: [211, 211, 211, 1],
  lightgrey: [211, 211, 211, 1],
  navy: [0, 0, 128, 1],
} satisfies Record<string, Color>) as Readonly<Record<string, Color>>;
