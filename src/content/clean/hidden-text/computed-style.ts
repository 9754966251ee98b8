/** Computed style, reduced to what decides whether text is visible. */
import type { DomElement } from '../../html/dom.ts';
import { type CascadedStyles, CustomProperties } from './cascade.ts';
import {
  type Color,
  type ColorReader,
  isSameColor,
  lengthInPixels,
  numberOf,
} from './css-values.ts';
import { displays, splitOutside } from './style-conditions.ts';

/** Styles that an element passes on to its content, and whether it is visible. */
export interface ComputedStyle {
  /** Whether the element is visible: hidden for sure, or perhaps only faded until a script has run. */
  readonly box: 'seen' | 'faded' | 'hidden';
  readonly visibility: 'visible' | 'hidden';
  /** px */
  readonly fontSize: number;
  /** px; text far to the left is off-screen. */
  readonly indent: number;
  /** px */
  readonly letterSpacing: number;
  /** Undefined if it may be set by styles that cannot be read. */
  readonly text: Color | undefined;
  /** Replaces `color` for glyphs. */
  readonly fill: Color | undefined;
  /** Undefined if a picture, or a style that cannot be read, may be behind the text. */
  readonly background: Color | undefined;
  /** The background is clipped to the glyphs, or they have a shadow: the text color alone decides nothing. */
  readonly isDecorated: boolean;
  readonly opacity: number;
  readonly variables: CustomProperties;
  /** Its own styles give it a box, whatever the user-agent style sheet says. */
  readonly isDisplayed: boolean;
  /** It is out of the flow, and may cover any element. */
  readonly isLaidOver: boolean;
}

/** Style of text on a page without style sheets. */
export function initialStyle({
  isKnown,
  isDark,
}: {
  /** All style sheets could be read. */
  readonly isKnown: boolean;
  readonly isDark: boolean;
}): ComputedStyle {
  const [light, dark]: readonly Color[] = [
    [255, 255, 255, 1],
    [18, 18, 18, 1],
  ];
  return {
    box: 'seen',
    visibility: 'visible',
    fontSize: 16,
    indent: 0,
    letterSpacing: 0,
    opacity: 1,
    fill: undefined,
    isDecorated: false,
    isDisplayed: false,
    isLaidOver: false,
    text: isKnown ? (isDark ? light : [0, 0, 0, 1]) : undefined,
    background: isKnown ? (isDark ? dark : light) : undefined,
    variables: new CustomProperties(),
  };
}

/** The properties that `styleOf` reads. */
export const readProperties: ReadonlySet<string> = new Set(
  (
    'all display visibility content-visibility opacity filter color -webkit-text-fill-color ' +
    'background background-color background-image background-clip -webkit-background-clip text-shadow ' +
    'font font-size line-height letter-spacing text-indent position left top right bottom inset ' +
    'inset-inline inset-inline-start inset-inline-end inset-block inset-block-start inset-block-end ' +
    'width height max-width max-height min-width min-height inline-size block-size max-inline-size ' +
    'max-block-size min-inline-size min-block-size overflow overflow-x overflow-y overflow-inline ' +
    'overflow-block clip clip-path -webkit-clip-path transform -webkit-transform scale translate rotate ' +
    'zoom margin margin-left margin-top margin-inline margin-inline-start margin-block ' +
    'margin-block-start padding padding-left padding-top padding-bottom padding-inline ' +
    'padding-inline-start padding-block mask mask-image mask-size mask-mode -webkit-mask -webkit-mask-image ' +
    '-webkit-mask-size ' +
    'backface-visibility color-scheme fill fill-opacity animation animation-name animation-fill-mode ' +
    'float'
  ).split(' '),
);

/** Physical names of logical properties, for left-to-right pages. */
const physical: Readonly<Record<string, string>> = {
  'inset-inline-start': 'left',
  'inset-inline-end': 'right',
  'inset-block-start': 'top',
  'inset-block-end': 'bottom',
  'inline-size': 'width',
  'block-size': 'height',
  'max-inline-size': 'max-width',
  'max-block-size': 'max-height',
  'min-inline-size': 'min-width',
  'min-block-size': 'min-height',
  'overflow-inline': 'overflow-x',
  'overflow-block': 'overflow-y',
  'margin-inline-start': 'margin-left',
  'margin-block-start': 'margin-top',
  'padding-inline-start': 'padding-left',
  'padding-block-start': 'padding-top',
  'padding-block-end': 'padding-bottom',
  '-webkit-transform': 'transform',
  '-webkit-clip-path': 'clip-path',
  '-webkit-mask': 'mask',
  '-webkit-mask-image': 'mask-image',
  '-webkit-mask-size': 'mask-size',
  '-webkit-background-clip': 'background-clip',
};

