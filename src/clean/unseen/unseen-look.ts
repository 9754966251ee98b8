/** Whether the styles of an element leave anything to see of it. */
import { type Color, isSameColor, readColor } from './text-color.ts';
import type { Declarations } from './stylesheet-rules.ts';

/** What the styles say: nothing is seen, nothing may be seen (a page fades in its content), or something is. */
export type Visibility = 'unseen' | 'doubtful' | 'seen';

/** The properties that are asked for. */
export const askedProperties: ReadonlySet<string> = new Set([
  ...['display', 'visibility', 'content-visibility', 'opacity', 'filter', 'color'],
  ...['-webkit-text-fill-color', 'background', 'background-color', 'background-image'],
  ...['font', 'font-size', 'text-indent', 'position', 'left', 'top', 'right', 'bottom', 'inset'],
  ...['width', 'height', 'max-width', 'max-height', 'overflow', 'overflow-x', 'overflow-y'],
  ...[
    'clip',
    'clip-path',
    'transform',
    'scale',
    'translate',
    'margin',
    'margin-left',
    'margin-top',
  ],
]);

/** The colors that an element hands on to what is in it. */
export interface Colors {
  readonly text: Color;
  /** Undefined where a picture or a style that is not known may be behind the text. */
  readonly ground: Color | undefined;
}

/** The colors of an element in one with the given colors. */
export function colorsIn(outer: Colors, styles: Declarations): Colors {
  const text = readColor(styles.get('-webkit-text-fill-color') ?? styles.get('color') ?? '');
  return { text: text ?? outer.text, ground: groundIn(outer, styles) };
}

function groundIn(outer: Colors, styles: Declarations): Color | undefined {
  const picture = styles.get('background-image');
  if (picture !== undefined && picture !== 'none') return undefined;
  const said = styles.get('background-color') ?? styles.get('background');
  if (said === undefined || /^(?:none|inherit|initial|unset)$/.test(said)) return outer.ground;
  const color = readColor(said);
  if (color === undefined) return undefined;
  return color[3] === 0 ? outer.ground : color[3] < 1 ? undefined : color;
}

/** True when text of these colors is not to be read. */
export function isInvisible({ text, ground }: Colors): boolean {
  return text[3] <= 0.05 || (ground !== undefined && isSameColor(text, ground));
}

/** What the styles of the element itself say, colors apart. */
export function visibilityOf(styles: Declarations): Visibility {
  const is = (property: string, pattern: RegExp): boolean => {
    const value = styles.get(property);
    return value !== undefined && pattern.test(value);
  };
  if (is('display', /^none$/) || is('content-visibility', /^hidden$/)) return 'unseen';
  if (is('font-size', tiny) || is('font', /(?:^|\s)0(?:px|pt|r?em|%)?(?:\/|\s)/)) return 'unseen';
  if (['text-indent', 'margin', 'margin-left', 'margin-top'].some((name) => is(name, far))) {
    return 'unseen';
  }
  if (is('position', /^(?:absolute|fixed|relative)$/)) {
    if (['left', 'top', 'right', 'bottom', 'inset'].some((name) => is(name, far))) return 'unseen';
    if (
      is(
        'clip',
        /^rect\( ?(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)? ?\)/,
      )
    )
      return 'unseen';
  }
  if (is('clip-path', /^(?:inset\( ?(?:50|100)%|circle\( ?0)/)) return 'unseen';
  if (is('transform', /scale[xy]?\( ?0(?:\.0+)?[ ,)]|translate[xy3d]*\([^)]*-\d{4}/))
    return 'unseen';
  if (is('scale', /^0(?:\.0+)?$/) || is('translate', far)) return 'unseen';
  const isClipped = ['overflow', 'overflow-x', 'overflow-y'].some((name) =>
    is(name, /hidden|clip/),
  );
  const box = ['width', 'height', 'max-width', 'max-height'];
  if (isClipped && box.some((name) => is(name, tiny))) return 'unseen';
  if (is('visibility', /^(?:hidden|collapse)$/)) return 'doubtful';
  if (is('opacity', /^(?:0(?:\.0\d*)?|\.0\d*|[0-4](?:\.\d+)?%)$/)) return 'doubtful';
  return is('filter', /opacity\( ?0/) ? 'doubtful' : 'seen';
}

/** Up to 2 pixels. */
const tiny = /^(?:0(?:\.\d+)?(?:[a-z]+|%)?|[12](?:\.\d+)?px|0?\.[01]\d*r?em)$/;
/** A thousand of whatever it is, to the outside. */
const far = /-\d{4}|-\d{3}(?:vw|vh|%|r?em)/;
