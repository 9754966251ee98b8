/** Runs in the page of a report: the numbers of the job, and the findings in them. */
import type { ReportData } from '../report-data.ts';
import type { ChartColumn, Charts, ListedBar } from './charts.ts';
import type { Elements } from './elements.ts';
import type { RowFilter, Rows } from './report-rows.ts';

/** `onFilter` shows rows in the table, `onOpen` one of them. */
export function makeOverview(
  { make, bytes, time, date, count }: Elements,
  { columns, bars }: Charts,
  data: ReportData,
  rows: Rows,
  act: {
    readonly onFilter: (wanted: Partial<RowFilter>) => void;
    readonly onOpen: (row: number) => void;
  },
): HTMLElement {
  const { job } = data;
  const all = Array.from({ length: rows.count }, (_, row) => row);
  const cards = make('div', { class: 'cards' });
  const card = (title: string, ...content: HTMLElement[]): void =>
    cards.append(make('section', { class: 'card' }, make('h2', { text: title }), ...content));
  const overview = make('div', {}, makeTiles(), ...notices(), cards);
  addPace();
  addDurations();
  addReasons();
  addExtremes();
  addOptions();
  return overview;

  function makeTiles(): HTMLElement {
    const tiles = make('dl', { class: 'tiles' });
    const tile = (name: string, value: string, hint = '', kind = ''): void => {
      const parts = [make('dt', { text: name }), make('dd', { text: value })];
      if (hint !== '') parts.push(make('dd', { class: 'hint', text: hint }));
      tiles.append(make('div', { class: `tile ${kind}` }, ...parts));
    };
    const { usage, completedAt } = job;
    const reasons = data.skippedByReason;
    const same = (reasons['DUPLICATE_URL'] ?? 0) + (reasons['DUPLICATE_CONTENT'] ?? 0);
    const took = Date.parse(completedAt ?? data.writtenAt) - Date.parse(job.createdAt);
    const rate = took > 0 ? job.completed / (took / 1000) : 0;
    tile('Pages', count(job.completed), rate > 0 ? `${rate.toPrecision(3)} a second` : '', 'page');
    tile('Failed', count(job.failed), '', job.failed > 0 ? 'failed' : '');
    tile('Skipped', count(job.skipped), '', 'skipped');
    tile('Duplicates', count(same), 'among the skipped');
    if (job.pending > 0) tile('Pending', count(job.pending), 'not visited');
    tile('Duration', time(took), completedAt === undefined ? 'so far' : '');
    tile('Requests', count(usage.requests));
    tile('Received', bytes(usage.bytes), 'on the wire');
    tile('Credits', count(job.creditsUsed));
    if (usage.browserMs !== undefined) tile('Browser', time(usage.browserMs), 'working time');
    if (usage.tokens !== undefined) tile('Tokens', count(usage.tokens), 'of the model');
    if (usage.cost !== undefined) tile('Cost', usage.cost.toFixed(4), 'of the model');
    return tiles;
  }

  function notices(): HTMLElement[] {
    const notice = (kind: string, name: string, text: string): HTMLElement =>
      make('p', { class: `notice ${kind}` }, make('strong', { text: name }), ' ', text);
    const { unlisted, screenshotsLeftOut } = data;
    const missing = (['pages', 'failed', 'skipped'] as const)
      .filter((name) => unlisted[name] > 0)
      .map((name) => `${count(unlisted[name])} more ${name === 'pages' ? name : `${name} URLs`}`);
    return [
      ...(job.error === undefined ? [] : [notice('failed', 'Error', job.error)]),
      ...(job.warning === undefined ? [] : [notice('warned', 'Warning', job.warning)]),
      ...(missing.length === 0
        ? []
        : [notice('', 'Not listed', `${missing.join(', ')} are counted and have no row here.`)]),
      ...(screenshotsLeftOut === 0
        ? []
        : [
            notice(
              '',
              'Not shown',
              `${count(screenshotsLeftOut)} screenshots are too large or too many.`,
            ),
          ]),
    ];
  }

  function addPace(): void {
    const fetched = all.filter((row) => rows.number('at', row) >= 0);
    if (fetched.length < 2) return;
    const times = fetched.map((row) => rows.number('at', row));
    const first = times.reduce((one, other) => Math.min(one, other));
    const last = times.reduce((one, other) => Math.max(one, other));
    if (first === last) return;
    const length = 60;
    const width = (last - first) / length;
    const made = Array.from({ length }, () => [0, 0, 0]);
    for (const [index, row] of fetched.entries()) {
      const slot = Math.min(length - 1, Math.floor(((times[index] ?? first) - first) / width));
      const bin = made[slot];
      const state = rows.number('state', row);
      if (bin !== undefined) bin[state] = (bin[state] ?? 0) + 1;
    }
    const columnsOfTime: ChartColumn[] = made.map((bin, index) => ({
      label: `${time(index * width)} to ${time((index + 1) * width)}`,
      parts: ['page', 'failed', 'skipped'].map((kind, at) => ({ kind, value: bin[at] ?? 0 })),
    }));
    const label = `URLs fetched over ${time(last - first)}, ${count(fetched.length)} in all`;
    const ticks = ['0', time((last - first) / 2), time(last - first)];
    card('Fetched over time', columns(label, columnsOfTime, ticks), legend());
  }

  function legend(): HTMLElement {
    const names = { page: 'pages', failed: 'failed', skipped: 'skipped when they were read' };
    const marks = Object.entries(names).map(([kind, text]) =>
      make('span', { class: `dot filled ${kind}`, text }),
    );
    return make('p', { class: 'hint legend' }, ...marks);
  }

  function addDurations(): void {
    const durations = known('durationMs');
    if (durations.length === 0) return;
    const limits = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, Infinity];
    const columnsOfTime = limits.map((limit, index) => {
      const from = limits[index - 1] ?? 0;
      const value = durations.filter((one) => one >= from && one < limit).length;
      const label = limit === Infinity ? `over ${time(from)}` : `${time(from)} to ${time(limit)}`;
      return { label, parts: [{ kind: 'page', value }] };
    });
    const [median, late] = [shareOf(durations, 0.5), shareOf(durations, 0.95)];
    const facts = `Half took less than ${time(median)}, one in twenty more than ${time(late)}.`;
    const short = (value: number): string => time(value).replace(' ', '\u2009');
    const ticks = limits.map((limit, index) => {
      if (limit === Infinity) return `>${short(limits[index - 1] ?? 0)}`;
      return index % 2 === 0 ? `<${short(limit)}` : '';
    });
    card(
      'Time of a fetch',
      columns(`Times of ${count(durations.length)} fetches. ${facts}`, columnsOfTime, ticks),
      make('p', { class: 'hint', text: facts }),
    );
  }

  function addReasons(): void {
    const skipped: ListedBar[] = Object.entries(data.skippedByReason).map(([label, value]) => ({
      label,
      value,
      text: count(value),
      kind: 'skipped',
      onClick: () => act.onFilter({ state: 'skipped', code: label }),
    }));
    if (skipped.length > 0) card('Skipped, by reason', bars(skipped));
    const kindOf = (row: number): string => {
      if (rows.state(row) !== 'failed') return '';
      const status = rows.number('statusCode', row);
      return `${rows.text('code', row)}${status < 0 ? '' : ` ${status}`}`;
    };
    const failed: ListedBar[] = rows.tally(kindOf).map(([label, value]) => {
      const [code = '', status = ''] = label.split(' ');
      const onClick = (): void => act.onFilter({ state: 'failed', code, status });
      return { label, value, text: count(value), kind: 'failed', onClick };
    });
    if (failed.length > 0) card('Failed, by code', bars(failed));
  }

  function addExtremes(): void {
    const add = (
      name: 'durationMs' | 'bytes',
      title: string,
      write: (value: number) => string,
    ): void => {
      const known = all.filter((row) => rows.state(row) === 'page' && rows.number(name, row) > 0);
      known.sort((one, other) => rows.number(name, other) - rows.number(name, one));
      const most = known.slice(0, 8).map((row) => ({
        label: rows.shortUrl(row),
        value: rows.number(name, row),
        text: write(rows.number(name, row)),
        kind: rows.state(row),
        onClick: () => act.onOpen(row),
      }));
      if (most.length > 1) card(title, bars(most));
    };
    add('durationMs', 'Slowest', time);
    add('bytes', 'Largest', bytes);
  }

  function addOptions(): void {
    const list = make('dl', { class: 'options' });
    const verbs = { crawl: 'crawl()', batchScrape: 'batchScrape()', extract: 'extract()', job: '' };
    const add = (name: string, value: string): void => {
      if (value === '') return;
      list.append(make('dt', { text: name }), make('dd', {}, make('bdi', { text: value })));
    };
    add('Call', verbs[job.verb]);
    add('Start URL', job.url ?? '');
    for (const [name, value] of Object.entries(job.options)) {
      add(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    add('Began', date(job.createdAt));
    if (job.completedAt !== undefined) add('Ended', date(job.completedAt));
    add('Job', job.id);
    card('Job', list);
  }

  function known(name: 'durationMs' | 'bytes'): number[] {
    const values = all.map((row) => rows.number(name, row)).filter((value) => value >= 0);
    return values.sort((one, other) => one - other);
  }

  function shareOf(values: readonly number[], share: number): number {
    return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
  }
}