/** Values of an element's properties, validated where an invalid value would change the result. */
type StyleValues = Map<string, string>;

/** Reads presentational attributes of old HTML and of SVG: weaker than any rule. */
function presentationHints(element: DomElement, values: StyleValues, colors: ColorReader): void {
  const { localName } = element;
  const hint = (attribute: string, property: string): void => {
    const value = element.getAttribute(attribute);
    if (value !== null) {
      setValue(values, property, value.trim().toLowerCase().slice(0, 200), colors);
    }
  };
  if (hasOwnBackground.has(localName)) hint('bgcolor', 'background-color');
  if (localName === 'font') hint('color', 'color');
  if (localName === 'body') hint('text', 'color');
  if (drawn.has(localName)) {
    for (const name of drawnProperties) hint(name, name);
  }
}

const hasOwnBackground: ReadonlySet<string> = new Set(
  'body table thead tbody tfoot tr td th'.split(' '),
);
const drawn: ReadonlySet<string> = new Set('svg g text tspan textpath a switch'.split(' '));
const drawnProperties = ['display', 'visibility', 'opacity', 'fill', 'fill-opacity', 'font-size'];

/** Style of an element whose parent has the style `outer`. */
export function styleOf(
  element: DomElement,
  outer: ComputedStyle,
  styles: CascadedStyles,
  colors: ColorReader,
): ComputedStyle {
  const declarations = styles.of(element);
  const values: StyleValues = new Map();
  presentationHints(element, values, colors);
  const inherited = isPlain(outer)
    ? outer
    : { ...outer, box: 'seen' as const, isDisplayed: false, isLaidOver: false };
  if (declarations.length === 0 && values.size === 0) return inherited;
  const variables = outer.variables.with(declarations);
  for (const { property, value } of declarations) {
    if (property.startsWith('--')) continue;
    const resolved = value.includes('var(') ? variables.resolve(value) : value;
    // An undefined variable resets the property.
    if (resolved === undefined) values.delete(property);
    else setValue(values, property, resolved, colors);
  }
  if (values.has('animation-name')) animate(values, styles, colors);
  return { ...inherited, ...ofValues(values, outer, colors), variables };
}

function isPlain({ box, isDisplayed, isLaidOver }: ComputedStyle): boolean {
  return box === 'seen' && !isDisplayed && !isLaidOver;
}

/** Applies the values at the end of an animation. */
function animate(values: StyleValues, { animations }: CascadedStyles, colors: ColorReader): void {
  if (!/\b(?:forwards|both)\b/.test(values.get('animation-fill-mode') ?? '')) return;
  const names = (values.get('animation-name') ?? '').split(/[\s,]+/);
  for (const name of names) {
    for (const { property, value } of animations.get(name) ?? []) {
      setValue(values, property, value, colors);
    }
  }
}

