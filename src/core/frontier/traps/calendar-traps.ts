/** Detects calendar traps: pages of dates that lead to further dates and have no content of their own. */
import { type DateInUrl, dateInUrl } from '../../url/readable-url.ts';
import type { TrapDetector, TrapEvidence, TrapSuspicion } from './trap-detectors.ts';

const limits = {
  creditForLinks: 31, // pages that may join for one that leads to new pages: the days of a month
  creditForWords: 2, // pages that may join for one with new content: mostly new word pairs
  newShare: 0.5,
  fewestPairs: 10, // word pairs; a page with fewer counts as empty
  fewestRead: 8, // pages compared before new content is accepted
  tellingShare: 0.8, // of these pages that must have new content
  mostPairs: 50_000, // word pairs in memory; beyond that all count as new
  widgetPaths: 5, // paths with one date parameter: it is a calendar that stands on every page
  yearsAhead: 2, // of now that pages may be about
  earliestYear: 1980,
};

/** A page of a series of dates. */
interface DatedPage {
  readonly date: DateInUrl;
  /** Steps from date to date on the path here since the last new content. */
  readonly steps: number;
}

/** Pages whose URLs differ only in their date. */
interface CalendarSeries {
  /** The link targets of its pages. */
  readonly targets: Set<string>;
  /** Word pairs on its pages. */
  readonly pairs: Set<number>;
  /** Pages with text that were compared with earlier ones, and how many of them had new content. */
  read: number;
  telling: number;
  /** Pages accepted as new content, so that others may join for them. */
  believed: number;
  /** Pages that may join although the bound is reached. */
  credit: number;
  /** Counted pages, with the one that the series began with. */
  counted: number;
}

const none = { read: 0, telling: 0, believed: 0, credit: 0, counted: 0 };

/**
 * Suspects a date that is reached over two dates, and every day of a month. An archive that leads
 * to articles is not a trap, and neither are days with new content: for each such page more of the
 * series may join. Dates that a list, a menu or a version picker links to are not suspected.
 */
export class CalendarTraps implements TrapDetector {
  readonly #latestYear: number;
  readonly #pages = new Map<string, DatedPage>();
  readonly #series = new Map<string, CalendarSeries>();
  /** Paths by date parameter. */
  readonly #widgets = new Map<string, Set<string>>();
  /** Series that may take more pages since the last call. */
  readonly #earned = new Set<string>();
  #parent: DatedPage | undefined;
  /** The last read page had new content or links. */
  #isFruitful = false;
  /** The result of `suspect`, for `admitted`. */
  #last: DatedPage | undefined;

  constructor(now: number) {
    this.#latestYear = new Date(now).getUTCFullYear() + limits.yearsAhead;
  }

