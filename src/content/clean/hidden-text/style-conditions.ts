/** Conditions of style rules, evaluated for an assumed screen. */
import { lengthInPixels } from './css-values.ts';

/** A laptop window, a mouse, the light scheme, no user preferences. */
const assumedScreen: Readonly<Record<string, number | string>> = {
  width: 1280,
  height: 720,
  'inline-size': 1280,
  'block-size': 720,
  'device-width': 1280,
  'device-height': 720,
  'aspect-ratio': 16 / 9,
  'device-aspect-ratio': 16 / 9,
  resolution: 1,
  '-webkit-device-pixel-ratio': 1,
  color: 8,
  'color-index': 0,
  monochrome: 0,
  grid: 0,
  orientation: 'landscape',
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-reduced-data': 'no-preference',
  'prefers-reduced-transparency': 'no-preference',
  'prefers-contrast': 'no-preference',
  'forced-colors': 'none',
  'inverted-colors': 'none',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  scripting: 'enabled',
  update: 'fast',
  'overflow-block': 'scroll',
  'overflow-inline': 'scroll',
  'display-mode': 'browser',
  'color-gamut': 'srgb',
  'dynamic-range': 'standard',
  'video-dynamic-range': 'standard',
  scan: 'progressive',
};

const mostDepth = 10; // nested conditions

/** True if a list of media queries, or a container query, matches; expects lower case without comments. */
export function conditionHolds(list: string): boolean {
  if (list.trim() === '') return true;
  return splitOutside(list.slice(0, 2000), ',').some((query) => mediaQuery(query.trim()));
}

function mediaQuery(query: string): boolean {
  const [, negation, type, rest = ''] =
    /^(?:(not|only)\s+)?([a-z][\w-]*)(?:\s+and\s+(.*))?$/s.exec(query) ?? [];
  if (type === undefined || type === 'not') return condition(query, feature, 0) === true;
  const isScreen = type === 'all' || type === 'screen';
  const all = isScreen && (rest === '' || condition(rest, feature, 0) === true);
  return negation === 'not' ? !all : all;
}

/** True if `@supports` holds in a current browser. */
export function isSupported(prelude: string): boolean {
  return condition(prelude.slice(0, 2000), supports, 0) === true;
}

/** Undefined for an unknown condition: neither it nor its negation matches. */
type ThreeValued = boolean | undefined;

function condition(text: string, test: (inner: string) => ThreeValued, depth: number): ThreeValued {
  const trimmed = text.trim();
  if (depth > mostDepth || trimmed === '') return undefined;
  for (const [word, isEnough] of [
    [' or ', true],
    [' and ', false],
  ] as const) {
    const parts = splitOutside(trimmed, word);
    if (parts.length === 1) continue;
    const truths = parts.map((part) => condition(part, test, depth + 1));
    if (truths.includes(isEnough)) return isEnough;
    return truths.includes(undefined) ? undefined : !isEnough;
  }
  const [, negated] = /^not\s*(\(.*|[\w-]+\(.*)$/s.exec(trimmed) ?? [];
  if (negated !== undefined) {
    const truth = condition(negated, test, depth + 1);
    return truth === undefined ? undefined : !truth;
  }
  if (!trimmed.startsWith('(')) return test(trimmed);
  if (!trimmed.endsWith(')')) return undefined;
  const inner = trimmed.slice(1, -1).trim();
  return /^(?:\(|not[\s(])/.test(inner) || splitOutside(inner, ' and ').length > 1
    ? condition(inner, test, depth + 1)
    : test(inner);
}

/** `width`, `min-width: 600px`, `width >= 600px`, `400px < width <= 90em`. */
function feature(text: string): ThreeValued {
  const [, name = '', value] = /^([\w-]+)\s*(?::\s*(.+))?$/s.exec(text) ?? [];
  if (name !== '') return namedFeature(name, value?.trim());
  const [first = '', ...rest] = text.split(/(<=|>=|<|>|=)/).map((part) => part.trim());
  if (rest.length === 0) return undefined;
  let truth: boolean = true;
  let left = first;
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [sign = '', right = ''] = [rest[at], rest[at + 1]];
    const [one, other] = [amount(left), amount(right)];
    if (one === undefined || other === undefined) return undefined;
    truth = compare(one, sign, other) && truth;
    left = right;
  }
  return truth;
}

function namedFeature(name: string, value: string | undefined): ThreeValued {
  const [, bound, plain = ''] = /^(?:-webkit-)?(min-|max-)?(.*)$/.exec(name) ?? [];
  const is = assumedScreen[name] ?? assumedScreen[plain];
  if (is === undefined) return undefined;
  if (value === undefined) return is !== 0 && is !== 'none' && is !== 'no-preference';
  if (typeof is === 'string') return is === value;
  const wanted = amount(value);
  if (wanted === undefined) return undefined;
  return compare(is, bound === 'min-' ? '>=' : bound === 'max-' ? '<=' : '=', wanted);
}

function compare(one: number, sign: string, other: number): boolean {
  if (sign === '<') return one < other;
  if (sign === '>') return one > other;
  if (sign === '<=') return one <= other;
  return sign === '>=' ? one >= other : Math.abs(one - other) < 0.01;
}

/** The value of a feature: a number, a length, a resolution, a ratio. */
function amount(text: string): number | undefined {
  const is = assumedScreen[text];
  if (typeof is === 'number') return is;
  const [, over, under] = /^([\d.]+)\s*\/\s*([\d.]+)$/.exec(text) ?? [];
  if (over !== undefined) return Number(over) / Number(under);
  const [, dots, unit] = /^([\d.]+)(dppx|x|dpi|dpcm)$/.exec(text) ?? [];
  if (dots !== undefined) return Number(dots) / (unit === 'dpi' ? 96 : unit === 'dpcm' ? 37.8 : 1);
  return lengthInPixels(text);
}

/** Assumes that browsers support a declaration, unless it is made up or has a vendor prefix. */
function supports(text: string): ThreeValued {
  if (/^selector\(/.test(text)) return !/::?-(?:moz|ms|o)-/.test(text);
  if (/^font-(?:tech|format)\(/.test(text)) return true;
  const [, property, value = ''] = /^([\w-]+)\s*:\s*(.+)$/s.exec(text) ?? [];
  if (property === undefined) return undefined;
  if (property.startsWith('--')) return true;
  if (/^-(?:moz|ms|o|khtml)-/.test(property) || /^-(?:moz|ms|o)-/.test(value)) return false;
  return property !== 'display' || displays.test(value);
}

/** The values of `display`. */
export const displays: RegExp =
  /^(?:none|contents|block|inline|inline-block|flow-root|list-item|run-in|(?:inline )?flow-root|(?:inline-|block |inline )?(?:flex|grid|table|flow|ruby)|(?:-webkit-)?(?:inline-)?(?:box|flex)|table-(?:row-group|header-group|footer-group|row|cell|column-group|column|caption)|ruby-(?:base|text)(?:-container)?|math|(?:block|inline) math|inherit|initial|unset|revert|revert-layer)$/;

/** Splits the text, except inside brackets. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      start = at + separator.length;
      at = start - 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
