/** Chooses the main buttons and the most usual text field, and reads their states. */
import type { IsolatedWorld } from '../actions/isolated-world.ts';
import type { BrandComponent, BrandComponents } from '../../core/model/branding.ts';
import { difference, perceived, readColors } from './color.ts';
import { familyOf } from './measures.ts';
import { heldElement } from './in-page/collect-styles.ts';
import {
  changedStyle,
  colorsOf,
  componentStyle,
  readHeldStyles,
  type SchemeReading,
  type SeenControl,
} from './read-scheme.ts';
import { compact } from '../../core/runtime/compact.ts';

/** A component and its box. */
interface ChosenComponent {
  readonly box: number;
  readonly component: BrandComponent;
}

/** The chosen component of each kind. */
export interface ChosenComponents {
  readonly buttonPrimary?: ChosenComponent | undefined;
  readonly buttonSecondary?: ChosenComponent | undefined;
  readonly input?: ChosenComponent | undefined;
}

interface ComponentCandidate extends ChosenComponent {
  readonly score: number;
  /** Equal for buttons of the same style. */
  readonly key: string;
}

/** Chooses by style, size and region. */
export function chooseComponents(reading: SchemeReading): ChosenComponents {
  const seen = reading.controls.flatMap((control) => candidateOf(reading, control) ?? []);
  const buttons = bestOfEachStyle(seen.filter(({ kind }) => kind === 'button'));
  const [input] = bestOfEachStyle(seen.filter(({ kind }) => kind === 'input'));
  const [primary] = buttons;
  const secondary = buttons.find(
    (button) =>
      primary !== undefined &&
      button.score >= primary.score * 0.03 &&
      differsVisibly(primary.component, button.component),
  );
  return compact({ buttonPrimary: primary, buttonSecondary: secondary, input });
}

/** True if a surface or border is painted: plain text is a link, whatever its tag. */
function hasSurface({ background, backgroundGradient, borderColor }: BrandComponent): boolean {
  const isFlat = background !== undefined && background !== 'transparent';
  return isFlat || backgroundGradient !== undefined || borderColor !== undefined;
}

function differsVisibly(one: BrandComponent, other: BrandComponent): boolean {
  return (
    one.background !== other.background ||
    one.backgroundGradient !== other.backgroundGradient ||
    (one.background === 'transparent' && one.borderColor !== other.borderColor)
  );
}

function candidateOf(
  { boxes, colors }: SchemeReading,
  control: SeenControl,
): (ComponentCandidate & { kind: SeenControl['kind'] }) | undefined {
  const box = boxes[control.box];
  if (box === undefined || box.isCovered) return undefined;
  const { style, kind, label } = control;
  // A button without a word is an arrow, a cross or a search icon.
  if (control.isDisabled || (kind === 'button' && !/[\p{L}\p{N}]{2}/u.test(label)))
    return undefined;
  const [top = 0, right = 0, bottom = 0, left = 0] = style.padding;
  const component: BrandComponent = {
    ...componentStyle(style, box.behind, colors),
    padding: { top, right, bottom, left },
    fontFamily: familyOf(style.fontStack) ?? style.fontStack,
    fontSize: style.fontSize,
    fontWeight: style.fontWeight,
    ...(kind === 'button' ? { label } : {}),
  };
  if (!hasSurface(component)) return undefined;
  const { background, backgroundGradient, borderColor, textColor, borderRadius } = component;
  const key = [background, backgroundGradient, borderColor, textColor, borderRadius].join('|');
  const size = Math.min(3, Math.sqrt(box.width * box.height) / 70);
  const regionFactor = box.region === 'footer' ? 0.4 : 1;
  const fold = box.y < 900 ? 1.5 : 1;
  const strength =
    kind === 'input' ? 1 : fillStrength(component, box.behind) * nameStrength(control.names);
  return { kind, box: control.box, component, key, score: size * regionFactor * fold * strength };
}

/** The prominence of a button: filled with a colour, filled, outlined. */
function fillStrength(component: BrandComponent, behind: string | undefined): number {
  if (component.backgroundGradient !== undefined) return 2.5;
  const { background } = component;
  if (background === undefined || background === 'transparent') return 0.6;
  const contrast = behind === undefined ? 0.5 : difference(background, behind);
  return 0.6 + Math.min(1.2, contrast * 3) + Math.min(1, perceived(background).chroma * 8);
}

function nameStrength(names: string): number {
  if (/(^|[\s_-])(secondary|ghost|outlined?|tertiary|default|link)([\s_-]|$)/.test(names)) {
    return 0.7;
  }
  return /(^|[\s_-])(primary|cta|buy|main)([\s_-]|$)/.test(names) ? 2 : 1;
}

/** The best component of each style, with a bonus for their number; best style first. */
function bestOfEachStyle(candidates: readonly ComponentCandidate[]): ComponentCandidate[] {
  const byStyle = new Map<string, ComponentCandidate[]>();
  for (const one of candidates) byStyle.set(one.key, [...(byStyle.get(one.key) ?? []), one]);
  const best = [...byStyle.values()].flatMap((same) => {
    const [first, ...others] = same.sort((one, other) => other.score - one.score);
    if (first === undefined) return [];
    const more = others.reduce((sum, { score }) => sum + score, 0);
    return [{ ...first, score: first.score + Math.min(first.score, more * 0.15) }];
  });
  return best.sort((one, other) => other.score - one.score);
}

// The style of buttons and fields in the states hover, focus and disabled.

const forcedStates = {
  hover: ['hover'],
  focus: ['focus', 'focus-visible', 'focus-within'],
  disabled: ['disabled'],
} as const;

/**
 * Adds the states. They are forced through the debugging protocol: no element is clicked or focused,
 * and scripts of the page get no event.
 */
export async function addStates(
  world: IsolatedWorld,
  reading: SchemeReading,
  chosen: ChosenComponents,
): Promise<BrandComponents> {
  // Node ids exist only after a request for the document.
  await world.send('DOM.getDocument', { depth: 0 });
  const found: { -readonly [name in keyof BrandComponents]: BrandComponent } = {};
  for (const name of ['buttonPrimary', 'buttonSecondary', 'input'] as const) {
    const one = chosen[name];
    if (one !== undefined) found[name] = await withStates(world, reading, one);
  }
  return found;
}

async function withStates(
  world: IsolatedWorld,
  reading: SchemeReading,
  { box, component }: ChosenComponent,
): Promise<BrandComponent> {
  const element = await world.keep(heldElement, reading.held, box);
  if (element === undefined) return component;
  const { objectId } = element;
  const { nodeId } = await world.send('DOM.requestNode', { objectId });
  const force = async (forcedPseudoClasses: readonly string[]): Promise<void> => {
    await world.send('CSS.forcePseudoState', {
      nodeId,
      forcedPseudoClasses: [...forcedPseudoClasses],
    });
  };
  const behind = reading.boxes[box]?.behind;
  const found: NonNullable<BrandComponent['states']> = {};
  for (const [state, pseudoClasses] of Object.entries(forcedStates)) {
    await force(pseudoClasses);
    const [style] = await readHeldStyles(world, reading.held, [box]);
    if (style === undefined) continue;
    const colors = await readColors(world, colorsOf(style));
    const changed = changedStyle(component, componentStyle(style, behind, colors));
    if (changed !== undefined) Object.assign(found, { [state]: changed });
  }
  await force([]);
  return compact({
    ...component,
    states: Object.keys(found).length === 0 ? undefined : found,
  });
}
