/** Assigns roles to the colours of a page: brand, background, text, links, messages. */
import type { BrandColors } from '../../core/model/branding.ts';
import { difference, perceived } from './color.ts';
import type { ChosenComponents } from './components.ts';
import type { SchemeReading, SeenBox } from './read-scheme.ts';
import { compact } from '../../core/runtime/compact.ts';

/** Chooses the colours. `themeColor` is the colour of a meta element, as `#rrggbb`. */
export function chooseColors(
  reading: SchemeReading,
  components: ChosenComponents,
  themeColor: string | undefined,
): BrandColors {
  const background = backgroundOf(reading);
  const texts = reading.boxes.filter(
    ({ backdrop, characters, control, isCode, isCovered, mood, region }) => {
      const isWritten = characters > 0 && !isCode && !isCovered && control === undefined;
      if (!isWritten || backdrop === undefined || background === undefined) return false;
      return mood === '' && region !== 'footer' && isLikePage(backdrop, background);
    },
  );
  const inks = (isWanted: (box: SeenBox) => boolean): Map<string, number> => {
    const found = new Map<string, number>();
    for (const { text, ink } of texts.filter(isWanted)) {
      if (text !== undefined) found.set(text, (found.get(text) ?? 0) + ink);
    }
    return found;
  };
  const proseInks = inks((box) => box.link === 0 && box.heading === 0);
  const textPrimary = heaviest(proseInks) ?? heaviest(inks((box) => box.link === 0));
  const link =
    heaviest(inks((box) => box.link === 2)) ??
    heaviest(inks((box) => box.link === 1 && box.region !== 'header'));
  const textSecondary = [...proseInks]
    .sort(([, one], [, other]) => other - one)
    .find(([color]) => isSecondaryText(color, textPrimary, link, background))?.[0];
  const [primary, secondary, accent] = brandColors(
    brandCandidates(reading, components, { background, textPrimary, link, themeColor }),
  );
  return compact({
    primary,
    secondary,
    accent,
    background,
    textPrimary,
    textSecondary,
    link,
    ...moodColors(reading, background),
  });
}

/** The canvas if at least a quarter of it is visible; else the colour with the largest area. */
function backgroundOf({ painting }: SchemeReading): string | undefined {
  const { canvas, areas } = painting;
  if (canvas !== undefined && (areas.get(canvas) ?? 0) >= 0.25) return canvas;
  const [largest] = [...areas].sort(([, one], [, other]) => other - one);
  return largest !== undefined && largest[1] >= 0.1 ? largest[0] : canvas;
}

/** True for cards and panels, which are a little lighter or darker than the page. */
function isLikePage(backdrop: string, background: string): boolean {
  return Math.abs(perceived(backdrop).lightness - perceived(background).lightness) < 0.25;
}

function heaviest(weights: ReadonlyMap<string, number>): string | undefined {
  return [...weights].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** True for a colour paler than the text, still legible, and almost grey. */
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

/** Three distinguishable colours; the third must not be a grey. */
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

/** Colours of messages whose hue matches their name: OKLCH, red 25, yellow 100, green 145. */
function moodColors(
  { boxes }: SchemeReading,
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
    const found = boxes.flatMap((box) => {
      if (box.mood !== mood || box.isCovered) return [];
      const backdrop = box.background >= 0 ? box.backdrop : undefined;
      return [backdrop, box.text, box.borderColor].filter(fits);
    });
    // A pale panel has a strong frame or text: the colour with the highest chroma represents the message.
    return found.sort((one, other) => perceived(other).chroma - perceived(one).chroma)[0];
  };
  return { success: colorOf('success'), warning: colorOf('warning'), error: colorOf('error') };
}

// Candidates for brand colours, with weights.

/** Colours with a known role. */
interface KnownColors {
  readonly background: string | undefined;
  readonly textPrimary: string | undefined;
  readonly link: string | undefined;
  /** Of a meta element. */
  readonly themeColor: string | undefined;
}

/**
 * Heaviest first, shades of one colour joined. The main button has the highest weight, then links and a coloured
 * header; greys have low weights, because every page has them.
 */
function brandCandidates(
  reading: SchemeReading,
  { buttonPrimary, buttonSecondary }: ChosenComponents,
  known: KnownColors,
): (readonly [color: string, weight: number])[] {
  const weights = new Map<string, number>();
  const add = (color: string | undefined, weight: number, ofGrey: number): void => {
    if (color === undefined || color === 'transparent') return;
    if (known.background !== undefined && difference(color, known.background) < 0.06) return;
    const { chroma } = perceived(color);
    const factor = chroma > 0.04 ? Math.min(1, 0.6 + chroma * 3) : ofGrey;
    if (factor > 0) weights.set(color, (weights.get(color) ?? 0) + weight * factor);
  };
  const main = buttonPrimary?.component;
  const other = buttonSecondary?.component;
  add(main?.background, 10, 0.5);
  if (main?.background === 'transparent') add(main.borderColor, 4, 0.2);
  add(other?.background, 3, 0.3);
  if (other?.background === 'transparent') add(other.borderColor, 1.5, 0);
  if (known.link !== known.textPrimary) add(known.link, 4, 0.1);

  const { records, painting, boxes } = reading;
  const whole = records.width * records.height;
  const empty = (): Map<string, number> => new Map();
  const shares = { areas: empty(), borders: empty(), headings: empty(), text: empty() };
  const count = (of: Map<string, number>, color: string | undefined, area: number): void => {
    if (color !== undefined) of.set(color, (of.get(color) ?? 0) + area / whole);
  };
  for (const box of boxes) {
    if (box.isCovered || box.isCanvas || box.isCode) continue;
    if (box.mood !== '' || box.control !== undefined) continue;
    if (box.background >= 0 && box.picture === '') {
      const isBar = box.region === 'header' && box.width > records.width / 2;
      if (isBar) add(box.backdrop, 4, 0.25);
      count(shares.areas, box.backdrop, box.width * box.height);
    }
    count(shares.borders, box.borderColor, box.borderArea);
    if (box.text === known.textPrimary) continue;
    count(box.heading > 0 ? shares.headings : shares.text, box.text, box.ink);
  }
  for (const [color, area] of shares.areas) {
    add(color, Math.min(2, 15 * Math.min(area, painting.areas.get(color) ?? 0)), 0.25);
  }
  for (const [color, area] of shares.headings) add(color, Math.min(2, area * 300), 0);
  for (const [color, area] of shares.text) add(color, Math.min(1, area * 100), 0);
  for (const [color, area] of shares.borders) add(color, Math.min(1, area * 200), 0);
  const joined = joinShades([...weights]);
  return joined
    .map(
      ([color, weight]) => [color, isTheme(color, known.themeColor) ? weight + 3 : weight] as const,
    )
    .sort(([, one], [, another]) => another - one);
}

function isTheme(color: string, themeColor: string | undefined): boolean {
  return themeColor !== undefined && difference(color, themeColor) < 0.03;
}

/** Adds the weights of almost equal colours to their heaviest shade. */
function joinShades(weights: readonly (readonly [string, number])[]): [string, number][] {
  const joined: [string, number][] = [];
  for (const [color, weight] of [...weights].sort(([, one], [, other]) => other - one)) {
    const near = joined.find(([shade]) => difference(shade, color) < 0.05);
    if (near === undefined) joined.push([color, weight]);
    else near[1] += weight;
  }
  return joined;
}
