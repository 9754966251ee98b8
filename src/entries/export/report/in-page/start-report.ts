/** Runs in the page of a report: unpacks the data, and shows the parts of the page. */
import type { makeCharts } from './charts.ts';
import type { makeElements } from './elements.ts';
import type { openReport } from './open-report.ts';
import type { makeOverview } from './overview.ts';
import type { makePageDetails } from './page-details.ts';
import type { indexRows, RowFilter } from './report-rows.ts';
import type { makeSiteTree } from './site-tree.ts';
import type { makeUrlTable } from './url-table.ts';

/** The functions of the page: each is embedded as its own source text. */
export interface ReportFunctions {
  readonly openReport: typeof openReport;
  readonly makeElements: typeof makeElements;
  readonly indexRows: typeof indexRows;
  readonly makeCharts: typeof makeCharts;
  readonly makeOverview: typeof makeOverview;
  readonly makeUrlTable: typeof makeUrlTable;
  readonly makeSiteTree: typeof makeSiteTree;
  readonly makePageDetails: typeof makePageDetails;
}

export async function startReport(functions: ReportFunctions): Promise<void> {
  const data = await functions.openReport(document.getElementById('data')?.textContent ?? '');
  const rows = functions.indexRows(data);
  const elements = functions.makeElements();
  const { make, count, date } = elements;
  const images = new Map(data.screenshots);
  const wanted: RowFilter = {
    search: '',
    state: '',
    code: '',
    status: '',
    engine: '',
    host: '',
    folder: '',
    parent: '',
  };
  const badge = (row: number): HTMLElement => {
    const state = rows.state(row);
    const status = rows.number('statusCode', row);
    const code = rows.text('code', row);
    const isStatus = status >= 0 && (state === 'page' || code === 'HTTP_STATUS');
    const text = isStatus ? String(status) : code || (state === 'page' ? 'OK' : state);
    const kind = state === 'page' && status >= 400 ? 'failed' : state;
    const word = state === 'page' ? 'page' : state;
    return make('span', { class: `badge ${kind}`, text, title: word });
  };

  const open = functions.makePageDetails(elements, rows, {
    badge,
    images,
    onFind: (parent) => filterBy({ parent }),
  });
  const table = functions.makeUrlTable(elements, rows, badge, open);
  const overview = functions.makeOverview(elements, functions.makeCharts(elements), data, rows, {
    onFilter: filterBy,
    onOpen: open,
  });

  const found = make('p', { class: 'found', attributes: { role: 'status' } });
  const pins = make('div', { class: 'pins' });
  const search = make('input', {
    attributes: {
      type: 'search',
      id: 'search',
      placeholder: 'Search URLs, titles, rules, errors',
      'aria-label': 'Search URLs, titles, rules and errors',
      'aria-keyshortcuts': '/',
    },
  });
  const states = make('div', {
    class: 'states',
    attributes: { role: 'group', 'aria-label': 'State' },
  });
  const selects = new Map<keyof RowFilter, HTMLSelectElement>();
  const tree = make('details', { class: 'tree-box' }, make('summary', { text: 'Site' }));
  const urls = make(
    'section',
    { class: 'urls', attributes: { id: 'urls', 'aria-label': 'URLs' } },
    make('h2', { text: 'URLs' }),
    makeFilters(),
    pins,
    make('div', { class: 'split' }, tree, table.element),
  );

  document.body.prepend(makeHead());
  const main = document.querySelector('main');
  main?.replaceChildren(overview, urls, ...gallery(), foot());
  update();
  listen();
  // After the first paint: it takes longest.
  setTimeout(() => {
    const onFolder = (folder: string): void => filterBy({ folder });
    tree.append(functions.makeSiteTree(elements, rows, onFolder, open));
    tree.open = matchMedia('(min-width: 60rem)').matches;
    document.documentElement.dataset['ready'] = 'yes';
  });

  function makeHead(): HTMLElement {
    const { job, title } = data;
    const theme = make('button', {
      text: 'Switch theme',
      attributes: { type: 'button', id: 'theme' },
    });
    theme.addEventListener('click', () => {
      const root = document.documentElement;
      const isDark =
        root.dataset['theme'] === 'dark' ||
        (root.dataset['theme'] === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
      root.dataset['theme'] = isDark ? 'light' : 'dark';
    });
    return make(
      'header',
      { class: 'head' },
      make('h1', {}, make('bdi', { text: title })),
      make('span', { class: `state ${job.status}`, text: job.status }),
      make('span', { class: 'when', text: date(job.createdAt) }),
      theme,
    );
  }

  function makeFilters(): HTMLElement {
    const counts = new Map(rows.tally(rows.state));
    const labels = { '': 'All', page: 'Pages', failed: 'Failed', skipped: 'Skipped' };
    for (const [state, label] of Object.entries(labels)) {
      const number = state === '' ? rows.count : (counts.get(state) ?? 0);
      if (number === 0 && state !== '') continue;
      const button = make('button', {
        attributes: { type: 'button', 'data-state': state },
        onClick: () => filterBy({ state, code: '', status: '' }),
      });
      button.append(label, ' ', make('span', { class: 'count', text: count(number) }));
      states.append(button);
    }
    const lists = [
      select(
        'code',
        'Reason or code',
        rows.tally((row) => rows.text('code', row)),
      ),
      select('status', 'HTTP status', rows.tally(statusOf)),
      select(
        'engine',
        'Engine',
        rows.tally((row) => rows.text('engine', row)),
      ),
      select('host', 'Host', rows.tally(rows.host)),
    ];
    const save = make('button', {
      text: 'Save as CSV',
      attributes: { type: 'button' },
      onClick: saveCsv,
    });
    return make('div', { class: 'filters' }, search, states, ...lists.flat(), save, found);
  }

  function statusOf(row: number): string {
    const status = rows.number('statusCode', row);
    return status < 0 ? '' : String(status);
  }

  /** A selection list of values; none where there is no choice. */
  function select(
    name: keyof RowFilter,
    label: string,
    values: readonly (readonly [string, number])[],
  ): HTMLElement[] {
    if (values.length < 2) return [];
    const list = make('select', { attributes: { 'aria-label': label, name } });
    list.append(make('option', { text: `${label}: all`, attributes: { value: '' } }));
    for (const [value, number] of values.slice(0, 500)) {
      const text = `${value} (${count(number)})`;
      list.append(make('option', { text, attributes: { value } }));
    }
    list.addEventListener('change', () => {
      wanted[name] = list.value;
      update();
    });
    selects.set(name, list);
    return [list];
  }

  /** Shows the rows that fit in the table, and the table. */
  function filterBy(change: Partial<RowFilter>): void {
    Object.assign(wanted, change);
    update();
    if (!('state' in change) || 'code' in change) urls.scrollIntoView({ block: 'nearest' });
  }

  function update(): void {
    wanted.search = search.value;
    const selected = rows.filter(wanted);
    table.show(selected);
    found.textContent = `${count(selected.length)} of ${count(rows.count)} URLs`;
    for (const button of states.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset['state'] === wanted.state));
    }
    for (const [name, list] of selects) list.value = wanted[name];
    const pin = (name: 'folder' | 'parent', label: string): HTMLElement[] => {
      if (wanted[name] === '') return [];
      const text = `${label} ${wanted[name]}`;
      const close = make('button', {
        text: 'Show all',
        attributes: { type: 'button' },
        onClick: () => filterBy({ [name]: '' }),
      });
      return [make('p', {}, make('bdi', { text }), close)];
    };
    pins.replaceChildren(...pin('folder', 'Below'), ...pin('parent', 'Found on'));
  }

  function listen(): void {
    let timer: number | undefined;
    search.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(update, 120) as unknown as number;
    });
    addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      search.focus();
    });
    addEventListener('beforeprint', () => table.print(true));
    addEventListener('afterprint', () => table.print(false));
  }

  function gallery(): HTMLElement[] {
    if (images.size === 0) return [];
    const list = make('ul', { class: 'gallery' });
    for (const [row, src] of images) {
      const image = make('img', { attributes: { src, alt: '', decoding: 'async' } });
      const name = rows.text('title', row) || rows.shortUrl(row);
      const label = make('bdi', { text: name });
      const attributes = { type: 'button' };
      const onClick = (): void => open(row);
      list.append(make('li', {}, make('button', { attributes, onClick }, image, label)));
    }
    return [make('section', {}, make('h2', { text: 'Screenshots' }), list)];
  }

  function foot(): HTMLElement {
    const text = `Written ${date(data.writtenAt)} by pagewright ${data.version}.`;
    return make('footer', { text });
  }

  function saveCsv(): void {
    const names = ['url', 'title', 'code', 'note', 'engine', 'parent'] as const;
    const numbers = ['statusCode', 'depth', 'bytes', 'durationMs', 'credits'] as const;
    // A spreadsheet takes a text that begins with one of these signs for a formula.
    const cell = (text: string): string =>
      `"${text.replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"`;
    const lines = rows.filter(wanted).map((row) => {
      const values = numbers.map((name) => rows.number(name, row));
      return [
        rows.state(row),
        ...names.map((name) => cell(rows.text(name, row))),
        ...values.map((value) => (value < 0 ? '' : String(value))),
      ].join(',');
    });
    const csv = [['state', ...names, ...numbers].join(','), ...lines].join('\r\n');
    const href = URL.createObjectURL(new Blob([`\ufeff${csv}\r\n`], { type: 'text/csv' }));
    const link = make('a', { attributes: { href, download: 'urls.csv' } });
    link.click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }
}
