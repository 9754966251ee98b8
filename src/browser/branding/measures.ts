/** Measures of a page: palette by area, typography by ink, repeated distances. */
import type {
  BrandFont,
  BrandGradient,
  BrandSpacing,
  BrandTypography,
  ColorUse,
  PaletteColor,
} from '../../core/model/branding.ts';
import type { FontRecord } from './page-records.ts';
import type { SchemeReading, SeenBox } from './read-scheme.ts';
import { compact } from '../../core/runtime/compact.ts';

/** Colours by area, at most 24; a colour below a ten thousandth only if it is on buttons. */
export function paletteOf({ records, painting, boxes }: SchemeReading): PaletteColor[] {
  const whole = records.width * records.height;
  const found = new Map<string, { area: number; uses: Set<ColorUse> }>();
  const add = (color: string | undefined, area: number, use: ColorUse): void => {
    if (color === undefined) return;
    const entry = found.get(color) ?? { area: 0, uses: new Set() };
    entry.area += area;
    entry.uses.add(use);
    found.set(color, entry);
  };
  for (const [color, area] of painting.areas) add(color, area, 'background');
  for (const box of boxes) {
    if (box.isCovered) continue;
    const { control, isControl, link } = box;
    const isButton = isControl && control?.kind === 'button';
    if (isButton && box.background >= 0 && box.picture === '') add(box.backdrop, 0, 'button');
    add(box.borderColor, box.borderArea / whole, 'border');
    add(box.text, box.ink / whole, link > 0 && control === undefined ? 'link' : 'text');
  }
  // `painting.areas` counts a button's colour as a background, too.
  const onPage = boxes.filter(({ isControl, background }) => !isControl && background >= 0);
  const pageUses = new Set(onPage.map(({ backdrop }) => backdrop));
  return [...found]
    .filter(([, { area, uses }]) => area >= 0.0001 || uses.has('button'))
    .sort(([, one], [, other]) => other.area - one.area)
    .slice(0, 24)
    .map(([color, { area, uses }]) => ({
      color,
      area: roundedShare(area),
      uses: [...uses].filter(
        (use) =>
          use !== 'background' ||
          !uses.has('button') ||
          pageUses.has(color) ||
          color === painting.canvas,
      ),
    }));
}

/** Gradients by area, at most 8. */
export function gradientsOf({ painting }: SchemeReading): BrandGradient[] {
  return [...painting.gradients]
    .map(([css, area]) => ({ css, area: roundedShare(area) }))
    .filter(({ area }) => area > 0)
    .sort((one, other) => other.area - one.area)
    .slice(0, 8);
}

function roundedShare(area: number): number {
  return Math.round(area * 10_000) / 10_000;
}

// The fonts of the page's text, weighted by ink.

/** Text of one kind in one font. */
interface WrittenText extends Pick<SeenBox, 'heading' | 'ink' | 'characters'> {
  readonly kind: 'text' | 'heading' | 'code' | 'control';
  readonly font: FontRecord;
}

/** Measures fonts and sizes of visible text. */
export function measureText(reading: SchemeReading): {
  readonly fonts: BrandFont[];
  readonly typography: BrandTypography;
} {
  const written = readWritten(reading);
  const ofKind = (kind: WrittenText['kind']): WrittenText[] =>
    written.filter((one) => one.kind === kind);
  const [text, headings, code] = [ofKind('text'), ofKind('heading'), ofKind('code')];
  const body = usualFont(text, ({ size, lineHeight }) => `${size} ${lineHeight}`);
  const headingFont = usualFont(headings, ({ stack }) => stack);
  const stacks = {
    primary: stackOf(text),
    heading: stackOf(headings),
    code: stackOf(code),
  };
  const sizeOf = (level: number): number | undefined =>
    usualFont(
      headings.filter(({ heading }) => heading === level),
      ({ size }) => String(size),
    )?.size;
  const small = usualFont(
    text.filter(({ font }) => body !== undefined && font.size < body.size),
    ({ size }) => String(size),
  );
  return {
    fonts: fontsOf(written, stacks),
    typography: {
      fontFamilies: compact({
        primary: stacks.primary?.[0],
        heading: stacks.heading?.[0],
        code: stacks.code?.[0],
      }),
      fontStacks: compact(stacks),
      fontSizes: compact({
        h1: sizeOf(1),
        h2: sizeOf(2),
        h3: sizeOf(3),
        body: body?.size,
        small: small?.size,
      }),
      lineHeights: compact({
        heading: lineHeightRatio(headingFont),
        body: lineHeightRatio(body),
      }),
      fontWeights: weightsOf(written),
    },
  };
}

function readWritten({ records, boxes }: SchemeReading): WrittenText[] {
  return boxes.flatMap((box): WrittenText[] => {
    const font = records.fonts[box.font];
    if (font === undefined || box.isCovered || box.characters === 0) return [];
    if (isIconFont(familyOf(font.stack) ?? '')) return [];
    const kind = box.isCode ? 'code' : box.heading > 0 ? 'heading' : 'text';
    return [{ ...box, kind: box.control === undefined ? kind : 'control', font }];
  });
}

