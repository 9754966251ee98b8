/** The `srcset` attribute, parsed as the HTML standard says, so that URLs with commas survive. */

/** One candidate of a `srcset`. */
export interface SrcsetCandidate {
  /** As written; it may be relative. */
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
    while (value.charCodeAt(end - 1) === comma) end--;
    const url = value.slice(start, end);
    // A comma at the end of the URL ends the candidate: it has no descriptors.
    if (end < position) candidates.push({ url });
    else {
      const after = endOfDescriptors(value, position);
      const size = parseDescriptors(value.slice(position, after));
      if (size !== undefined) candidates.push({ url, ...size });
      position = after + 1;
    }
  }
}

/** The candidate with the most pixels; the first of equals. */
export function largestCandidate(
  candidates: readonly SrcsetCandidate[],
): SrcsetCandidate | undefined {
  let best: SrcsetCandidate | undefined;
  for (const candidate of candidates) {
    if (best === undefined || size(candidate) > size(best)) best = candidate;
  }
  return best;
}

const comma = 0x2c;

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

function isSeparator(code: number): boolean {
  return code === comma || isSpace(code);
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

/** Undefined when a descriptor is not valid. */
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
  return {
    ...(width === undefined ? {} : { width }),
    ...(density === undefined ? {} : { density }),
  };
}

/** Widths are compared with widths; a density of 1 stands for a small image beside them. */
function size({ width, density }: SrcsetCandidate): number {
  return width ?? density ?? 1;
}