/** Applies a declaration, shorthands by their parts; ignores values that are invalid for the property. */
function setValue(values: StyleValues, name: string, declared: string, colors: ColorReader): void {
  const value = declared.trim();
  const property = physical[name] ?? name;
  if (/^(?:initial|unset|revert|revert-layer)$/.test(value)) {
    if (property === 'all') values.clear();
    else for (const one of [property, ...(longhands[property] ?? [])]) values.delete(one);
    if (property === 'display') values.set(property, 'revert');
    return;
  }
  const sides = longhands[property];
  if (sides !== undefined && !ownShorthands.has(property)) {
    setParts(values, property, sides, value);
    return;
  }
  switch (property) {
    case 'all':
      return;
    case 'display':
      if (displays.test(value)) values.set(property, value);
      return;
    case 'visibility':
      if (/^(?:visible|hidden|collapse|inherit)$/.test(value)) values.set(property, value);
      return;
    case 'content-visibility':
      if (/^(?:visible|hidden|auto)$/.test(value)) values.set(property, value);
      return;
    case 'position':
      if (/^(?:static|relative|absolute|fixed|sticky|-webkit-sticky)$/.test(value)) {
        values.set(property, value);
      }
      return;
    case 'opacity':
    case 'fill-opacity':
      if (numberOf(value) !== undefined) values.set(property, value);
      return;
    case 'color':
    case '-webkit-text-fill-color':
    case 'background-color':
      if (value === 'inherit' || value === 'currentcolor' || colors.read(value) !== undefined) {
        values.set(property, value);
      }
      return;
    case 'font': {
      const size =
        / ?(?:^| )([\d.+-][\w.%+-]*|(?:calc|min|max|clamp)\(.*\)|xx?-small|small(?:er)?|medium|x{0,3}-?large|larger)(?: ?\/ ?([^ ]+))? /.exec(
          `${value} `,
        );
      if (size?.[1] === undefined) return;
      values.set('font-size', size[1]);
      if (size[2] === undefined) values.delete('line-height');
      else values.set('line-height', size[2]);
      return;
    }
    case 'mask': {
      const layers = splitOutside(value, ',');
      const sizes = layers.map(
        (layer) => / \/ ?([\w.%+-]+(?: [\w.%+-]+)?)/.exec(layer)?.[1] ?? 'auto',
      );
      const pictures = layers.map((layer) => splitOutside(layer, ' ').find(isPicture) ?? 'none');
      values.set('mask-image', pictures.join(','));
      values.set('mask-size', sizes.join(','));
      if (/(?:^| )luminance(?: |$)/.test(value)) values.set('mask-mode', 'luminance');
      else values.delete('mask-mode');
      return;
    }
    case 'background': {
      const pictures = splitOutside(value, ' ').filter((part) => isPicture(part));
      const solid = splitOutside(value, ' ').filter((part) => colors.read(part) !== undefined);
      values.set('background-image', pictures.join(' ') || 'none');
      values.set('background-color', solid.at(-1) ?? 'transparent');
      if (/(?:^| )text(?:$| )/.test(value)) values.set('background-clip', 'text');
      return;
    }
    default:
      values.set(property, value);
  }
}

function isPicture(part: string): boolean {
  return /^(?:url|image|image-set|-webkit-image-set|cross-fade|element|paint|(?:-webkit-|-moz-)?(?:repeating-)?(?:linear|radial|conic)-gradient)\(/.test(
    part,
  );
}

/** Shorthands whose parts have no order. */
const ownShorthands: ReadonlySet<string> = new Set(['background', 'font', 'mask']);

const longhands: Readonly<Record<string, readonly string[]>> = {
  inset: ['top', 'right', 'bottom', 'left'],
  'inset-inline': ['left', 'right'],
  'inset-block': ['top', 'bottom'],
  margin: ['margin-top', 'margin-right', 'margin-bottom', 'margin-left'],
  'margin-inline': ['margin-left', 'margin-right'],
  'margin-block': ['margin-top', 'margin-bottom'],
  padding: ['padding-top', 'padding-right', 'padding-bottom', 'padding-left'],
  'padding-inline': ['padding-left', 'padding-right'],
  'padding-block': ['padding-top', 'padding-bottom'],
  overflow: ['overflow-x', 'overflow-y'],
  background: ['background-color', 'background-image', 'background-clip'],
  font: ['font-size', 'line-height'],
  mask: ['mask-image', 'mask-size', 'mask-mode'],
  animation: ['animation-name', 'animation-fill-mode'],
};

/** Sets one to four values, as for margins; for animations, each part gets all words. */
function setParts(
  values: StyleValues,
  property: string,
  names: readonly string[],
  value: string,
): void {
  if (property === 'animation') {
    for (const name of names) values.set(name, value);
    return;
  }
  const parts = splitOutside(value, ' ').filter((part) => part !== '');
  const [first] = parts;
  if (first === undefined || parts.length > names.length) return;
  names.forEach((name, at) => values.set(name, parts[at] ?? parts[at - 2] ?? first));
}

/** An element's values, as changes to the parent's style. */
function ofValues(
  values: StyleValues,
  outer: ComputedStyle,
  colors: ColorReader,
): Partial<ComputedStyle> {
  const get = (name: string): string | undefined => values.get(name);
  const fontSize = fontSizeOf(get('font-size'), outer.fontSize);
  const own = { fontSize };
  const length = (name: string, whole?: number): number | undefined => {
    const value = get(name);
    return value === undefined ? undefined : lengthInPixels(value, { ...own, whole });
  };
  const visibility = get('visibility');
  const opacity = outer.opacity * (numberOf(get('opacity') ?? '1') ?? 1) * faded(get('filter'));
  const isHidden =
    isWithoutBox(values, length) || isOutside(values, length) || isMaskedOut(values, colors);
  return {
    box: isHidden ? 'hidden' : opacity <= 0.05 ? 'faded' : 'seen',
    opacity,
    visibility:
      visibility === undefined || visibility === 'inherit'
        ? outer.visibility
        : visibility === 'visible'
          ? 'visible'
          : 'hidden',
    isDisplayed: !/^(?:|none|revert)$/.test(get('display') ?? ''),
    isLaidOver: /^(?:absolute|fixed)$/.test(get('position') ?? ''),
    fontSize,
    indent: length('text-indent', 1280) ?? outer.indent,
    letterSpacing:
      length('letter-spacing') ?? (get('letter-spacing') === 'normal' ? 0 : outer.letterSpacing),
    ...colorsOf(values, outer, colors),
  };
}

const sizes: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
  'xxx-large': 48,
};

