/** Calendars: pages of dates that lead to further dates and to nothing else. */
import { type DateInUrl, dateInUrl } from '../url/date-in-url.ts';
import type { Suspicion, TrapDetector } from './trap.ts';

/** A page of a series of dates. */
interface DatedPage {
  readonly date: DateInUrl;
  /** Steps from date to date that led here since something new was found on the way. */
  readonly steps: number;
}

/** Pages whose URLs differ in their date only. */
interface Series {
  /** What its pages link to. */
  readonly targets: Set<string>;
  /** True when a page of it led to anything that is new to the series, but for its first one. */
  hasLed: boolean;
  /** Pages read since then. */
  idle: number;
  /** Pages that count, with the one that the series began with. */
  counted: number;
}

/** Pages in a row that lead to nothing, in a series that had led somewhere. */
const patience = 10;
/** Paths on which the same parameter holds dates: a calendar that stands on every page. */
const widgetPaths = 5;
/** Years that pages are about ahead of time. */
const yearsAhead = 2;
const earliestYear = 1500;

/**
 * A trap is a date that is reached over two dates, or the days of a month that is. An archive that
 * leads to articles is none, however long; nor are dates that a list, a menu or a choice of versions
 * links to, for they come to an end.
 */
export class CalendarTraps implements TrapDetector {
  readonly #latestYear: number;
  readonly #pages = new Map<string, DatedPage>();
  readonly #series = new Map<string, Series>();
  /** Paths by the parameter that holds a date on them. */
  readonly #widgets = new Map<string, Set<string>>();
  #parent: DatedPage | undefined;
  /** The page that was read last found something new. */
  #isFruitful = false;
  /** The answer of `suspect`, for `admitted`. */
  #last: DatedPage | undefined;

  constructor(now: number) {
    this.#latestYear = new Date(now).getUTCFullYear() + yearsAhead;
  }

  readPage(page: URL, links: readonly string[]): void {
    this.#parent = this.#pages.get(page.href);
    this.#isFruitful = false;
    if (this.#parent === undefined) return;
    const { shape } = this.#parent.date;
    const shapes = links.map((link) => this.#shapeOf(link));
    let series = this.#series.get(shape);
    if (series === undefined) {
      // A date that leads to no other is a leaf: there is no series.
      if (!shapes.includes(shape)) return;
      series = { targets: new Set(shapes), hasLed: false, idle: 0, counted: 0 };
      this.#series.set(shape, series);
      return;
    }
    const { targets } = series;
    const before = targets.size;
    for (const target of shapes) targets.add(target);
    this.#isFruitful = targets.size > before;
    series.hasLed ||= this.#isFruitful;
    series.idle = this.#isFruitful ? 0 : series.idle + 1;
  }

  suspect(url: URL, parent: URL): Suspicion | undefined {
    this.#last = undefined;
    const date = dateInUrl(url);
    if (date === undefined) return undefined;
    const from = this.#parent?.date;
    const isWithin = from !== undefined && contains(from, date);
    const steps = this.#stepsTo(date, isWithin, url, parent);
    this.#last = { date, steps };
    if (steps === 0) return undefined;
    const series = this.#series.get(date.shape);
    const weight = series?.counted === 0 ? 2 : 1;
    if (series !== undefined) series.counted += weight;
    const isWidget = this.#isWidget(date);
    return {
      pattern: isWidget ? date.pattern.replace(/^[^?]*/, '') : date.pattern,
      isTrap: this.#isTrap(date, isWidget || isWithin || steps > 1),
      weight,
    };
  }

  admitted(url: URL): void {
    if (this.#last !== undefined) this.#pages.set(url.href, this.#last);
  }

  /** Most links of a page are known. */
  #shapeOf(link: string): string {
    if (!/\d{4}/.test(link)) return link;
    return (this.#pages.get(link)?.date ?? dateInUrl(new URL(link)))?.shape ?? link;
  }

  #stepsTo(date: DateInUrl, isWithin: boolean, url: URL, parent: URL): number {
    const page = this.#parent;
    if (page === undefined || page.date.shape !== date.shape) {
      return date.parameters.length > 0 && isBaseOf(parent, url, date) ? 1 : 0;
    }
    if (this.#isFruitful && !this.#isImplausible(date)) return 0;
    return isWithin ? page.steps : page.steps + 1;
  }

  #isTrap(date: DateInUrl, goesOn: boolean): boolean {
    if (this.#isImplausible(date)) return true;
    const series = this.#series.get(date.shape);
    return goesOn && (series?.hasLed !== true || series.idle >= patience);
  }

  #isImplausible({ year }: DateInUrl): boolean {
    return year > this.#latestYear || year < earliestYear;
  }

  #isWidget({ parameters, pattern }: DateInUrl): boolean {
    const [parameter] = parameters;
    if (parameter === undefined) return false;
    const paths = this.#widgets.get(parameter) ?? new Set();
    this.#widgets.set(parameter, paths);
    if (paths.size < widgetPaths) paths.add(pattern.split('?', 1)[0] ?? '');
    return paths.size >= widgetPaths;
  }
}

/** A month in its year, a day in its month: there are so many, and no more. */
function contains(outer: DateInUrl, inner: DateInUrl): boolean {
  if (outer.shape !== inner.shape || outer.year !== inner.year) return false;
  if (outer.month === undefined) return inner.month !== undefined;
  return outer.month === inner.month && outer.day === undefined && inner.day !== undefined;
}

/** True for `/about` and `/about?month={date}`. */
function isBaseOf(base: URL, url: URL, { parameters }: DateInUrl): boolean {
  if (base.pathname !== url.pathname) return false;
  const rest = new URL(url);
  for (const parameter of parameters) rest.searchParams.delete(parameter);
  rest.searchParams.sort();
  const other = new URL(base);
  other.searchParams.sort();
  return rest.search === other.search;
}