/** The font with the most characters; `key` groups fonts. */
function usualFont(
  written: readonly WrittenText[],
  key: (font: FontRecord) => string,
): FontRecord | undefined {
  const found = new Map<string, { font: FontRecord; characters: number }>();
  for (const { font, characters } of written) {
    const entry = found.get(key(font)) ?? { font, characters: 0 };
    entry.characters += characters;
    found.set(key(font), entry);
  }
  return [...found.values()].sort((one, other) => other.characters - one.characters)[0]?.font;
}

function stackOf(written: readonly WrittenText[]): readonly string[] | undefined {
  const font = usualFont(written, ({ stack }) => stack);
  return font && fontStack(font.stack);
}

function lineHeightRatio(font: FontRecord | undefined): number | undefined {
  if (font === undefined || font.lineHeight === 0 || font.size === 0) return undefined;
  return Math.round((font.lineHeight / font.size) * 100) / 100;
}

function fontsOf(
  written: readonly WrittenText[],
  stacks: Readonly<Record<'primary' | 'heading' | 'code', readonly string[] | undefined>>,
): BrandFont[] {
  const families = new Map<string, { ink: number; weights: Set<number> }>();
  for (const { font, ink } of written) {
    const family = familyOf(font.stack);
    if (family === undefined) continue;
    const entry = families.get(family) ?? { ink: 0, weights: new Set() };
    entry.ink += ink;
    entry.weights.add(font.weight);
    families.set(family, entry);
  }
  const roleOf = (family: string): BrandFont['role'] => {
    if (stacks.primary?.[0] === family) return 'body';
    if (stacks.heading?.[0] === family) return 'heading';
    return stacks.code?.[0] === family ? 'code' : undefined;
  };
  return [...families]
    .sort(([, one], [, other]) => other.ink - one.ink)
    .slice(0, 8)
    .map(([family, { weights }]) =>
      compact({
        family,
        role: roleOf(family),
        weights: [...weights].sort((one, other) => one - other),
      }),
    );
}

function weightsOf(written: readonly WrittenText[]): BrandTypography['fontWeights'] {
  const between = (from: number, to: number): number | undefined =>
    usualFont(
      written.filter(({ font }) => font.weight >= from && font.weight < to),
      ({ weight }) => String(weight),
    )?.weight;
  return compact({
    light: between(1, 400),
    regular: between(400, 450),
    medium: between(450, 600),
    bold: between(600, 1001),
  });
}

// Repeated distances of the page.

/** Measures base unit and radius. */
export function measureSpacing({ records, boxes, controls }: SchemeReading): BrandSpacing {
  const surfaces = boxes.filter(({ background, border, isCovered, width }) => {
    const isDrawn = background >= 0 || border >= 0;
    // Bars over the whole width have no rounded corners.
    return isDrawn && !isCovered && width < records.width * 0.9;
  });
  const radii = [
    ...surfaces.map(({ radius }) => radius),
    // Buttons and fields count twice: a radius is mostly for them.
    ...controls.map(({ box }) => boxes[box]?.radius ?? 0),
  ];
  return compact({
    baseUnit: baseUnit(records.distances),
    borderRadius: usualRadius(radii),
  });
}

/** The largest usual unit that divides four of five distances. */
function baseUnit(distances: readonly (readonly [number, number])[]): number | undefined {
  // A pixel or two is a line or an adjustment; more than 200 is a layout width.
  const counted = distances.filter(([pixels]) => pixels >= 3 && pixels <= 200);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  if (total < 10) return undefined;
  return [10, 8, 6, 5, 4].find((unit) => {
    const fitting = counted.filter(([pixels]) => pixels % unit === 0);
    return fitting.reduce((sum, [, count]) => sum + count, 0) >= total * 0.8;
  });
}

/** Rounded corners are preferred to square ones: rows and cells are square on every page. */
function usualRadius(radii: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  // A circle or a pill is a shape, not a radius.
  for (const radius of radii) {
    if (radius < 100) counts.set(radius, (counts.get(radius) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  const rounded = sorted.find(([radius]) => radius > 0);
  const isCommon = rounded !== undefined && rounded[1] >= radii.length * 0.1;
  return isCommon ? rounded[0] : sorted[0]?.[0];
}

// The names in a computed `font-family`.

/** At most 20 names in order, without quotes. */
export function fontStack(css: string): string[] {
  const names = css.match(/\s*"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
  const plain = names
    .slice(0, 20)
    .map((name) => readableName(name.trim().replace(/^"|"$/g, '').replace(/\\(.)/g, '$1')));
  return [...new Set(plain.filter((name) => name !== ''))];
}

/** The first name: the author's choice, even if this machine does not have it. */
export function familyOf(css: string): string | undefined {
  return fontStack(css)[0];
}

/** True for fonts whose glyphs are icons. */
function isIconFont(family: string): boolean {
  return /icon|awesome|glyph|symbols?\b|fontello|dashicons/i.test(family);
}

/** Next.js renames fonts: `__Inter_d65c78`, `__Open_Sans_Fallback_d65c78`. */
function readableName(name: string): string {
  const inner = /^__(.+?)(?:_Fallback)?_[0-9a-f]{6}$/.exec(name)?.[1];
  return inner === undefined ? name : inner.replaceAll('_', ' ');
}