function fontSizeOf(value: string | undefined, outer: number): number {
  if (value === undefined || value === 'inherit') return outer;
  if (value === 'smaller') return outer / 1.2;
  if (value === 'larger') return outer * 1.2;
  return sizes[value] ?? lengthInPixels(value, { fontSize: outer, whole: outer }) ?? outer;
}

/** The opacity that a filter leaves, 0 to 1. */
function faded(filter: string | undefined): number {
  const [, amount] = /opacity\(([^()]+)\)/.exec(filter ?? '') ?? [];
  const [, blur] = /blur\(([^()]+)\)/.exec(filter ?? '') ?? [];
  if (blur !== undefined && (lengthInPixels(blur) ?? 0) >= 20) return 0;
  return amount === undefined ? 1 : (numberOf(amount) ?? 1);
}

type ReadLength = (name: string, whole?: number) => number | undefined;

/** Up to 2 pixels. */
const isTiny = (size: number | undefined): boolean => size !== undefined && size <= 2;

/** True if the element has no box, or renders nothing inside it. */
function isWithoutBox(values: StyleValues, length: ReadLength): boolean {
  const get = (name: string): string => values.get(name) ?? '';
  if (/^(?:none|table-column|table-column-group)$/.test(get('display'))) return true;
  if (get('content-visibility') === 'hidden') return true;
  const isClipped = (axis: string): boolean => /^(?:hidden|clip|auto|scroll)$/.test(get(axis));
  const isNarrow = (side: string, ...paddings: string[]): boolean =>
    (isTiny(length(side)) || isTiny(length(`max-${side}`))) &&
    !((length(`min-${side}`) ?? 0) > 2) &&
    // A box of a fixed aspect ratio: its content is laid over its padding.
    !paddings.some((name) => (length(name, 1280) ?? 0) > 2);
  if (isClipped('overflow-y') || isClipped('overflow-x')) {
    if (isNarrow('height', 'padding-top', 'padding-bottom')) return true;
    if (isNarrow('width', 'padding-left', 'padding-right')) return true;
    const lineHeight = values.get('line-height');
    if (lineHeight !== undefined && !values.has('height') && !values.has('min-height')) {
      if (isTiny(numberOf(lineHeight) === 0 ? 0 : length('line-height'))) return true;
    }
  }
  if (isClippedAway(values)) return true;
  if (length('zoom') === 0 || (numberOf(get('zoom')) ?? 1) < 0.1) return get('zoom') !== '0';
  return isFlat(get('transform')) || isFlatScale(get('scale')) || isOnEdge(get('rotate'));
}

function isClippedAway(values: StyleValues): boolean {
  const get = (name: string): string => values.get(name) ?? '';
  if (/^(?:absolute|fixed)$/.test(get('position'))) {
    const [, edges] = /^rect\(([^()]*)\)$/.exec(get('clip')) ?? [];
    const [top, right, bottom, left] = (edges ?? '')
      .split(/[\s,]+/)
      .filter((edge) => edge !== '')
      .map((edge) => lengthInPixels(edge));
    if (isTiny(minus(bottom, top)) || isTiny(minus(right, left))) return true;
  }
  return isClippedByPath(get('clip-path'));
}

