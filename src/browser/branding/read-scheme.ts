/** Reads one colour scheme of the page: painted boxes, and the style of its buttons and fields. */
import { checkAnswer, type InPage, type IsolatedWorld } from '../actions/isolated-world.ts';
import type { ComponentLook, Corners } from '../../core/model/branding.ts';
import { readColors, type Rgba } from './color.ts';
import {
  collectStyles,
  findControls,
  heldRecords,
  type HeldStyles,
  readControlStyles,
} from './in-page/collect-styles.ts';
import {
  type BoxRecord,
  type ControlRecord,
  controlSample,
  type ControlStyle,
  controlStyleSample,
  styleLimits,
  type StyleRecords,
  stylesSample,
} from './page-records.ts';
import { paint, type PaintedBox, type Painting, resolve } from './paint.ts';
import { compact } from '../../core/runtime/compact.ts';

/** The records of one scheme, painted and with controls. */
export interface SchemeReading {
  readonly records: StyleRecords;
  readonly painting: Painting;
  readonly boxes: readonly SeenBox[];
  readonly controls: readonly SeenControl[];
  readonly colors: ReadonlyMap<string, Rgba>;
  /** A handle of the boxes' elements in the page. */
  readonly held: InPage<HeldStyles>;
}

/** A painted box and its place in a control. */
export interface SeenBox extends PaintedBox {
  /** The control that it is, or that is around it. */
  readonly control: SeenControl | undefined;
  readonly isControl: boolean;
  /** Pixels of ink in its text. */
  readonly ink: number;
}

/** A control with its styles. */
export interface SeenControl extends ControlRecord {
  readonly style: ControlStyle;
}

const controlLimit = 60;

/** Reads the scheme that is active. */
export async function readScheme(world: IsolatedWorld): Promise<SchemeReading> {
  const held = await world.keep(collectStyles, styleLimits);
  if (held === undefined) throw new Error('The page gave no styles.');
  const records = checkAnswer(await world.call(heldRecords, held), stylesSample, 'styles');
  const found = checkAnswer(
    await world.call(findControls, held, controlLimit),
    [controlSample],
    'controls',
  );
  const styles = await readHeldStyles(
    world,
    held,
    found.map(({ box }) => box),
  );
  const colors = await readColors(world, [...records.colors, ...styles.flatMap(colorsOf)]);
  const painting = paint(
    records,
    records.colors.map((css) => colors.get(css)),
  );
  const controls = found.flatMap((control, index) => {
    const style = styles[index];
    return style === undefined ? [] : [{ ...control, style }];
  });
  const own = new Map(controls.map((control) => [control.box, control]));
  const boxes: SeenBox[] = [];
  // Parents come before their children.
  for (const [index, box] of painting.boxes.entries()) {
    const control = own.get(index) ?? boxes[box.parent]?.control;
    const ink = inkOf(box, records.fonts[box.font]?.size ?? 0);
    boxes.push({ ...box, control, isControl: own.has(index), ink });
  }
  return { records, painting, boxes, controls, colors, held };
}

const inkOfLetter = 0.125; // share of a glyph's square that is ink, for glyphs half as wide as high

function inkOf({ characters, width, height }: BoxRecord, fontSize: number): number {
  // Ink covers at most a third of a clipped box.
  return Math.min(characters * fontSize * fontSize * inkOfLetter, (width * height) / 3);
}

/** The current styles of some held elements. */
export async function readHeldStyles(
  world: IsolatedWorld,
  held: InPage<HeldStyles>,
  boxes: readonly number[],
): Promise<readonly ControlStyle[]> {
  return checkAnswer(
    await world.call(readControlStyles, held, boxes),
    [controlStyleSample],
    'looks',
  );
}

// The style of one button or text field, from its computed styles and its backdrop.

/** All colours of a style. */
export function colorsOf(style: ControlStyle): string[] {
  return [
    style.background,
    style.color,
    style.outline[0],
    ...style.borders.map(([color]) => color),
    ...shadowColors(style.shadow),
  ];
}

/** `behind` is the colour under the component, undefined for a picture. */
export function componentStyle(
  computed: ControlStyle,
  behind: string | undefined,
  colors: ReadonlyMap<string, Rgba>,
): ComponentLook {
  const seen = (css: string, backdrop: string | undefined): string | undefined => {
    const color = colors.get(css);
    return resolve(color && [color[0], color[1], color[2], color[3] * computed.opacity], backdrop);
  };
  const hasGradient = computed.backgroundImage.includes('gradient(');
  const isPainted = (colors.get(computed.background)?.[3] ?? 0) > 0;
  const background = isPainted ? seen(computed.background, behind) : 'transparent';
  const backdrop = background === 'transparent' ? behind : background;
  const border = computed.borders.find(([, style, width]) => style !== 'none' && width > 0);
  const borderColor = border === undefined ? undefined : seen(border[0], backdrop);
  const [outlineColor, outlineStyle, outlineWidth] = computed.outline;
  // `auto` is the browser's own focus ring, not the page's.
  const hasOutline = !/^(none|auto)$/.test(outlineStyle) && outlineWidth > 0;
  const [topLeft = 0, topRight = 0, bottomRight = 0, bottomLeft = 0] = computed.radii;
  const isEven = computed.radii.every((radius) => radius === topLeft);
  const corners: Corners = { topLeft, topRight, bottomRight, bottomLeft };
  return compact({
    background: hasGradient ? undefined : background,
    backgroundGradient: hasGradient ? computed.backgroundImage : undefined,
    textColor: seen(computed.color, hasGradient ? undefined : backdrop),
    borderColor,
    borderWidth: borderColor === undefined ? undefined : border?.[2],
    borderRadius: topLeft,
    borderRadiusCorners: isEven ? undefined : corners,
    shadow: isShadowSeen(computed.shadow, colors) ? computed.shadow : undefined,
    outlineColor: hasOutline ? seen(outlineColor, behind) : undefined,
  });
}

/** The properties that differ in another state; undefined if there are none. */
export function changedStyle(rest: ComponentLook, now: ComponentLook): ComponentLook | undefined {
  const gone = { backgroundGradient: 'none', shadow: 'none' } as const;
  const lost = Object.entries(gone).filter(([name]) => name in rest && !(name in now));
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(Reflect.get(rest, name)) !== JSON.stringify(value),
  );
  const all = Object.fromEntries([...changed, ...lost]) as ComponentLook;
  return Object.keys(all).length === 0 ? undefined : all;
}

/** False for shadows without size or colour, which frameworks leave behind. */
function isShadowSeen(shadow: string, colors: ReadonlyMap<string, Rgba>): boolean {
  if (shadow === 'none' || shadow === '') return false;
  const lengths = [...shadow.replace(/\([^()]*\)/g, '').matchAll(/(-?[\d.]+)px/g)];
  const isSized = lengths.some(([, length]) => Number(length) !== 0);
  const painted = shadowColors(shadow);
  return isSized && painted.some((css) => (colors.get(css)?.[3] ?? 1) > 0);
}

function shadowColors(shadow: string): string[] {
  return [...shadow.matchAll(/[a-z]+\([^()]*\)/g)].map(([color]) => color);
}
