/** The dates of sitemaps and feeds. */

/** W3C date and time (sitemaps.org), also with a space for the T and a zone without its colon. */
const w3cDate =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?)?)?$/i;

/**
 * RFC 822, as in RSS, with or without the weekday. Date.parse reads a year out of almost anything.
 */
const rssDate = /^(?:[a-z]{3,9},? )?\d{1,2} [a-z]{3,9} \d{2,4}\b/i;

/** A W3C date keeps its precision, dates of RSS become ISO; undefined for other text. */
export function readDate(date: string | undefined): string | undefined {
  const text = date?.trim() ?? '';
  if (text === '' || text.length > 64) return undefined;
  const parts = w3cDate.exec(text);
  if (parts !== null) return isOnCalendar(parts) ? inW3cForm(text) : undefined;
  const time = rssDate.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/**
 * The latest time at which the page may have changed by a date of `readDate`, in ms since 1970: a
 * day has 24 hours, in any zone.
 */
export function latestTimeOf(date: string): number | undefined {
  const time = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(date) ? Date.parse(date) + minute : endOfDay(date);
  return Number.isNaN(time) ? undefined : time;
}

const minute = 60_000;

/** No zone is further behind. */
const lastZone = 12 * 60 * minute;

function endOfDay(date: string): number {
  const [year = NaN, month = 12, day] = date.split('T', 1)[0]?.split('-').map(Number) ?? [];
  const end = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return end + lastZone;
}

function isOnCalendar(parts: RegExpExecArray): boolean {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  if (month < 1 || month > 12 || hour > 24 || minute > 59 || second > 60) return false;
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function inW3cForm(text: string): string {
  return text
    .toUpperCase()
    .replace(/(?<=\d) (?=\d)/, 'T')
    .replace(',', '.')
    .replace(/\s/, '')
    .replace(/([+-]\d\d)(\d\d)$/, (zone, hours: string, minutes: string) =>
      text.length > 10 ? `${hours}:${minutes}` : zone,
    );
}