function isClippedByPath(path: string): boolean {
  const [, shape = '', inside = ''] =
    /^(inset|circle|ellipse|polygon|rect|xywh|path)\((.*)\)/.exec(path) ?? [];
  if (shape === 'polygon') return isFlatPolygon(inside);
  if (shape === 'path') return !/[a-z] ?[^a-z"']+[a-z]/i.test(inside);
  const [before = ''] = inside.split(/ (?:at|round) /);
  const parts = before.split(/[\s,]+/).filter((part) => part !== '');
  const amounts = parts.map((part) => lengthInPixels(part, { fontSize: 16, whole: 100 }));
  if (shape === 'circle' || shape === 'ellipse') return amounts.some((size) => isTiny(size));
  if (shape === 'xywh') return isTiny(amounts[2]) || isTiny(amounts[3]);
  if (shape === 'rect') {
    const [top, right, bottom, left] = amounts;
    return isTiny(minus(bottom, top)) || isTiny(minus(right, left));
  }
  if (shape !== 'inset') return false;
  const [top = 0, right = top, bottom = top, left = right] = parts.map((part) =>
    /^[+-]?[\d.]+%$/.test(part) ? Number(part.slice(0, -1)) : 0,
  );
  // The size of the box is unknown: only an inset larger than any line counts.
  const isLarge = amounts.some(
    (size, at) => size !== undefined && size >= 5000 && !parts[at]?.endsWith('%'),
  );
  return isLarge || top + bottom >= 100 || left + right >= 100;
}

/** True if all points are on one vertical or horizontal line, or outside of the box. */
function isFlatPolygon(points: string): boolean {
  const pairs = points
    .replace(/^(?:evenodd|nonzero) ?,/, '')
    .split(',')
    .map((pair) =>
      pair
        .trim()
        .split(/\s+/)
        .map((one) => lengthInPixels(one, { fontSize: 16, whole: 100 })),
    );
  return [0, 1].some((axis) => {
    const coordinates = pairs.map((pair) => pair[axis]);
    // Nothing of the box is beyond its left or upper edge.
    return coordinates.every((one) => one !== undefined && (one === coordinates[0] || one <= 0));
  });
}

function minus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one - other;
}

/** True if scaled to nothing, or turned edge-on. */
function isFlat(transform: string): boolean {
  for (const [, name = '', inside = ''] of transform.matchAll(/([a-z0-9]+)\(([^()]*)\)/g)) {
    const numbers = inside.split(',').map((one) => numberOf(one));
    if (/^scale(?:x|y|3d)?$/.test(name) && numbers.slice(0, 2).some(isAlmostNothing)) return true;
    if (name === 'matrix' && isAlmostNothing(numbers[0]) && isAlmostNothing(numbers[1]))
      return true;
    if (name === 'matrix' && isAlmostNothing(numbers[2]) && isAlmostNothing(numbers[3]))
      return true;
    if (/^rotate[xy]$/.test(name) && isRightAngle(inside)) return true;
  }
  return false;
}

function isFlatScale(scale: string): boolean {
  return (
    scale !== '' &&
    scale !== 'none' &&
    splitOutside(scale, ' ')
      .slice(0, 2)
      .some((one) => isAlmostNothing(numberOf(one)))
  );
}

function isOnEdge(rotate: string): boolean {
  const [, angle] = /^[xy] (.*)$/.exec(rotate) ?? [];
  return angle !== undefined && isRightAngle(angle);
}

const isAlmostNothing = (factor: number | undefined): boolean =>
  factor !== undefined && Math.abs(factor) < 0.05;

function isRightAngle(text: string): boolean {
  const [, digits, unit = 'deg'] = /^([+-]?[\d.]+)(deg|turn|grad|rad)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return false;
  const turns = Number(digits) / ({ deg: 360, turn: 1, grad: 400, rad: 2 * Math.PI }[unit] ?? 360);
  return Math.abs((Math.abs(turns) % 0.5) - 0.25) < 0.002;
}

/** Pixels: left or above, where no scrolling reaches; and too far to the right or below. */
const [outside, farOff] = [-900, 9000];

