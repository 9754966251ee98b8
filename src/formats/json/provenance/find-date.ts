/** A day or a moment on a page, in whatever way it is written. */
import { utcDateTime } from '../coerce-date.ts';
import { knownPlaces, type Place } from './candidates.ts';
import type { WrittenDate } from './date-index.ts';
import type { Leaf } from './leaves.ts';
import type { PageIndex } from './page-index.ts';
import type { Sighting } from './sighting.ts';

const isoDate = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** True for texts that are a day or a moment. */
export function isDateLeaf({ value }: Leaf): boolean {
  return typeof value === 'string' && isoDate.test(value);
}

/**
 * Where the page says the date. A place is not certain when the page does not say the time, or when
 * it is open which number is the day.
 */
export function findDate(value: string, page: PageIndex): Sighting {
  const [, day = '', time] = isoDate.exec(value) ?? [];
  const otherwise = page.dates.isComplete ? 'notFound' : 'unverified';
  const places =
    time === undefined ? page.dates.placesOf(day) : momentPlaces(value, day, time, page);
  return places.length > 0 ? { candidates: knownPlaces(places), otherwise } : { otherwise };
}

/** Dates of one day that are compared with a moment. */
const maxDates = 500;

function momentPlaces(value: string, day: string, time: string, page: PageIndex): Place[] {
  const same: Place[] = [];
  const partly: Place[] = [];
  for (const one of daysAround(day)) {
    const dates = page.dates.on(one).slice(0, maxDates);
    page.budget.steps -= dates.length;
    for (const written of dates) {
      const isSame = saysTime(written, value, time);
      if (isSame && written.place.isCertain === true) same.push(written.place);
      else if (isSame || one === day) partly.push({ ...written.place, isCertain: false });
    }
  }
  return (same.length > 0 ? same : partly).sort((a, b) => a.start - b.start);
}

/** The day itself and its neighbours: offsets move a moment. */
function daysAround(day: string): string[] {
  const noon = Date.parse(`${day}T12:00:00Z`);
  if (Number.isNaN(noon)) return [day];
  return [-1, 0, 1].map((days) => new Date(noon + days * 86_400_000).toISOString().slice(0, 10));
}

function saysTime(written: WrittenDate, value: string, time: string): boolean {
  const { place: _, ...parsed } = written;
  // As in ECMAScript, a day without a time is its first moment.
  if (parsed.time === undefined) return /^00:00(:00)?$/.test(time) && value.startsWith(parsed.date);
  const utc = utcDateTime(parsed);
  if (utc !== undefined && Date.parse(utc) === Date.parse(value)) return true;
  return (
    parsed.offset === undefined && value.startsWith(`${parsed.date}T${parsed.time.slice(0, 5)}`)
  );
}
