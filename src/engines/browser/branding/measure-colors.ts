/** How much of the page each colour covers and what for; how much each text colour is written in. */
import type { BrandGradient, ColorUse, PaletteColor } from '../../../model/branding.ts';
import type { SchemeReading } from './read-scheme.ts';
import type { BoxRecord } from './style-records.ts';

/** The part of a letter's square that is ink, for letters half as wide as high. */
const inkOfLetter = 0.125;

/** Pixels of ink in the text of a box. */
export function inkOf(box: BoxRecord, fontSize: number): number {
  // A box that is cut off shows no more than a third of itself in letters.
  const ink = box.characters * fontSize * fontSize * inkOfLetter;
  return Math.min(ink, (box.width * box.height) / 3);
}

/** Colours by area, at most 24; a colour of less than a ten thousandth only on buttons. */
export function paletteOf(reading: SchemeReading): PaletteColor[] {
  const { records, painting, controls, controlOf } = reading;
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
  for (const [index, box] of records.boxes.entries()) {
    const painted = painting.boxes[index];
    if (painted === undefined || painted.isCovered) continue;
    const control = controls[controlOf[index] ?? -1];
    const isButton = control?.kind === 'button' && control.box === index;
    if (isButton && box.background >= 0 && box.picture === '') add(painted.ground, 0, 'button');
    if (box.border >= 0) add(painted.border, box.borderArea / whole, 'border');
    if (box.characters > 0) {
      const ink = inkOf(box, records.fonts[box.font]?.size ?? 0);
      add(painted.text, ink / whole, box.link > 0 && control === undefined ? 'link' : 'text');
    }
  }
  // Areas say of a button's colour only that it is a background.
  const pageUses = new Set(
    records.boxes.flatMap((box, index) => {
      const isButton = controls[controlOf[index] ?? -1]?.box === index;
      const ground = painting.boxes[index]?.ground;
      return !isButton && box.background >= 0 && ground !== undefined ? [ground] : [];
    }),
  );
  return [...found]
    .filter(([, { area, uses }]) => area >= 0.0001 || uses.has('button'))
    .sort(([, one], [, other]) => other.area - one.area)
    .slice(0, 24)
    .map(([color, { area, uses }]) => ({
      color,
      area: rounded(area),
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
    .map(([css, area]) => ({ css, area: rounded(area) }))
    .filter(({ area }) => area > 0)
    .sort((one, other) => other.area - one.area)
    .slice(0, 8);
}

function rounded(area: number): number {
  return Math.round(area * 10_000) / 10_000;
}