function isOutside(values: StyleValues, length: ReadLength): boolean {
  const isFar = (distance: number | undefined): boolean =>
    distance !== undefined && (distance <= outside || distance >= farOff);
  const position = values.get('position') ?? '';
  if (position === 'fixed' && isOutsideOfWindow(values, length)) return true;
  const isPositioned = /^(?:absolute|fixed|relative)$/.test(position);
  if (isPositioned) {
    const [left, top] = [length('left', 1280), length('top', 720)];
    const [right, bottom] = [length('right', 1280), length('bottom', 720)];
    // With both sides set, the box is stretched between them.
    const isStretched = left !== undefined && right !== undefined && left < 0 && right < 0;
    if (isFar(left) && !isStretched) return true;
    if (isFar(top)) return true;
    const isAbove = top !== undefined && top <= -720 && /v/.test(values.get('top') ?? '');
    if (isAbove && position === 'absolute') return true;
    const isLeft = right !== undefined && right >= 1280 && /v/.test(values.get('right') ?? '');
    if (isLeft && position === 'absolute' && left === undefined) return true;
    if ((isFar(right) && left === undefined) || (isFar(bottom) && top === undefined)) return true;
  }
  // Padding may compensate for a negative margin: a full-width background.
  const before =
    (length('margin-left', 1280) ?? 0) + Math.max(0, length('padding-left', 1280) ?? 0);
  const above = (length('margin-top', 1280) ?? 0) + Math.max(0, length('padding-top', 1280) ?? 0);
  if (before <= outside || above <= outside || before >= farOff) return true;
  const moves = [values.get('translate') ?? ''];
  for (const [, name = '', inside = ''] of (values.get('transform') ?? '').matchAll(
    /(translate[xy3d]*)\(((?:[^()]|\([^()]*\))*)\)/g,
  )) {
    moves.push(name === 'translatez' ? '' : inside);
  }
  return moves.some((move) =>
    move
      .split(/,| (?![^(]*\))/)
      .slice(0, 2)
      .some((one) => isFar(lengthInPixels(one, { fontSize: 16, whole: 100 }))),
  );
}

/**
 * True for a box that cannot be scrolled into the window: it is off by the size of the window, or by its own
 * size at an edge.
 */
function isOutsideOfWindow(values: StyleValues, length: ReadLength): boolean {
  const [moveX, moveY] = moved(values);
  return (
    isBeyond({ start: 'left', end: 'right', window: 1280, move: moveX }, values, length) ||
    isBeyond({ start: 'top', end: 'bottom', window: 720, move: moveY }, values, length)
  );
}

function isBeyond(
  { start, end, window, move }: { start: string; end: string; window: number; move: string },
  values: StyleValues,
  length: ReadLength,
): boolean {
  /** In window sizes; undefined for lengths that do not depend on the window. */
  const windows = (text: string): number | undefined => {
    const pixels = lengthInPixels(text, { fontSize: 16, whole: window });
    return pixels === undefined || !/\d(?:[dls]?v|%)/.test(text) ? undefined : pixels / window;
  };
  const [first, last] = [length(start, window), length(end, window)];
  const from = windows(values.get(start) ?? '');
  const to = windows(values.get(end) ?? '');
  if (from !== undefined && (from <= -1 || from >= 1) && !(last !== undefined && last <= 0))
    return true;
  if (first === undefined && to !== undefined && (to <= -1 || to >= 1)) return true;
  if (/%$/.test(move)) {
    const own = Number.parseFloat(move);
    if (first !== undefined && first <= 0 && own <= -100) return true;
    return first === undefined && last !== undefined && last <= 0 && own >= 100;
  }
  const by = windows(move);
  return by !== undefined && (by <= -1 || by >= 1);
}

/** The last translation along each axis, as written. */
function moved(values: StyleValues): readonly [x: string, y: string] {
  let [x = '', y = ''] = (values.get('translate') ?? '').split(/ (?![^(]*\))/);
  for (const [, name = '', inside = ''] of (values.get('transform') ?? '').matchAll(
    /translate([xy]|3d)?\(((?:[^()]|\([^()]*\))*)\)/g,
  )) {
    const [one = '', other = ''] = splitOutside(inside, ',').map((part) => part.trim());
    if (name === 'y') y = one;
    else x = one;
    if (name === '' || name === '3d') y = other;
  }
  return [x, y];
}

/** True for masks that hide everything: of no size, or gradients with only transparent colors. */
function isMaskedOut(values: StyleValues, colors: ColorReader): boolean {
  const image = values.get('mask-image') ?? 'none';
  if (/^(?:none[ ,]*)+$/.test(image)) return false;
  const sizes = splitOutside(values.get('mask-size') ?? 'auto', ',');
  const isLuminance = values.get('mask-mode') === 'luminance';
  return splitOutside(image, ',').every((layer, at) => {
    const size = sizes[at % sizes.length] ?? 'auto';
    if (
      size
        .trim()
        .split(' ')
        .some((side) => lengthInPixels(side, { fontSize: 16, whole: 100 }) === 0)
    )
      return true;
    const [, inside] =
      /^(?:-webkit-|-moz-)?(?:repeating-)?(?:linear|radial|conic)-gradient\((.*)\)/.exec(
        layer.trim(),
      ) ?? [];
    if (inside === undefined) return false;
    const stops = stopColors(inside, colors);
    return (
      stops.length > 0 &&
      stops.every(
        ([red, green, blue, alpha]) =>
          alpha <= 0.05 || (isLuminance && red + green + blue <= 3 * 12),
      )
    );
  });
}

