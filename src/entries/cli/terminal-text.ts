/** Text of pages for a terminal: without sequences that control it, and cut to the available width. */
import stringWidth from 'string-width';

/**
 * Replaces control characters, and marks that turn the direction of text, with U+FFFD. Line ends and tabs stay,
 * unless `isOneLine`.
 */
export function withoutControls(text: string, isOneLine = false): string {
  const controls = isOneLine ? oneLineControls : blockControls;
  return text.replace(controls, '\ufffd');
}

const blockControls = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const oneLineControls = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** A URL in readable form: with letters instead of their codes. */
export function readableUrl(url: string): string {
  try {
    return withoutControls(decodeURI(url), true);
  } catch {
    // Codes of another charset than UTF-8.
    return withoutControls(url, true);
  }
}

/** The text in one line, or its start and its end, in so many columns at most. */
export function fit(given: string, columns: number): string {
  const text = withoutControls(given, true);
  if (stringWidth(text) <= columns) return text;
  if (columns <= 1) return columns === 1 ? '…' : '';
  const letters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  // The end of a URL is more specific than its start.
  const head = taken(letters, Math.floor((columns - 1) * 0.4));
  const tail = taken(letters.reverse(), columns - 1 - stringWidth(head.join('')));
  return `${head.join('')}…${tail.reverse().join('')}`;
}

/** The first letters that fit. */
function taken(letters: readonly string[], columns: number): string[] {
  const first: string[] = [];
  let left = columns;
  for (const letter of letters) {
    left -= stringWidth(letter);
    if (left < 0) break;
    first.push(letter);
  }
  return first;
}

/** Columns that are as wide as their longest text; the last one is cut where the terminal ends. */
export function tableLines(
  rows: readonly (readonly string[])[],
  columns: number = Infinity,
): string[] {
  const cells = rows.map((row) => row.map((text) => withoutControls(text, true)));
  const last = Math.max(...cells.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, index) =>
    Math.max(...cells.map((row) => stringWidth(row[index] ?? ''))),
  );
  const before = widths.reduce((sum, width) => sum + width + 2, 0);
  return cells.map((row) => {
    const start = widths.map((width, index) => padded(row[index] ?? '', width));
    const end = fit(row[last] ?? '', Math.max(20, columns - before));
    return [...start, end].join('  ').trimEnd();
  });
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** `0:07`, `12:30` or `1:02:03`. */
export function clockTime(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (number: number): string => String(number).padStart(2, '0');
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** `512 B`, `3.4 kB`, `1.2 MB`. */
export function byteSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
