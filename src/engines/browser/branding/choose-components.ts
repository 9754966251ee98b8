/** Which buttons are the main ones, and which text field is the usual one. */
import type { BrandComponent } from '../../../model/branding.ts';
import { difference, perceived } from './color.ts';
import { componentLook } from './component-look.ts';
import { familyOf } from './font-family.ts';
import type { SchemeReading, SeenControl } from './read-scheme.ts';
import { withoutUndefined } from './without-undefined.ts';

/** A component, and the box that shows it. */
export interface ChosenComponent {
  readonly box: number;
  readonly component: BrandComponent;
}

/** What was found of each. */
export interface ChosenComponents {
  readonly buttonPrimary?: ChosenComponent | undefined;
  readonly buttonSecondary?: ChosenComponent | undefined;
  readonly input?: ChosenComponent | undefined;
}

interface Candidate extends ChosenComponent {
  readonly score: number;
  /** Equal for buttons that look the same. */
  readonly key: string;
}

/** Chooses by look, size and place. */
export function chooseComponents(reading: SchemeReading): ChosenComponents {
  const seen = reading.controls.flatMap((control) => candidate(reading, control) ?? []);
  const buttons = bestOfEachLook(seen.filter(({ kind }) => kind === 'button'));
  const [input] = bestOfEachLook(seen.filter(({ kind }) => kind === 'input'));
  const [primary] = buttons;
  const secondary = buttons.find(
    (button) =>
      primary !== undefined &&
      button.score >= primary.score * 0.03 &&
      isOtherLook(primary.component, button.component),
  );
  const chosen = (from: Candidate | undefined): ChosenComponent | undefined =>
    from && { box: from.box, component: from.component };
  return withoutUndefined({
    buttonPrimary: chosen(primary),
    buttonSecondary: chosen(secondary),
    input: chosen(input),
  });
}

/** True when something is painted or framed: plain text is a link, whatever its tag. */
function hasSurface({ background, backgroundGradient, borderColor }: BrandComponent): boolean {
  const isFlat = background !== undefined && background !== 'transparent';
  return isFlat || backgroundGradient !== undefined || borderColor !== undefined;
}

function isOtherLook(one: BrandComponent, other: BrandComponent): boolean {
  return (
    one.background !== other.background ||
    one.backgroundGradient !== other.backgroundGradient ||
    (one.background === 'transparent' && one.borderColor !== other.borderColor)
  );
}

function candidate(
  { records, painting, colors }: SchemeReading,
  control: SeenControl,
): (Candidate & { kind: SeenControl['kind'] }) | undefined {
  const box = records.boxes[control.box];
  const painted = painting.boxes[control.box];
  if (box === undefined || painted === undefined || painted.isCovered) return undefined;
  const { look, kind, label } = control;
  // Without a word on it a button is an arrow, a cross or a search icon.
  if (control.isDisabled || (kind === 'button' && !/[\p{L}\p{N}]{2}/u.test(label)))
    return undefined;
  const [top = 0, right = 0, bottom = 0, left = 0] = look.padding;
  const component: BrandComponent = {
    ...componentLook(look, painted.behind, colors),
    padding: { top, right, bottom, left },
    fontFamily: familyOf(look.fontStack) ?? look.fontStack,
    fontSize: look.fontSize,
    fontWeight: look.fontWeight,
    ...(kind === 'button' ? { label } : {}),
  };
  if (!hasSurface(component)) return undefined;
  const { background, backgroundGradient, borderColor, textColor, borderRadius } = component;
  const key = [background, backgroundGradient, borderColor, textColor, borderRadius].join('|');
  const size = Math.min(3, Math.sqrt(box.width * box.height) / 70);
  const place = box.place === 'footer' ? 0.4 : 1;
  const fold = box.y < 900 ? 1.5 : 1;
  const strength = kind === 'input' ? 1 : fill(component, painted.behind) * named(control.names);
  return { kind, box: control.box, component, key, score: size * place * fold * strength };
}

/** How much a button stands out: filled with a colour, filled, outlined. */
function fill(component: BrandComponent, behind: string | undefined): number {
  if (component.backgroundGradient !== undefined) return 2.5;
  const { background } = component;
  if (background === undefined || background === 'transparent') return 0.6;
  const contrast = behind === undefined ? 0.5 : difference(background, behind);
  return 0.6 + Math.min(1.2, contrast * 3) + Math.min(1, perceived(background).chroma * 8);
}

function named(names: string): number {
  if (/(^|[\s_-])(secondary|ghost|outlined?|tertiary|default|link)([\s_-]|$)/.test(names)) {
    return 0.7;
  }
  return /(^|[\s_-])(primary|cta|buy|main)([\s_-]|$)/.test(names) ? 2 : 1;
}

/** The best of those that look the same, with something for their number; best look first. */
function bestOfEachLook(candidates: readonly Candidate[]): Candidate[] {
  const looks = new Map<string, Candidate[]>();
  for (const one of candidates) looks.set(one.key, [...(looks.get(one.key) ?? []), one]);
  const best = [...looks.values()].flatMap((same) => {
    const [first, ...others] = same.sort((one, other) => other.score - one.score);
    if (first === undefined) return [];
    const more = others.reduce((sum, { score }) => sum + score, 0);
    return [{ ...first, score: first.score + Math.min(first.score, more * 0.15) }];
  });
  return best.sort((one, other) => other.score - one.score);
}
