/** Runs in the page of a report: everything about one URL, in a dialog. */
import type { Elements } from './elements.ts';
import type { Rows, TextColumn } from './report-rows.ts';

/** `onFind` shows the URLs with a text in the table. */
export function makePageDetails(
  { make, link, bytes, time, date, count }: Elements,
  rows: Rows,
  parts: {
    readonly badge: (row: number) => HTMLElement;
    readonly images: ReadonlyMap<number, string>;
    readonly onFind: (text: string) => void;
  },
): (row: number) => void {
  const dialog = make('dialog', { attributes: { 'aria-labelledby': 'details-title' } });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);

  return (row) => {
    const heading = rows.text('title', row) || rows.shortUrl(row);
    const close = make('button', {
      class: 'close',
      text: 'Close',
      attributes: { type: 'button' },
      onClick: () => dialog.close(),
    });
    const title = make(
      'h2',
      { attributes: { id: 'details-title' } },
      make('bdi', { text: heading }),
    );
    const facts = make('dl');
    const add = (name: string, value: Node | string): void => {
      if (value !== '') facts.append(make('dt', { text: name }), make('dd', {}, value));
    };
    const addUrl = (name: string, column: TextColumn): void => {
      const url = rows.text(column, row);
      if (url !== '') add(name, make('bdi', {}, link(url, url)));
    };
    const code = rows.text('code', row);
    const note = rows.text('note', row);
    addUrl('URL', 'url');
    addUrl('Answered as', 'finalUrl');
    const isDuplicate = /^DUPLICATE/.test(code);
    if (isDuplicate) add('Duplicate of', make('bdi', {}, link(note, note)));
    else if (note !== '') {
      const names: Readonly<Record<string, string>> = { skipped: 'Rule', failed: 'Error' };
      add(names[rows.state(row)] ?? 'Note', make('bdi', { text: note }));
    }
    addUrl('Kept HTML', 'keptHtml');
    addUrl('Kept picture', 'keptScreenshot');
    addUrl('Found on', 'parent');
    add('Found by', rows.text('foundBy', row));
    add('Engine', rows.text('engine', row));
    const number = (
      name: string,
      column: 'depth' | 'credits',
      write: (value: number) => string,
    ): void => {
      const value = rows.number(column, row);
      if (value >= 0) add(name, write(value));
    };
    number('Depth', 'depth', count);
    const [size, duration, at] = [
      rows.number('bytes', row),
      rows.number('durationMs', row),
      rows.number('at', row),
    ];
    if (size >= 0) add('Size', `${bytes(size)} received`);
    if (duration >= 0) add('Time', time(duration));
    if (at >= 0) add('Fetched', date(at));
    number('Credits', 'credits', count);
    add('Cache', rows.text('cache', row));
    addDuplicates(row, add);
    const find = make('button', {
      text: 'Show the URLs found on this page',
      attributes: { type: 'button' },
      onClick: () => {
        dialog.close();
        parts.onFind(rows.text('url', row));
      },
    });
    const children = countChildren(row);
    const image = parts.images.get(row);
    const content = [
      make('header', {}, parts.badge(row), close),
      title,
      ...(image === undefined
        ? []
        : [make('img', { attributes: { src: image, alt: 'Screenshot' } })]),
      facts,
      ...(children === 0 ? [] : [find]),
    ];
    dialog.replaceChildren(make('div', { class: 'details' }, ...content));
    dialog.showModal();
  };

  function countChildren(row: number): number {
    const url = rows.text('url', row);
    for (let other = 0; other < rows.count; other += 1) {
      if (rows.text('parent', other) === url) return 1;
    }
    return 0;
  }

  function addDuplicates(row: number, add: (name: string, value: Node) => void): void {
    const url = rows.text('url', row);
    const list = make('ul');
    let found = 0;
    for (let other = 0; other < rows.count; other += 1) {
      if (rows.text('note', other) !== url || !/^DUPLICATE/.test(rows.text('code', other)))
        continue;
      found += 1;
      if (found > 50) continue;
      const duplicate = rows.text('url', other);
      list.append(make('li', {}, make('bdi', {}, link(duplicate, duplicate))));
    }
    if (found > 0) add(`${count(found)} ${found === 1 ? 'duplicate' : 'duplicates'}`, list);
  }
}