/** The colors of a gradient's stops. */
function stopColors(stops: string, colors: ColorReader): Color[] {
  return splitOutside(stops, ',')
    .map((stop) => colors.read(splitOutside(stop.trim(), ' ')[0] ?? ''))
    .filter((color) => color !== undefined);
}

function colorsOf(
  values: StyleValues,
  outer: ComputedStyle,
  colors: ColorReader,
): Partial<ComputedStyle> {
  const color = (name: string, around: Color | undefined): Color | undefined => {
    const value = values.get(name);
    if (value === undefined || value === 'inherit') return around;
    return value === 'currentcolor' ? outer.text : (colors.read(value) ?? around);
  };
  const text = color('color', outer.text);
  const drawnFill = values.get('fill') === 'none' ? transparent : color('fill', undefined);
  const visibleFill =
    drawnFill === undefined
      ? undefined
      : withAlpha(drawnFill, numberOf(values.get('fill-opacity') ?? '1') ?? 1);
  const fillName = '-webkit-text-fill-color';
  const fill =
    visibleFill ??
    (values.get(fillName) === 'currentcolor' ? undefined : color(fillName, outer.fill));
  const isCutToText = /(?:^|[ ,])text/.test(values.get('background-clip') ?? '');
  const shadow = values.get('text-shadow');
  const hasShadow =
    shadow !== undefined && !/^(?:none|inherit)$/.test(shadow) && !/transparent|#0000/.test(shadow);
  return {
    text,
    fill,
    background: backgroundOf(values, { outer, text, colors }),
    isDecorated:
      (isCutToText && values.has('background-image')) ||
      (shadow === undefined ? outer.isDecorated : hasShadow),
  };
}

const transparent: Color = [0, 0, 0, 0];

function withAlpha([red, green, blue, alpha]: Color, share: number): Color {
  return [red, green, blue, alpha * share];
}

function backgroundOf(
  values: StyleValues,
  {
    outer,
    text,
    colors,
  }: {
    readonly outer: ComputedStyle;
    readonly text: Color | undefined;
    readonly colors: ColorReader;
  },
): Color | undefined {
  const picture = values.get('background-image') ?? 'none';
  if (picture !== 'none') return colorOfGradient(picture, colors);
  const declared = values.get('background-color');
  if (declared === undefined) return outer.background;
  const color =
    declared === 'currentcolor'
      ? text
      : declared === 'inherit'
        ? outer.background
        : colors.read(declared);
  if (color === undefined) return undefined;
  return color[3] <= 0.02 ? outer.background : color[3] < 0.98 ? undefined : color;
}

/** The color of a gradient whose stops are all equal; undefined for others. */
function colorOfGradient(picture: string, colors: ColorReader): Color | undefined {
  const [, inside] =
    /^(?:repeating-)?(?:linear|radial|conic)-gradient\((.*)\)$/.exec(picture) ?? [];
  if (inside === undefined) return undefined;
  const stops = stopColors(inside, colors);
  const [first] = stops;
  const isOne =
    stops.length > 1 &&
    first !== undefined &&
    first[3] >= 0.98 &&
    stops.every((stop) => isSameColor(stop, first));
  return isOne ? first : undefined;
}

/** True if text in this style cannot be read, whatever its box. */
export function isIllegible(style: ComputedStyle): boolean {
  const { visibility, fontSize, indent, letterSpacing } = style;
  if (visibility === 'hidden' || fontSize <= 2.5 || indent <= outside) return true;
  return letterSpacing <= -0.6 * fontSize || isWithoutColor(style);
}

function isWithoutColor({ text, fill, background, isDecorated }: ComputedStyle): boolean {
  if (isDecorated) return false;
  const letters = fill ?? text;
  if (letters === undefined) return false;
  return letters[3] <= 0.05 || (background !== undefined && isSameColor(letters, background));
}
