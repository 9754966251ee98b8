/** The look of one button or text field, from its computed styles and what it stands on. */
import type { ComponentLook, Corners } from '../../../model/branding.ts';
import type { Rgba } from './color.ts';
import { resolve } from './paint.ts';
import type { LookRecord } from './style-records.ts';
import { withoutUndefined } from './without-undefined.ts';

/** All colours that a look is written with. */
export function colorsOf(look: LookRecord): string[] {
  return [
    look.background,
    look.color,
    look.outline[0],
    ...look.borders.map(([color]) => color),
    ...shadowColors(look.shadow),
  ];
}

/** `behind` is the colour under the component, undefined for a picture. */
export function componentLook(
  look: LookRecord,
  behind: string | undefined,
  colors: ReadonlyMap<string, Rgba>,
): ComponentLook {
  const seen = (css: string, ground: string | undefined): string | undefined => {
    const color = colors.get(css);
    return resolve(color && [color[0], color[1], color[2], color[3] * look.opacity], ground);
  };
  const hasGradient = look.backgroundImage.includes('gradient(');
  const isPainted = (colors.get(look.background)?.[3] ?? 0) > 0;
  const background = isPainted ? seen(look.background, behind) : 'transparent';
  const ground = background === 'transparent' ? behind : background;
  const border = look.borders.find(([, style, width]) => style !== 'none' && width > 0);
  const borderColor = border === undefined ? undefined : seen(border[0], ground);
  const [outlineColor, outlineStyle, outlineWidth] = look.outline;
  // `auto` is the browser's own ring, not one of the page.
  const hasOutline = !/^(none|auto)$/.test(outlineStyle) && outlineWidth > 0;
  const [topLeft = 0, topRight = 0, bottomRight = 0, bottomLeft = 0] = look.radii;
  const isEven = look.radii.every((radius) => radius === topLeft);
  const corners: Corners = { topLeft, topRight, bottomRight, bottomLeft };
  return withoutUndefined({
    background: hasGradient ? undefined : background,
    backgroundGradient: hasGradient ? look.backgroundImage : undefined,
    textColor: seen(look.color, hasGradient ? undefined : ground),
    borderColor,
    borderWidth: borderColor === undefined ? undefined : border?.[2],
    borderRadius: topLeft,
    borderRadiusCorners: isEven ? undefined : corners,
    shadow: isShadowSeen(look.shadow, colors) ? look.shadow : undefined,
    outlineColor: hasOutline ? seen(outlineColor, behind) : undefined,
  });
}

/** What is different in another state; undefined when nothing is. */
export function changedLook(rest: ComponentLook, now: ComponentLook): ComponentLook | undefined {
  const gone = { backgroundGradient: 'none', shadow: 'none' } as const;
  const lost = Object.entries(gone).filter(([name]) => name in rest && !(name in now));
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(Reflect.get(rest, name)) !== JSON.stringify(value),
  );
  const all = Object.fromEntries([...changed, ...lost]) as ComponentLook;
  return Object.keys(all).length === 0 ? undefined : all;
}

/** Frameworks leave shadows of no size and no colour behind. */
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
