/** The lines of robots.txt, as sites write them. */

/** One `key: value`. The key is in lower case, and spelled right. */
export interface Line {
  readonly key: string;
  readonly value: string;
}

/** Of a longer line only the beginning counts, as with Google's parser. */
const lineLimit = 16 * 1024;

/** Lines that say nothing are left out: comments, no value. */
export function* readLines(text: string): Generator<Line, void, undefined> {
  for (const line of text.split(/[\r\n]+/)) {
    const [content = ''] = line.slice(0, lineLimit).split('#', 1);
    const { key, value } = splitLine(content.trim());
    if (key !== '') yield { key: misspellings.get(key) ?? key, value };
  }
}

function splitLine(line: string): Line {
  const colon = line.indexOf(':');
  if (colon >= 0) {
    return { key: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() };
  }
  // Where the colon is missing, two words can only be meant as key and value.
  const [key = '', value, ...rest] = line.split(/[ \t]+/, 3);
  return value === undefined || rest.length > 0
    ? { key: '', value: '' }
    : { key: key.toLowerCase(), value };
}

/** The ones that are frequent on the web, by Google's open-source parser. */
const misspellings: ReadonlyMap<string, string> = new Map([
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['site-map', 'sitemap'],
]);
