/** The marks by which a page hides an element from its readers. */
import type { DomElement } from '../html/dom.ts';

/** True for the attribute `hidden`, styles that leave nothing to see, and class names that say so. */
export function isMarkedHidden(element: DomElement): boolean {
  const hidden = element.getAttribute('hidden');
  if (hidden !== null && hidden !== 'until-found') return true;
  const style = element.getAttribute('style');
  if (style !== null && isHiddenByStyle(plainStyle(style))) return true;
  return hidesByClass(element);
}

/** True for class names that say that nothing is seen. */
export function hidesByClass(element: DomElement): boolean {
  const classes = element.getAttribute('class');
  return classes !== null && hiddenClass.test(classes) && isHiddenByClass(element, classes);
}

const hiddenClass =
  /(?:^|\s)(?:d-none|display-none|sr-only|visually-?hidden|screen-reader-(?:text|only)|element-invisible)(?:\s|$)/i;

/** Classes such as `d-md-block` and `lg:flex` show on large screens what is hidden on small ones. */
function isHiddenByClass({ localName }: DomElement, classes: string): boolean {
  if (
    /(?:^|\s)(?:d-(?:\w+-)?|(?:\w+:))(?:block|flex|grid|inline|initial|table|contents)/.test(
      classes,
    )
  )
    return false;
  // Headings for screen readers name the parts of the page.
  return !/^h[1-6]$/.test(localName);
}

/** Of several values the last one counts, unless one is important. */
function saysNone(style: string): boolean {
  const values = [...style.matchAll(/(?:^|[\s;])display\s*:\s*([a-z][a-z-]*)\s*(!)?/gi)];
  const value = values.findLast(([, , mark]) => mark !== undefined) ?? values.at(-1);
  return value?.[1]?.toLowerCase() === 'none';
}

/** Without comments and escapes, which stand anywhere in CSS and change nothing. */
function plainStyle(style: string): string {
  if (!/\/\*|\\/.test(style)) return style;
  return style
    .slice(0, 20_000)
    .replace(/\/\*[^]*?(?:\*\/|$)/g, ' ')
    .replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, code: string | undefined, other = '') =>
      code === undefined ? String(other) : characterOf(Number.parseInt(code, 16)),
    );
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

/**
 * `opacity: 0` is not among them: pages fade in their content with it. Neither is a clipped box,
 * which holds words for screen readers.
 */
function isHiddenByStyle(style: string): boolean {
  if (saysNone(style) || hiddenStyle.test(style)) return true;
  if (/position\s*:\s*(?:absolute|fixed)/i.test(style) && farAway.test(style)) return true;
  return noBox.test(style) && /overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i.test(style);
}

const hiddenStyle =
  /(?:^|[\s;])(?:visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0+(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:!|;|$)|text-indent\s*:\s*-\d{4})/i;
const farAway = /(?:^|[\s;])(?:left|top|right|bottom)\s*:\s*-\d{4}/i;
const noBox = /(?:^|[\s;])(?:max-)?(?:height|width)\s*:\s*0+(?:px|pt|r?em|%)?\s*(?:!|;|$)/i;
