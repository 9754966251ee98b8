/** Runs in the page of a report: the table of URLs, of which only the rows in view are in the document. */
import type { Elements } from './elements.ts';
import type { NumberColumn, Rows, TextColumn } from './report-rows.ts';

/** The table. */
export interface UrlTable {
  readonly element: HTMLElement;
  /** Shows these rows, in the order of the column that is sorted by. */
  show(rows: readonly number[]): void;
  /** Shows all rows up to a limit, for paper; false: the rows in view again. */
  print(isPrinting: boolean): void;
}

/** A column. */
interface TableColumn {
  readonly name: TextColumn | NumberColumn;
  readonly label: string;
  readonly class: string;
  cell(row: number): Node | string;
}

/** `badge` gives the state of a row; `onOpen` is called for a row that is chosen. */
export function makeUrlTable(
  { make, bytes, time, count }: Elements,
  rows: Rows,
  badge: (row: number) => HTMLElement,
  onOpen: (row: number) => void,
): UrlTable {
  const rowHeight = 46;
  const mostPrinted = 1000;
  const known = (name: NumberColumn, write: (value: number) => string) => (row: number) => {
    const value = rows.number(name, row);
    return value < 0 ? '' : write(value);
  };
  const columns: readonly TableColumn[] = [
    { name: 'state', label: 'Status', class: 'status', cell: badge },
    { name: 'url', label: 'Page', class: 'page', cell: pageCell },
    { name: 'engine', label: 'Engine', class: 'minor', cell: (row) => rows.text('engine', row) },
    { name: 'depth', label: 'Depth', class: 'number minor', cell: known('depth', count) },
    { name: 'bytes', label: 'Size', class: 'number', cell: known('bytes', bytes) },
    { name: 'durationMs', label: 'Time', class: 'number', cell: known('durationMs', time) },
    { name: 'credits', label: 'Credits', class: 'number minor', cell: known('credits', count) },
    { name: 'cache', label: 'Cache', class: 'minor', cell: (row) => rows.text('cache', row) },
    { name: 'parent', label: 'Found on', class: 'parent minor', cell: parentCell },
  ];
  let all: readonly number[] = [];
  let sorted: number[] = [];
  let column: TableColumn['name'] | undefined;
  let isDescending = false;
  let isPrinting = false;

  const heads = columns.map(({ name, label, class: kind }) => {
    const onClick = (): void => sortBy(name);
    const button = make('button', { text: label, attributes: { type: 'button' }, onClick });
    return make('th', { class: kind, attributes: { scope: 'col' } }, button);
  });
  const [above, below] = [make('tr'), make('tr')];
  for (const spacer of [above, below]) spacer.setAttribute('aria-hidden', 'true');
  const body = make('tbody');
  const table = make(
    'table',
    { attributes: { 'aria-label': 'URLs of the job' } },
    make('thead', {}, make('tr', {}, ...heads)),
    body,
  );
  const empty = make('p', { class: 'empty', text: 'No URL fits these filters.' });
  const box = make('div', { class: 'table-box', attributes: { tabindex: -1 } }, table, empty);
  // As tall as all rows, where that is less than the style allows.
  box.style.maxHeight = `${(rows.count + 1) * rowHeight + 2}px`;
  box.addEventListener('scroll', () => render(), { passive: true });
  new ResizeObserver(() => render()).observe(box);
  body.addEventListener('keydown', moveByKey);

  return {
    element: box,
    show(wanted) {
      all = wanted;
      arrange();
      box.scrollTop = 0;
      render();
    },
    print(now) {
      isPrinting = now;
      render();
    },
  };

  function sortBy(name: TableColumn['name']): void {
    const isNumber = ['bytes', 'durationMs', 'credits', 'depth'].includes(name);
    if (column !== name) [column, isDescending] = [name, isNumber];
    else if (isDescending === isNumber) isDescending = !isNumber;
    else [column, isDescending] = [undefined, false];
    arrange();
    render();
  }

  function arrange(): void {
    sorted = [...all];
    if (column !== undefined) rows.sort(sorted, column, isDescending);
    for (const [index, head] of heads.entries()) {
      const direction = isDescending ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', columns[index]?.name === column ? direction : 'none');
    }
    table.setAttribute('aria-rowcount', String(sorted.length + 1));
    empty.hidden = sorted.length > 0;
  }

  function render(): void {
    const room = Math.ceil(box.clientHeight / rowHeight);
    const first = isPrinting ? 0 : Math.max(0, Math.floor(box.scrollTop / rowHeight) - 8);
    const end = Math.min(sorted.length, isPrinting ? mostPrinted : first + room + 16);
    above.style.height = `${first * rowHeight}px`;
    below.style.height = `${(isPrinting ? 0 : sorted.length - end) * rowHeight}px`;
    const focused = document.activeElement?.closest('tr')?.getAttribute('aria-rowindex');
    const visible = sorted.slice(first, end).map((row, index) => rowOf(row, first + index + 2));
    body.replaceChildren(above, ...visible, below);
    if (typeof focused === 'string') focusRow(Number(focused));
  }

  function rowOf(row: number, index: number): HTMLElement {
    const cells = columns.map(({ class: kind, cell }) => {
      const content = cell(row);
      return make('td', { class: kind }, content);
    });
    const attributes = { 'aria-rowindex': index };
    return make('tr', { attributes, onClick: () => onOpen(row) }, ...cells);
  }

  function pageCell(row: number): Node {
    const title = rows.text('title', row);
    const note = rows.text('note', row);
    const main = title || (rows.state(row) === 'page' ? '' : note);
    const url = rows.shortUrl(row);
    const lines = [
      make('bdi', { class: main === '' ? 'only' : 'name', text: main || url }),
      ...(main === '' ? [] : [make('bdi', { class: 'url', text: url })]),
    ];
    return make('button', { class: 'open', title: url, attributes: { type: 'button' } }, ...lines);
  }

  function parentCell(row: number): Node | string {
    const parent = rows.text('parent', row);
    return parent === ''
      ? ''
      : make('bdi', { text: parent.replace(/^https?:\/\//, ''), title: parent });
  }

  function moveByKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const row = (event.target as Element).closest('tr')?.getAttribute('aria-rowindex');
    if (step === undefined || typeof row !== 'string') return;
    event.preventDefault();
    const next = Math.min(sorted.length + 1, Math.max(2, Number(row) + step));
    const top = (next - 2) * rowHeight;
    const head = table.tHead?.offsetHeight ?? 0;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight + head > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + rowHeight + head - box.clientHeight;
    }
    render();
    focusRow(next);
  }

  function focusRow(index: number): void {
    const row = body.querySelector(`tr[aria-rowindex="${index}"]`);
    row?.querySelector('button')?.focus({ preventScroll: true });
  }
}
