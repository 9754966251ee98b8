/** Which colours play which part. */
import type { BrandColors } from '../../../model/branding.ts';
import { brandCandidates } from './brand-candidates.ts';
import type { ChosenComponents } from './choose-components.ts';
import { difference, perceived } from './color.ts';
import { inkOf } from './measure-colors.ts';
import type { SchemeReading } from './read-scheme.ts';
import type { BoxRecord } from './style-records.ts';
import { withoutUndefined } from './without-undefined.ts';

/** Chooses. `themeColor` is what a meta element names, as `#rrggbb`. */
export function chooseColors(
  reading: SchemeReading,
  components: ChosenComponents,
  themeColor: string | undefined,
): BrandColors {
  const background = backgroundOf(reading);
  const onPage = (box: BoxRecord, index: number): boolean => {
    const ground = reading.painting.boxes[index]?.ground;
    const isNear =
      ground !== undefined && background !== undefined && isLikePage(ground, background);
    return isNear && reading.controlOf[index] === -1 && box.mood === '' && box.place !== 'footer';
  };
  const textInks = inks(reading, (box, index) => onPage(box, index) && box.link === 0);
  const proseInks = inks(
    reading,
    (box, index) => onPage(box, index) && box.link === 0 && box.heading === 0,
  );
  const textPrimary = heaviest(proseInks) ?? heaviest(textInks);
  const link =
    heaviest(inks(reading, (box, index) => onPage(box, index) && box.link === 2)) ??
    heaviest(
      inks(reading, (box, index) => onPage(box, index) && box.link === 1 && box.place !== 'header'),
    );
  const textSecondary = [...proseInks]
    .sort(([, one], [, other]) => other - one)
    .find(([color]) => isSecondaryText(color, textPrimary, link, background))?.[0];
  const [primary, secondary, accent] = brandColors(
    brandCandidates(reading, components, { background, textPrimary, link, themeColor }),
  );
  return withoutUndefined({
    ...{ primary, secondary, accent, background, textPrimary, textSecondary, link },
    ...moodColors(reading, background),
  });
}

/** The canvas when a quarter of it is seen; else what covers most. */
function backgroundOf({ painting }: SchemeReading): string | undefined {
  const { canvas, areas } = painting;
  if (canvas !== undefined && (areas.get(canvas) ?? 0) >= 0.25) return canvas;
  const [largest] = [...areas].sort(([, one], [, other]) => other - one);
  return largest !== undefined && largest[1] >= 0.1 ? largest[0] : canvas;
}

/** Cards and panels are a little lighter or darker than the page. */
function isLikePage(ground: string, background: string): boolean {
  return Math.abs(perceived(ground).lightness - perceived(background).lightness) < 0.25;
}

function inks(
  { records, painting }: SchemeReading,
  isWanted: (box: BoxRecord, index: number) => boolean,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, box] of records.boxes.entries()) {
    const painted = painting.boxes[index];
    if (painted?.text === undefined || painted.isCovered || box.characters === 0) continue;
    if (box.isCode || !isWanted(box, index)) continue;
    const ink = inkOf(box, records.fonts[box.font]?.size ?? 0);
    found.set(painted.text, (found.get(painted.text) ?? 0) + ink);
  }
  return found;
}

function heaviest(weights: ReadonlyMap<string, number>): string | undefined {
  return [...weights].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Paler than the text, still to be read, and no colour of its own. */
function isSecondaryText(
  color: string,
  textPrimary: string | undefined,
  link: string | undefined,
  background: string | undefined,
): boolean {
  if (textPrimary === undefined || background === undefined) return false;
  const contrast = difference(color, background);
  return (
    color !== link &&
    difference(color, textPrimary) > 0.06 &&
    contrast > 0.15 &&
    contrast < difference(textPrimary, background) &&
    perceived(color).chroma < 0.08
  );
}

/** Three that can be told apart; the third has to be a colour, not a grey. */
function brandColors(
  candidates: readonly (readonly [color: string, weight: number])[],
): (string | undefined)[] {
  const [primary] = candidates.find(([, weight]) => weight >= 0.5) ?? [];
  const isOther = (color: string, taken: readonly (string | undefined)[]): boolean =>
    taken.every((one) => one === undefined || difference(one, color) > 0.1);
  const rest = candidates.filter(([, weight]) => weight >= 0.3);
  const [secondary] = rest.find(([color]) => isOther(color, [primary])) ?? [];
  const [accent] =
    rest.find(
      ([color]) => isOther(color, [primary, secondary]) && perceived(color).chroma > 0.05,
    ) ?? [];
  return primary === undefined ? [] : [primary, secondary, accent];
}

/** Colours of messages, where their hue is that of their name: OKLCH, red 25, yellow 100, green 145. */
function moodColors(
  { records, painting }: SchemeReading,
  background: string | undefined,
): Pick<BrandColors, 'success' | 'warning' | 'error'> {
  const hues = { success: [110, 195], warning: [40, 112], error: [-15, 40] } as const;
  const colorOf = (mood: keyof typeof hues): string | undefined => {
    const [from, to] = hues[mood];
    const fits = (color: string | undefined): color is string => {
      if (color === undefined || color === background) return false;
      const { chroma, hue } = perceived(color);
      return chroma > 0.07 && ((hue >= from && hue <= to) || hue - 360 >= from);
    };
    const found = records.boxes.flatMap((box, index) => {
      const painted = painting.boxes[index];
      if (box.mood !== mood || painted === undefined || painted.isCovered) return [];
      const ground = box.background >= 0 ? painted.ground : undefined;
      return [ground, painted.text, painted.border].filter(fits);
    });
    // A pale panel has a strong frame or text: the strongest is the colour that is meant.
    return found.sort((one, other) => perceived(other).chroma - perceived(one).chroma)[0];
  };
  return { success: colorOf('success'), warning: colorOf('warning'), error: colorOf('error') };
}