  readPage(page: URL, links: readonly string[]): void {
    this.#parent = this.#pages.get(page.href);
    this.#isFruitful = false;
    if (this.#parent === undefined) return;
    const { shape } = this.#parent.date;
    const shapes = links.map((link) => this.#shapeOf(link));
    let series = this.#series.get(shape);
    if (series === undefined) {
      // A date that leads to no other date is a leaf, not a series.
      if (!shapes.includes(shape)) return;
      series = { targets: new Set(shapes), pairs: new Set(), ...none };
      this.#series.set(shape, series);
      return;
    }
    const { targets } = series;
    const before = targets.size;
    for (const target of shapes) targets.add(target);
    this.#isFruitful = targets.size > before;
    if (this.#isFruitful) this.#earn(shape, series, limits.creditForLinks);
  }

  suspect(url: URL, parent: URL): TrapSuspicion | undefined {
    this.#last = undefined;
    const date = dateInUrl(url);
    if (date === undefined) return undefined;
    const from = this.#parent?.date;
    const isWithin = from !== undefined && contains(from, date);
    const steps = this.#stepsTo(date, isWithin, url, parent);
    this.#last = { date, steps };
    const isDay = isWithin && date.day !== undefined;
    if (steps === 0 && !isDay) return undefined;
    const series = this.#series.get(date.shape);
    const weight = series?.counted === 0 ? 2 : 1;
    if (series !== undefined) series.counted += weight;
    const isWidget = this.#isWidget(date);
    const isImplausible = this.#isImplausible(date) && !isWithin;
    return {
      pattern: isWidget ? date.pattern.replace(/^[^?]*/, '') : date.pattern,
      isTrap: isImplausible || isWidget || isWithin || steps > 1,
      weight,
      ...(isImplausible || series === undefined ? {} : { series: date.shape }),
    };
  }

  admitted(url: URL): void {
    if (this.#last !== undefined) this.#pages.set(url.href, this.#last);
  }

  settled(url: URL, { wordPairs }: TrapEvidence): number {
    const shape = this.#pages.get(url.href)?.date.shape;
    const series = shape === undefined ? undefined : this.#series.get(shape);
    if (series === undefined || wordPairs === undefined) return 0;
    const { pairs } = series;
    if (wordPairs.length < limits.fewestPairs || shape === undefined) return 0;
    const fresh = wordPairs.filter((pair) => !pairs.has(pair));
    const isFirst = pairs.size === 0;
    if (pairs.size < limits.mostPairs) for (const pair of fresh) pairs.add(pair);
    if (isFirst) return 0;
    const isTelling = fresh.length >= wordPairs.length * limits.newShare;
    series.read += 1;
    if (isTelling) series.telling += 1;
    if (series.read >= limits.fewestRead && series.telling >= series.read * limits.tellingShare) {
      this.#earn(shape, series, limits.creditForWords * (series.telling - series.believed));
      series.believed = series.telling;
    }
    return 0;
  }

  takeEarned(): string[] {
    const earned = [...this.#earned];
    this.#earned.clear();
    return earned;
  }

  spend(shape: string): boolean {
    const series = this.#series.get(shape);
    if (series === undefined || series.credit === 0) return false;
    series.credit -= 1;
    return true;
  }

  #earn(shape: string, series: CalendarSeries, credit: number): void {
    if (credit === 0) return;
    series.credit += credit;
    this.#earned.add(shape);
  }

  /** Cached: most links of a page are known. */
  #shapeOf(link: string): string {
    if (!/\d{4}/.test(link)) return link;
    return (this.#pages.get(link)?.date ?? dateInUrl(new URL(link)))?.shape ?? link;
  }

  #stepsTo(date: DateInUrl, isWithin: boolean, url: URL, parent: URL): number {
    const page = this.#parent;
    const isStep =
      page !== undefined &&
      (page.date.shape === date.shape ||
        // True for a link from one calendar view to another.
        (this.#series.has(date.shape) && !isSameDate(page.date, date)));
    if (!isStep) return date.parameters.length > 0 && isBaseOf(parent, url, date) ? 1 : 0;
    if (this.#isFruitful && !this.#isImplausible(date)) return 0;
    return isWithin ? page.steps : page.steps + 1;
  }

  #isImplausible({ year }: DateInUrl): boolean {
    return year > this.#latestYear || year < limits.earliestYear;
  }

  #isWidget({ parameters, pattern }: DateInUrl): boolean {
    const [parameter] = parameters;
    if (parameter === undefined) return false;
    const paths = this.#widgets.get(parameter) ?? new Set();
    this.#widgets.set(parameter, paths);
    if (paths.size < limits.widgetPaths) paths.add(pattern.split('?', 1)[0] ?? '');
    return paths.size >= limits.widgetPaths;
  }
}

/** True for a month in its year, a day in its month: their number is limited. */
function contains(outer: DateInUrl, inner: DateInUrl): boolean {
  if (outer.shape !== inner.shape || outer.year !== inner.year) return false;
  if (outer.month === undefined) return inner.month !== undefined;
  return outer.month === inner.month && outer.day === undefined && inner.day !== undefined;
}

function isSameDate(one: DateInUrl, other: DateInUrl): boolean {
  return one.year === other.year && one.month === other.month && one.day === other.day;
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
