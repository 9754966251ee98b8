/** How the page's text is set, weighted by how much ink it takes. */
import type { BrandFont, BrandTypography } from '../../../model/branding.ts';
import { familyOf, fontStack, isIconFont } from './font-family.ts';
import { inkOf } from './measure-colors.ts';
import type { SchemeReading } from './read-scheme.ts';
import type { FontRecord } from './style-records.ts';
import { withoutUndefined } from './without-undefined.ts';

/** Text of one kind in one font. */
interface Written {
  readonly kind: 'text' | 'heading' | 'code' | 'control';
  /** 1 to 6 for a heading, else 0. */
  readonly level: number;
  readonly font: FontRecord;
  readonly ink: number;
  readonly characters: number;
}

/** Fonts and sizes of what can be read. */
export function measureText(reading: SchemeReading): {
  readonly fonts: BrandFont[];
  readonly typography: BrandTypography;
} {
  const written = readWritten(reading);
  const ofKind = (kind: Written['kind']): Written[] => written.filter((one) => one.kind === kind);
  const [text, headings, code] = [ofKind('text'), ofKind('heading'), ofKind('code')];
  const body = usual(text, ({ size, lineHeight }) => `${size} ${lineHeight}`);
  const headingFont = usual(headings, ({ stack }) => stack);
  const stacks = {
    primary: stackOf(text),
    heading: stackOf(headings),
    code: stackOf(code),
  };
  const sizeOf = (level: number): number | undefined =>
    usual(
      headings.filter((one) => one.level === level),
      ({ size }) => String(size),
    )?.size;
  const small = usual(
    text.filter(({ font }) => body !== undefined && font.size < body.size),
    ({ size }) => String(size),
  );
  return {
    fonts: fontsOf(written, stacks),
    typography: {
      fontFamilies: withoutUndefined({
        primary: stacks.primary?.[0],
        heading: stacks.heading?.[0],
        code: stacks.code?.[0],
      }),
      fontStacks: withoutUndefined(stacks),
      fontSizes: withoutUndefined({
        ...{ h1: sizeOf(1), h2: sizeOf(2), h3: sizeOf(3) },
        ...{ body: body?.size, small: small?.size },
      }),
      lineHeights: withoutUndefined({ heading: ratio(headingFont), body: ratio(body) }),
      fontWeights: weightsOf(written),
    },
  };
}

function readWritten({ records, painting, controlOf }: SchemeReading): Written[] {
  return records.boxes.flatMap((box, index): Written[] => {
    const font = records.fonts[box.font];
    const painted = painting.boxes[index];
    if (font === undefined || painted === undefined || painted.isCovered) return [];
    if (box.characters === 0 || isIconFont(familyOf(font.stack) ?? '')) return [];
    const isControl = controlOf[index] !== -1;
    const isHeading = box.heading > 0;
    const kind = isControl ? 'control' : box.isCode ? 'code' : isHeading ? 'heading' : 'text';
    const ink = inkOf(box, font.size);
    return [{ kind, level: box.heading, font, ink, characters: box.characters }];
  });
}

/** The font whose kind, told by `key`, has most characters. */
function usual(
  written: readonly Written[],
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

function stackOf(written: readonly Written[]): readonly string[] | undefined {
  const font = usual(written, ({ stack }) => stack);
  return font && fontStack(font.stack);
}

function ratio(font: FontRecord | undefined): number | undefined {
  if (font === undefined || font.lineHeight === 0 || font.size === 0) return undefined;
  return Math.round((font.lineHeight / font.size) * 100) / 100;
}

function fontsOf(
  written: readonly Written[],
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
      withoutUndefined({
        family,
        role: roleOf(family),
        weights: [...weights].sort((one, other) => one - other),
      }),
    );
}

function weightsOf(written: readonly Written[]): BrandTypography['fontWeights'] {
  const between = (from: number, to: number): number | undefined =>
    usual(
      written.filter(({ font }) => font.weight >= from && font.weight < to),
      ({ weight }) => String(weight),
    )?.weight;
  return withoutUndefined({
    light: between(1, 400),
    regular: between(400, 450),
    medium: between(450, 600),
    bold: between(600, 1001),
  });
}
