/**
 * Parses JSON as found in pages: wrapped in comments, with trailing commas and raw line breaks.
 * See docs/decisions/015-own-lenient-json.md.
 */
import { isCodeUrl } from '../../url/links.ts';

/** The parsed value, or undefined when it is not JSON even after simple repairs. */
export function parseLenientJson(text: string): unknown {
  return tryParse(text) ?? tryParse(repair(text));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text, harmless);
  } catch {
    return undefined;
  }
}

/**
 * Drops a key `__proto__`, which would become a prototype when the object is copied, and a URL that
 * runs code, which could be followed.
 */
function harmless(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined;
  // The pattern takes quadratic time in the length of the key.
  if (key.length > 100 || !urlKey.test(key)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutCode(item));
  return withoutCode(value);
}

function withoutCode(value: unknown): unknown {
  return typeof value === 'string' && isCodeUrl(value) ? '' : value;
}

/** The schema.org names whose values are URLs or things with URLs. */
const urlKey =
  /^(?:@id|\w*url\w*|sameAs|image|logo|photo|thumbnail|item|target|license|mainEntityOfPage|hasMap|\w*[pP]age)$/i;

/**
 * Repairs in one pass: drops comments, CDATA markers and trailing commas; escapes control
 * characters in strings and drops backslashes that escape nothing.
 */
function repair(text: string): string {
  const out: string[] = [];
  // The position of the last comma outside a string, while only white space follows it.
  let comma = -1;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') {
      const { literal, end } = readString(text, at);
      out.push(literal);
      comma = -1;
      at = end;
      continue;
    }
    const skip = wrapperLength(text, at);
    if (skip > 0) {
      at += skip;
      continue;
    }
    if (char === ',') {
      comma = out.length;
    } else if (char === '}' || char === ']') {
      if (comma !== -1) out[comma] = '';
      comma = -1;
    } else if (!/\s/.test(char)) {
      comma = -1;
    }
    if (char !== '\uFEFF') out.push(char);
    at += 1;
  }
  return out.join('').replace(/;\s*$/, '');
}

/** The string literal at `start`, made valid, and its end. */
function readString(text: string, start: number): { literal: string; end: number } {
  const out = ['"'];
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { literal: `${out.join('')}"`, end: at + 1 };
    if (char === '\\') {
      at += 1;
      const escaped = text.charAt(at);
      const isEscape = /["\\/bfnrtu]/.test(escaped);
      out.push(isEscape ? `\\${escaped}` : escapeControl(escaped));
    } else {
      out.push(escapeControl(char));
    }
  }
  return { literal: out.join(''), end: at };
}

function escapeControl(char: string): string {
  return char < ' ' ? JSON.stringify(char).slice(1, -1) : char;
}

/** The length of a comment, or of a comment or CDATA marker, at `at`; 0 for none. */
function wrapperLength(text: string, at: number): number {
  if (!'<-/]'.includes(text.charAt(at))) return 0;
  for (const mark of ['<!--', '-->', '<![CDATA[', ']]>']) {
    if (text.startsWith(mark, at)) return mark.length;
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return (end === -1 ? text.length : end + 2) - at;
  }
  // `//<![CDATA[` hides the marker from script parsers; the JSON may follow on the same line.
  if (/^\/\/\s*(<!\[CDATA\[|\]\]>|<!--|-->)/.test(text.slice(at, at + 20))) return 2;
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return (end === -1 ? text.length : end) - at;
  }
  return 0;
}
