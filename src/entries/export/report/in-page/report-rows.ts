/** Runs in the page of a report: reads, filters and sorts its rows. */
import type { ReportColumns, ReportData } from '../report-data.ts';

/** Columns of texts. */
export type TextColumn =
  | 'url'
  | 'parent'
  | 'finalUrl'
  | 'title'
  | 'code'
  | 'note'
  | 'engine'
  | 'foundBy'
  | 'cache'
  | 'keptHtml'
  | 'keptScreenshot';

/** Columns of numbers. */
export type NumberColumn = Exclude<keyof ReportColumns, TextColumn>;

/** The rows to list; an empty text selects all. */
export interface RowFilter {
  search: string;
  state: string;
  /** The reason of a skip, or the code of an error. */
  code: string;
  status: string;
  engine: string;
  host: string;
  /** The start of the URL. */
  folder: string;
  /** The page that links to it. */
  parent: string;
}

/** The rows of a report. */
export interface Rows {
  readonly count: number;
  text(name: TextColumn, row: number): string;
  /** -1 where it is unknown. */
  number(name: NumberColumn, row: number): number;
  state(row: number): string;
  host(row: number): string;
  /** The URL without the host that most pages have. */
  shortUrl(row: number): string;
  /** The values of a column with the number of their rows, the most frequent first. */
  tally(value: (row: number) => string): [value: string, count: number][];
  filter(wanted: RowFilter): number[];
  sort(rows: number[], column: TextColumn | NumberColumn, isDescending: boolean): void;
}

export function indexRows({ rows: columns, texts }: ReportData): Rows {
  const count = columns.state.length;
  const states = ['page', 'failed', 'skipped'];
  const text: Rows['text'] = (name, row) => texts[columns[name][row] ?? -1] ?? '';
  const number: Rows['number'] = (name, row) => columns[name][row] ?? -1;
  const state: Rows['state'] = (row) => states[number('state', row)] ?? '';
  const hostIn = (url: string): string => /^[a-z][\w+.-]*:\/\/([^/?#]+)/i.exec(url)?.[1] ?? '';
  const hostOf = columns.url.map((_, row) => hostIn(text('url', row)));
  const mainHost = mainHostOf();
  let lower: string[] | undefined;
  const isBelow = (url: string, folder: string): boolean =>
    url.startsWith(folder) && /^(?:$|[/?#])/.test(url.slice(folder.length));
  const status = (row: number): string => String(number('statusCode', row));
  const textColumns = new Set([
    'url',
    'parent',
    'finalUrl',
    'title',
    'code',
    'note',
    'engine',
    'cache',
  ]);
  return {
    count,
    text,
    number,
    state,
    host: (row) => hostOf[row] ?? '',
    shortUrl(row) {
      const url = text('url', row);
      const host = hostOf[row] ?? '';
      if (host === '') return url;
      const end = url.indexOf(host) + host.length;
      return host === mainHost ? url.slice(end) || '/' : url.slice(end - host.length);
    },
    tally(value) {
      const counts = new Map<string, number>();
      for (let row = 0; row < count; row += 1) {
        const one = value(row);
        if (one !== '') counts.set(one, (counts.get(one) ?? 0) + 1);
      }
      return [...counts].sort(([, one], [, other]) => other - one);
    },
    filter(wanted) {
      const words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length > 0) {
        lower ??= columns.url.map((_, row) =>
          [text('url', row), text('title', row), text('code', row), text('note', row), status(row)]
            .join('\n')
            .toLowerCase(),
        );
      }
      const isWanted = (row: number): boolean =>
        (wanted.state === '' || state(row) === wanted.state) &&
        (wanted.code === '' || text('code', row) === wanted.code) &&
        (wanted.status === '' || status(row) === wanted.status) &&
        (wanted.engine === '' || text('engine', row) === wanted.engine) &&
        (wanted.host === '' || hostOf[row] === wanted.host) &&
        (wanted.folder === '' || isBelow(text('url', row), wanted.folder)) &&
        (wanted.parent === '' || text('parent', row) === wanted.parent) &&
        words.every((word) => lower?.[row]?.includes(word) === true);
      const found: number[] = [];
      for (let row = 0; row < count; row += 1) if (isWanted(row)) found.push(row);
      return found;
    },
    sort(rows, column, isDescending) {
      const sign = isDescending ? -1 : 1;
      if (textColumns.has(column)) {
        const name = column as TextColumn;
        const compare = new Intl.Collator('en', { numeric: true }).compare;
        // Each text is compared by its rank among the sorted ones.
        const used = [...new Set(rows.map((row) => columns[name][row] ?? -1))];
        used.sort((one, other) => compare(texts[one] ?? '', texts[other] ?? ''));
        const rank = new Map(
          used.map((index, position) => [index, index < 0 ? Infinity : position]),
        );
        const rankOf = (row: number): number => rank.get(columns[name][row] ?? -1) ?? 0;
        rows.sort((one, other) => order(rankOf(one), rankOf(other), one - other));
      } else {
        const name = column as NumberColumn;
        const valueOf = (row: number): number => {
          const value = number(name, row);
          return value < 0 ? Infinity : value;
        };
        rows.sort((one, other) => order(valueOf(one), valueOf(other), one - other));
      }

      /** Unknown values come last in both directions. */
      function order(one: number, other: number, otherwise: number): number {
        if (one === other) return otherwise;
        if (one === Infinity || other === Infinity) return one === Infinity ? 1 : -1;
        return sign * (one - other);
      }
    },
  };

  function mainHostOf(): string {
    const counts = new Map<string, number>();
    for (const [row, host] of hostOf.entries()) {
      const weight = state(row) === 'page' ? 1000 : 1;
      counts.set(host, (counts.get(host) ?? 0) + weight);
    }
    return [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0])[0];
  }
}
