/** The readable words of a URL, and the date in it. */
import { registrableDomain } from './registrable-domain.ts';

/**
 * The words of a URL as a text: subdomain, path and query, decoded, `camelCase` also in its parts. The site's own name
 * and the extension of a page are left out.
 *
 * @example readableUrl('http://docs.site.test/guides/nightTrain.html') // 'docs guides nightTrain night Train'
 */
export function readableUrl(url: string): string {
  const { hostname, pathname, search, hash } = new URL(url);
  const subdomain = hostname.slice(0, -registrableDomain(hostname).length).replace(/^www\./, '');
  const path = pathname.replace(/\.(?:html?|shtml|xhtml|php|aspx?|jsp)$/i, '');
  const words = [
    subdomain,
    decodedText(path),
    decodedText(search.replaceAll('+', ' ')),
    decodedText(hash),
  ];
  return words
    .join(' ')
    .replace(/[\p{L}\p{N}]+/gu, withQueryParts)
    .split(separators)
    .join(' ')
    .trim();
}

const separators = /[^\p{L}\p{N}\p{M}]+/u;

/** Bytes that are not UTF-8 are in an unknown encoding. */
function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        return ' ';
      }
    });
  }
}

function withQueryParts(word: string): string {
  const parts = word.replace(/(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$& ');
  return parts === word ? word : `${word} ${parts}`;
}

// The date in a URL: the month of a calendar page, the day of an archive.

/** A URL as a page of a series of dates. */
export interface DateInUrl {
  /** The URL with its dates replaced: `https://site.test/events/{date}`. */
  readonly shape: string;
  /** Path and query of the shape. */
  readonly pattern: string;
  readonly year: number;
  /** 1 to 12; for a week, 100 plus its number. */
  readonly month: number | undefined;
  readonly day: number | undefined;
  /** Query parameters that hold the date, if it is only in the query. */
  readonly parameters: readonly string[];
}

/**
 * Reads dates in path and query: `2024/05`, `2024-05-03`, `20240503`, `05-2024`, `may-2024`,
 * `2024-w07`, `?year=2024&month=5`, `?date=1714521600`. Undefined for a URL without a date; a
 * number of four digits is a year only if its name implies it. Of several dates the last counts.
 */
export function dateInUrl(url: URL): DateInUrl | undefined {
  // Most URLs have no four digits in a row.
  if (!/\d{4}/.test(url.pathname) && !/\d{4}/.test(url.search)) return undefined;
  const path = replaceDates(url.pathname);
  const query = readQuery(url.search);
  const found = query.found ?? path.found;
  if (found === undefined) return undefined;
  const pattern = path.text + query.text;
  const parameters = path.found === undefined ? query.parameters : [];
  return { ...found, shape: url.origin + pattern, pattern, parameters };
}

type FoundDate = Pick<DateInUrl, 'year' | 'month' | 'day'>;

interface ReplacedDates {
  readonly text: string;
  readonly found: FoundDate | undefined;
}

const placeholder = '{date}';

const monthNames: readonly string[] = [
  'january jan januar jänner januari janvier enero ene gennaio gen janeiro',
  'february feb februar februari février fevrier febrero febbraio fevereiro fev',
  'march mar märz maerz maart mars marzo março marco',
  'april apr avril abril aprile abr',
  'may mai mei mayo maggio maio mag',
  'june jun juni juin junio giugno junho giu',
  'july jul juli juillet julio luglio julho lug',
  'august aug augustus août aout agosto ago',
  'september sep sept septembre septiembre settembre setembro set',
  'october oct oktober okt octobre octubre ottobre outubro out ott',
  'november nov novembre noviembre novembro',
  'december dec dezember dez décembre decembre diciembre dicembre dezembro dic',
];

const monthByName: ReadonlyMap<string, number> = new Map(
  monthNames.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
);

const monthPattern = `(?:${[...monthByName.keys()].sort((a, b) => b.length - a.length).join('|')})`;

/** One notation of a date; undefined if the numbers are no date. */
interface DateNotation {
  readonly expression: RegExp;
  read(parts: readonly (string | undefined)[]): FoundDate | undefined;
}

const notations: readonly DateNotation[] = [
  {
    expression: /(?<![\da-z])(\d{4})[-_/]?(?:w|kw|week[-_/]?)(\d{1,2})(?![\da-z])/g,
    read: ([year, week]) =>
      withinRange(week, 1, 53) ? dateOf(year, String(100 + Number(week))) : undefined,
  },
  {
    expression: new RegExp(
      `(?<![\\da-z])(\\d{4})([-_/])(${monthPattern}|\\d{1,2})(?:\\2(\\d{1,2}))?(?![\\da-z])`,
      'g',
    ),
    read: ([year, , month, day]) => dateOf(year, month, day),
  },
  {
    // Without the day, if the number after the month is not a day: 2024/05/12345.
    expression: new RegExp(
      `(?<![\\da-z])(\\d{4})([-_/])(${monthPattern}|\\d{1,2})(?![\\da-z])`,
      'g',
    ),
    read: ([year, , month]) => dateOf(year, month),
  },
  {
    expression: new RegExp(
      `(?<![\\da-z])(?:(\\d{1,2})[-_./])?(${monthPattern}|\\d{1,2})[-_./](\\d{4})(?![\\da-z])`,
      'g',
    ),
    read: ([day, month, year]) => dateOf(year, month, day),
  },
  {
    expression: /(?<![\da-z])((?:19|20|21)\d\d)(0[1-9]|1[0-2])([0-3]\d)?(?![\da-z])/g,
    read: ([year, month, day]) => dateOf(year, month, day),
  },
  {
    expression:
      /(?<=(?:year|yr|jahr|annee|anno|ano|cal|calendar|kalender|calendario|calendrier|agenda|events?|termine|diary|schedule|archives?|archiv)[-_/=])(\d{4})(?![\da-z])/g,
    read: ([year]) => (withinRange(year, 1000, 2999) ? dateOf(year) : undefined),
  },
];

function replaceDates(original: string): ReplacedDates {
  // A URL inside a URL has its slashes escaped.
  let text = original.toLowerCase().replaceAll('%2f', '/');
  let found: FoundDate | undefined;
  for (const { expression, read } of notations) {
    text = text.replace(expression, (whole: string, ...parts: (string | undefined)[]) => {
      const date = read(parts);
      if (date === undefined) return whole;
      found = date;
      return placeholder;
    });
  }
  return found === undefined ? { text: original, found } : { text, found };
}

interface ReplacedQuery extends ReplacedDates {
  readonly parameters: readonly string[];
}

const queryParts: readonly [part: 'year' | 'month' | 'day', expression: RegExp][] = [
  ['year', /(?:^|[-_.[]|[a-z](?=Y))(?:y|yr|year|jahr|an|annee|ano|anno)\]?$/i],
  ['month', /(?:^|[-_.[]|[a-z](?=M))(?:m|mo|mon|month|monat|mois|mes|mese|maand)\]?$/i],
  ['day', /(?:^|[-_.[]|[a-z](?=D))(?:d|day|tag|jour|dia|giorno|dag)\]?$/i],
];

const timeName = /date|time|start|from|stamp|^ts$|day|cal/i;

function readQuery(search: string): ReplacedQuery {
  const parameters: string[] = [];
  const pieces: Partial<Record<'year' | 'month' | 'day', string>> = {};
  let found: FoundDate | undefined;
  const texts = search
    .slice(1)
    .split('&')
    .map((parameter) => {
      const [key = '', value = ''] = parameter.split('=', 2);
      const part = queryParts.find(([, expression]) => expression.test(key))?.[0];
      const isPart =
        part === 'year' ? /^\d{4}$/ : part === undefined ? /^$/ : /^(\d{1,2}|\p{L}+)$/u;
      if (part !== undefined && isPart.test(value)) {
        pieces[part] = value;
        parameters.push(key);
        return `${key}=${placeholder}`;
      }
      const date = timeName.test(key) ? dateOfSeconds(value) : undefined;
      const replaced =
        date === undefined ? replaceDates(value) : { text: placeholder, found: date };
      if (replaced.found === undefined) return parameter;
      found = replaced.found;
      parameters.push(key);
      return `${key}=${replaced.text}`;
    });
  const ofPieces =
    pieces.year === undefined ? undefined : dateOf(pieces.year, pieces.month, pieces.day);
  const date = ofPieces ?? found;
  if (date === undefined) return { text: search, found: undefined, parameters: [] };
  return { text: `?${texts.join('&')}`, found: date, parameters };
}

function dateOf(year = '', month?: string, day?: string): FoundDate | undefined {
  const number = month === undefined ? undefined : (monthByName.get(month) ?? Number(month));
  const isMonth = number === undefined || (number >= 1 && number <= 12) || number > 100;
  if (!isMonth || (day !== undefined && !withinRange(day, 1, 31))) return undefined;
  // A month of one digit may be the page of a list.
  const isPlain = month !== undefined && /^\d$/.test(month);
  if (!(isPlain ? withinRange(year, 1900, 2199) : withinRange(year, 1000, 2999))) return undefined;
  return {
    year: Number(year),
    month: number,
    day: day === undefined ? undefined : Number(day),
  };
}

/** Seconds or milliseconds since 1970. */
function dateOfSeconds(value: string): FoundDate | undefined {
  if (!/^\d{9,10}$|^\d{12,13}$/.test(value)) return undefined;
  const date = new Date(Number(value) * (value.length > 10 ? 1 : 1000));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function withinRange(text: string | undefined, least: number, most: number): boolean {
  const number = Number(text);
  return number >= least && number <= most;
}
