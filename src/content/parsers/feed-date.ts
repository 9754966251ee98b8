/** Reads feed dates that `Date.parse` does not: compact ISO 8601, month names of other languages, zone names. */

/** The time in ISO 8601; undefined for other texts. */
export function feedDate(text: string): string | undefined {
  const written = text.trim().slice(0, 100);
  for (const read of [compactDate, namedMonth]) {
    const rewritten = read(written);
    const time = rewritten === undefined ? NaN : Date.parse(rewritten);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return undefined;
}

/** `20260131`, `20260131T101400Z`, `2026-031` (the day of the year), `2026년 01월 31일 10:14`. */
function compactDate(text: string): string | undefined {
  const ordinal = /^(\d{4})-?(\d{3})$/.exec(text);
  if (ordinal !== null) {
    const [, year, day] = ordinal;
    return new Date(Date.UTC(Number(year), 0, Number(day))).toISOString();
  }
  const basic = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text);
  if (basic !== null) {
    const [, year, month, day, hour, minute, second = '00', zone = 'Z'] = basic;
    const date = `${year}-${month}-${day}`;
    return hour === undefined ? date : `${date}T${hour}:${minute}:${second}${zone}`;
  }
  const eastern =
    /^(\d{4})\s*[년年]\s*(\d{1,2})\s*[월月]\s*(\d{1,2})\s*[일日]\s*(\d{1,2}:\d\d(?::\d\d)?)?$/.exec(
      text,
    );
  if (eastern === null) return undefined;
  const [, year, month = '', day = '', clock] = eastern;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${clock === undefined ? '' : ` ${clock} GMT`}`;
}

/** `do, 01 mai 2025 10:00:00 +0200`, `2004-július-13T9:15-05:00`, and zones by name. */
function namedMonth(text: string): string | undefined {
  const plain = unaccented(text);
  const found =
    /^(?:\p{L}+\.?,?\s+)?(?<day>\d{1,2})[.\s-]+(?:de\s+)?(?<month>\p{L}+)\.?[\s,-]+(?:de\s+)?(?<year>\d{4})\b(?<rest>.*)$/u.exec(
      plain,
    ) ?? /^(?<year>\d{4})[.\s-]+(?<month>\p{L}+)\.?[.\s-]+(?<day>\d{1,2})(?<rest>.*)$/u.exec(plain);
  const { day, month = '', year, rest = '' } = found?.groups ?? {};
  const number = [month, month.slice(0, 4), month.slice(0, 3)]
    .map((name) => months().get(name))
    .find((found) => found !== undefined);
  if (number === undefined) return undefined;
  const time = /^[\s,t]*(\d{1,2}:\d\d(?::\d\d)?)\s*(.*)$/.exec(rest);
  const zone = (time?.[2] ?? '').trim();
  const offset = zones.get(zone) ?? zone.toUpperCase();
  return `${day} ${english[number] ?? ''} ${year} ${time?.[1] ?? ''} ${time === null ? 'GMT' : offset || 'GMT'}`;
}

const english = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const zones: ReadonlyMap<string, string> = new Map([
  ['cet', '+0100'],
  ['cest', '+0200'],
  ['mez', '+0100'],
  ['mesz', '+0200'],
  ['bst', '+0100'],
  ['wet', '+0000'],
  ['west', '+0100'],
  ['eet', '+0200'],
  ['eest', '+0300'],
  ['msk', '+0300'],
  ['jst', '+0900'],
  ['kst', '+0900'],
  ['aest', '+1000'],
]);

let knownMonths: ReadonlyMap<string, number> | undefined;

/** Months from 0, by name in lower case without accents, and by unambiguous beginnings of names. */
function months(): ReadonlyMap<string, number> {
  if (knownMonths !== undefined) return knownMonths;
  const names = new Map<string, number>();
  const beginnings = new Map<string, number>();
  for (const language of 'en de fr es it pt nl sv da nb fi hu cs pl ro tr el ru uk'.split(' ')) {
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, {
        day: 'numeric',
        month: style,
        timeZone: 'UTC',
      });
      for (let month = 0; month < 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2024, month, 15));
        const name = unaccented(parts.find(({ type }) => type === 'month')?.value ?? '').replace(
          '.',
          '',
        );
        if (!names.has(name)) names.set(name, month);
        for (const length of [3, 4]) {
          const key = name.slice(0, length);
          const other = beginnings.get(key);
          beginnings.set(key, other === undefined || other === month ? month : -1);
        }
      }
    }
  }
  return (knownMonths = new Map([...[...beginnings].filter(([, month]) => month >= 0), ...names]));
}

function unaccented(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
