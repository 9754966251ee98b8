/** How buttons and fields look when they are pointed at, focused or switched off. */
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';
import type { BrandComponent, BrandComponents } from '../../../model/branding.ts';
import type { ChosenComponent, ChosenComponents } from './choose-components.ts';
import { changedLook, colorsOf, componentLook } from './component-look.ts';
import { heldElement } from './in-page/held-element.ts';
import { readColors } from './read-colors.ts';
import { readHeldLooks, type SchemeReading } from './read-scheme.ts';
import { withoutUndefined } from './without-undefined.ts';

const states = {
  hover: ['hover'],
  focus: ['focus', 'focus-visible', 'focus-within'],
  disabled: ['disabled'],
} as const;

/**
 * Adds the states. They are forced through the debugging protocol: nothing is clicked or focused,
 * and no script of the page is told.
 */
export async function addStates(
  world: IsolatedWorld,
  reading: SchemeReading,
  chosen: ChosenComponents,
): Promise<BrandComponents> {
  // Node ids exist only once the document was asked for.
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
  const element = await world.keepOn(reading.held, heldElement, box);
  if (element === undefined) return component;
  const { objectId } = element;
  const { nodeId } = await world.send('DOM.requestNode', { objectId });
  const force = async (forcedPseudoClasses: readonly string[]): Promise<void> => {
    await world.send('CSS.forcePseudoState', {
      nodeId,
      forcedPseudoClasses: [...forcedPseudoClasses],
    });
  };
  const behind = reading.painting.boxes[box]?.behind;
  const found: NonNullable<BrandComponent['states']> = {};
  for (const [state, pseudoClasses] of Object.entries(states)) {
    await force(pseudoClasses);
    const [look] = await readHeldLooks(world, reading.held, [box]);
    if (look === undefined) continue;
    const colors = await readColors(world, colorsOf(look));
    const changed = changedLook(component, componentLook(look, behind, colors));
    if (changed !== undefined) Object.assign(found, { [state]: changed });
  }
  await force([]);
  return withoutUndefined({
    ...component,
    states: Object.keys(found).length === 0 ? undefined : found,
  });
}
