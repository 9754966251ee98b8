/** Parses the URLs of `srcset` attributes and of CSS. */
import { compact } from '../../core/runtime/compact.ts';

/** One candidate of a `srcset`. */
export interface SrcsetCandidate {
  /** As written, possibly relative. */
  readonly url: string;
  /** Pixels, from `640w`. */
  readonly width?: number;
  /** Device pixels for each CSS pixel, from `2x`. */
  readonly density?: number;
}

/**
 * The candidates in the order they are written. A candidate with a bad descriptor is left out, as
 * browsers do (HTML standard, "parse a srcset attribute").
 */
export function parseSrcset(value: string): SrcsetCandidate[] {
  const candidates: SrcsetCandidate[] = [];
  let position = 0;
  for (;;) {
    while (position < value.length && isSeparator(value.charCodeAt(position))) position++;
    if (position >= value.length) return candidates;
    const start = position;
    while (position < value.length && !isSpace(value.charCodeAt(position))) position++;
    let end = position;
    while (value.charCodeAt(end - 1) === commaCode) end--;
    const url = value.slice(start, end);
    // A comma at the end of the URL ends the candidate: it has no descriptors.
    if (end < position) candidates.push({ url });
    else {
      const after = endOfDescriptors(value, position);
      const descriptorSize = parseDescriptors(value.slice(position, after));
      if (descriptorSize !== undefined) candidates.push({ url, ...descriptorSize });
      position = after + 1;
    }
  }
}

/** The candidate with the most pixels; of equal ones the first. */
export function largestCandidate(
  candidates: readonly SrcsetCandidate[],
): SrcsetCandidate | undefined {
  let best: SrcsetCandidate | undefined;
  for (const candidate of candidates) {
    if (best === undefined || size(candidate) > size(best)) best = candidate;
  }
  return best;
}

const commaCode = 0x2c;

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

function isSeparator(code: number): boolean {
  return code === commaCode || isSpace(code);
}

/** The position of the comma that ends the descriptors; commas in parentheses do not count. */
function endOfDescriptors(value: string, from: number): number {
  let inParentheses = false;
  for (let position = from; position < value.length; position++) {
    const character = value[position];
    if (character === '(') inParentheses = true;
    else if (character === ')') inParentheses = false;
    else if (character === ',' && !inParentheses) return position;
  }
  return value.length;
}

/** Undefined if a descriptor is invalid. */
function parseDescriptors(text: string): Omit<SrcsetCandidate, 'url'> | undefined {
  let width: number | undefined;
  let density: number | undefined;
  for (const descriptor of text.split(/[ \t\n\f\r]+/)) {
    if (descriptor === '') continue;
    const amount = Number(descriptor.slice(0, -1));
    const unit = descriptor.at(-1);
    if (unit === 'w' && /^\d+w$/.test(descriptor) && amount > 0 && width === undefined) {
      width = amount;
    } else if (unit === 'x' && descriptor.length > 1 && amount >= 0 && density === undefined) {
      density = amount;
    } else if (unit !== 'h' || !/^\d+h$/.test(descriptor)) {
      return undefined;
    }
  }
  if (width !== undefined && density !== undefined) return undefined;
  return compact({ width, density });
}

/** Widths are compared with widths; a candidate with density 1 is a small image among them. */
function size({ width, density }: SrcsetCandidate): number {
  return width ?? density ?? 1;
}

// The URLs in a piece of CSS, such as a `style` attribute.

/** The content of a `url()` and its position. */
export interface CssUrl {
  /** Without quotes and white space around it; escapes stay as written. */
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/** Every `url()` in order, in linear time. */
export function* cssUrls(css: string): Generator<CssUrl, void, undefined> {
  const opening = /url\(\s*(["']?)/gi;
  for (let match = opening.exec(css); match !== null; match = opening.exec(css)) {
    const start = opening.lastIndex;
    const end = css.indexOf(match[1] || ')', start);
    if (end < 0) return;
    const text = css.slice(start, end);
    const url = text.trim();
    const from = start + text.indexOf(url);
    yield { url, start: from, end: from + url.length };
    opening.lastIndex = end;
  }
}
