/** Colours that may stand for the brand, and how much speaks for each. */
import type { ChosenComponents } from './choose-components.ts';
import { difference, perceived } from './color.ts';
import { inkOf } from './measure-colors.ts';
import type { SchemeReading } from './read-scheme.ts';

/** Colours whose part is known. */
export interface KnownColors {
  readonly background: string | undefined;
  readonly textPrimary: string | undefined;
  readonly link: string | undefined;
  /** Of a meta element. */
  readonly themeColor: string | undefined;
}

/**
 * Heaviest first, shades of one colour joined. The main button says most, then links and a header
 * that has a colour; greys count for little, because every page has them.
 */
export function brandCandidates(
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

  const { records, painting, controlOf } = reading;
  const whole = records.width * records.height;
  const empty = (): Map<string, number> => new Map();
  const shares = { areas: empty(), borders: empty(), headings: empty(), text: empty() };
  const count = (of: Map<string, number>, color: string | undefined, area: number): void => {
    if (color !== undefined) of.set(color, (of.get(color) ?? 0) + area / whole);
  };
  for (const [index, box] of records.boxes.entries()) {
    const painted = painting.boxes[index];
    if (painted === undefined || painted.isCovered || box.mood !== '' || box.isCode) continue;
    if (controlOf[index] !== -1 || painted.isCanvas) continue;
    if (box.background >= 0 && box.picture === '') {
      const isBar = box.place === 'header' && box.width > records.width / 2;
      if (isBar) add(painted.ground, 4, 0.25);
      count(shares.areas, painted.ground, box.width * box.height);
    }
    if (box.border >= 0) count(shares.borders, painted.border, box.borderArea);
    if (box.characters > 0 && painted.text !== known.textPrimary) {
      const ink = inkOf(box, records.fonts[box.font]?.size ?? 0);
      count(box.heading > 0 ? shares.headings : shares.text, painted.text, ink);
    }
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

/** What can hardly be told apart counts for its heaviest shade. */
function joinShades(weights: readonly (readonly [string, number])[]): [string, number][] {
  const joined: [string, number][] = [];
  for (const [color, weight] of [...weights].sort(([, one], [, other]) => other - one)) {
    const near = joined.find(([shade]) => difference(shade, color) < 0.05);
    if (near === undefined) joined.push([color, weight]);
    else near[1] += weight;
  }
  return joined;
}
