/** The Content-Type header, as browsers read it. */
import { MIMEType } from 'whatwg-mimetype';

/** What a header says. */
export interface ContentType {
  /** Lower-case type and subtype; undefined when it says nothing. */
  readonly type: string | undefined;
  readonly charset: string | undefined;
}

/**
 * Of several types in one header the last good one counts; the charset stays while the type does
 * (Fetch, "extract a MIME type").
 */
export function readContentType(value: string): ContentType {
  let type: string | undefined;
  let charset: string | undefined;
  for (const part of splitAtCommas(shortened(value))) {
    const parsed = MIMEType.parse(repaired(part));
    const label = parsed?.parameters.get('charset');
    if (parsed === null) {
      // "charset=utf-8" alone.
      charset ??= /^\s*charset=["']?([^"';\s]+)/i.exec(part)?.[1];
    } else if (parsed.essence !== '*/*') {
      if (parsed.essence !== type) charset = undefined;
      type = parsed.essence;
      charset = unquoted(label) ?? charset;
    }
  }
  return { type: type === undefined || generic.has(type) ? undefined : type, charset };
}

/**
 * Expressions that read it, those of the library too, take time by the square of blanks in a row, and a
 * server may send 64 KB of them.
 */
function shortened(value: string): string {
  return value.replace(/\s+/g, ' ').slice(0, longest);
}

/** Characters that are looked at. */
const longest = 1024;

/** Not at those in quotes: `text/html; x="a,b"`. */
function splitAtCommas(value: string): readonly string[] {
  return value.includes(',') ? (value.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+/g) ?? []) : [value];
}

/** What browsers forgive, and the standard does not: blanks for a semicolon, and around the equals sign. */
function repaired(part: string): string {
  if (!/[^;,\s]\s+[^;\s]/.test(part)) return part;
  return part.replace(/\s*=\s*/g, '=').replace(/^(\s*[^\s;]+)\s+(?=[^\s;])/, '$1;');
}

/** Single quotes mean nothing in the standard, but are written. */
function unquoted(label: string | undefined): string | undefined {
  const text = label?.replace(/^'([^']*)'?$/, '$1').trim();
  return text === '' ? undefined : text;
}

/** Types that say only that there are bytes. */
const generic: ReadonlySet<string> = new Set([
  ...['application/octet-stream', 'binary/octet-stream', 'application/binary'],
  ...['application/unknown', 'application/x-unknown', 'unknown/unknown', 'content/unknown'],
  ...['application/download', 'application/x-download', 'application/force-download'],
]);
