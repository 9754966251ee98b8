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
  type ControlRecord,
  controlSample,
  type ControlStyle,
  controlStyleSample,
  type StyleLimits,
  type StyleRecords,
  stylesSample,
} from './page-records.ts';
import { paint, type Painting, resolve } from './paint.ts';
import { compact } from '../../core/runtime/compact.ts';

/** The records of one scheme, painted and with controls. */
export interface SchemeReading {
  readonly records: StyleRecords;
  readonly painting: Painting;
  readonly controls: readonly SeenControl[];
  /** The control around each box, -1 for none. */
  readonly controlOf: readonly number[];
  readonly colors: ReadonlyMap<string, Rgba>;
  /** A handle of the boxes' elements in the page. */
  readonly held: InPage<HeldStyles>;
}

/** A control with its styles. */
export interface SeenControl extends ControlRecord {
  readonly style: ControlStyle;
}

const styleLimits: StyleLimits = {
  elements: 5000,
  time: 700,
  height: 12_000,
  consent: [
    'cookie[-_]?(banner|bar|consent|notice|popup|modal|message|dialog|overlay|law|wall|policy-)',
    '(^|[\\s_-])(consent|gdpr|ccpa)[-_]?(banner|bar|popup|modal|notice|manager|overlay|dialog|root)',
    'onetrust|cookiebot|cybot|didomi|usercentrics|qc-cmp|truste|sp_message|fc-consent|cc-window',
    'cmp-?(container|banner|wrapper)|iubenda-cs|klaro|osano-cm|termly|borlabs',
  ].join('|'),
  advertisement: [
    '(^|[\\s_-])(ads?|adverts?|advertisement|sponsored)([\\s_-]|$)',
    'adsbygoogle|google_ads|gpt-ad|ad-?(slot|banner|container|wrapper|unit|box|placement)([\\s_-]|$)',
    'taboola|outbrain',
  ].join('|'),
  success: '(^|[\\s_-])(success|positive|in-?stock|valid)([\\s_-]|$)',
  warning: '(^|[\\s_-])(warning|warn|caution)([\\s_-]|$)',
  error: '(^|[\\s_-])(error|danger|invalid|negative|destructive)([\\s_-]|$)',
};

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
  return {
    records,
    painting,
    controls,
    controlOf: controlsOfBoxes(records, controls),
    colors,
    held,
  };
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

function controlsOfBoxes(
  { boxes }: StyleRecords,
  controls: readonly ControlRecord[],
): readonly number[] {
  const own = new Map(controls.map(({ box }, index) => [box, index]));
  const all: number[] = [];
  // Parents come before their children.
  for (const [index, { parent }] of boxes.entries()) {
    all.push(own.get(index) ?? all[parent] ?? -1);
  }
  return all;
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
