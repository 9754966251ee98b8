/** Runs in the page of a report: the tree of the site, whose folders are made when they are opened. */
import type { Elements } from './elements.ts';
import type { Rows } from './report-rows.ts';

/** A host, a folder or a page. */
interface TreeNode {
  readonly name: string;
  /** The start of the URLs below it. */
  readonly prefix: string;
  readonly rows: number[];
  /** Pages, failed and skipped URLs, by the index of their state. */
  readonly counts: [number, number, number];
  /** True when a URL continues below this node. */
  isFolder: boolean;
}

/** Calls `onFolder` with the start of URLs that is chosen, and `onOpen` with the row of a page. */
export function makeSiteTree(
  { make, count }: Elements,
  rows: Rows,
  onFolder: (prefix: string) => void,
  onOpen: (row: number) => void,
): HTMLElement {
  const atOnce = 200;
  const { compare } = new Intl.Collator('en', { numeric: true });
  const list = make('ul', { class: 'tree' });
  const all = Array.from({ length: rows.count }, (_, row) => row);
  fill(list, group(all, hostOf).sort(byPages));
  // The folders of the site that has the most pages.
  list.querySelector('button')?.click();
  return list;

  /** The name and the start of the URL of a host. */
  function hostOf(url: string): [name: string, prefix: string] {
    const [prefix = '', name = 'other'] = /^[a-z][\w+.-]*:\/\/([^/?#]+)/i.exec(url) ?? [];
    return [name, prefix];
  }

  /** The same for the next part of a path, or for the rest of a URL that has none. */
  function partBelow({ prefix }: TreeNode): (url: string) => [name: string, prefix: string] {
    return (url) => {
      const part = prefix === '' ? url : /^\/[^/?#]*|.*/s.exec(url.slice(prefix.length))?.[0];
      const name = part === undefined || part === '' ? '/' : part;
      return [name.length > 1 ? name.replace(/^\//, '') : name, prefix + (part ?? '')];
    };
  }

  function group(
    members: readonly number[],
    partOf: (url: string) => [name: string, prefix: string],
  ): TreeNode[] {
    const nodes = new Map<string, TreeNode>();
    for (const row of members) {
      const url = rows.text('url', row);
      const [name, prefix] = partOf(url);
      let node = nodes.get(prefix);
      if (node === undefined) {
        node = { name, prefix, rows: [], counts: [0, 0, 0], isFolder: prefix === '' };
        nodes.set(prefix, node);
      }
      node.rows.push(row);
      node.counts[rows.number('state', row) as 0 | 1 | 2] += 1;
      node.isFolder ||= url.length > prefix.length;
    }
    return [...nodes.values()];
  }

  function byPages({ counts: one }: TreeNode, { counts: other }: TreeNode): number {
    return other[0] - one[0] || other[1] + other[2] - one[1] - one[2];
  }

  function byFolder(one: TreeNode, other: TreeNode): number {
    return Number(other.isFolder) - Number(one.isFolder) || compare(one.name, other.name);
  }

  function fill(into: HTMLElement, nodes: readonly TreeNode[]): void {
    into.append(...nodes.slice(0, atOnce).map(itemOf));
    const left = nodes.length - atOnce;
    if (left <= 0) return;
    const text = `${count(Math.min(left, atOnce))} more of ${count(left)}`;
    const onClick = (): void => {
      item.remove();
      fill(into, nodes.slice(atOnce));
    };
    const more = make('button', { class: 'more', text, attributes: { type: 'button' }, onClick });
    const item = make('li', {}, more);
    into.append(item);
  }

  function itemOf(node: TreeNode): HTMLElement {
    const name = make('bdi', { class: 'label', text: node.name, title: node.name });
    const attributes = { type: 'button' };
    if (!node.isFolder) {
      const onClick = (): void => {
        if (node.rows[0] !== undefined) onOpen(node.rows[0]);
      };
      const leaf = make('button', { class: 'leaf', attributes, onClick }, name, tallyOf(node));
      return make('li', {}, leaf);
    }
    const toggle = make('button', { class: 'folder', attributes }, name, tallyOf(node));
    toggle.setAttribute('aria-expanded', 'false');
    const item = make('li', {}, make('div', { class: 'branch' }, toggle, ...showButton(node)));
    let below: HTMLElement | undefined;
    toggle.addEventListener('click', () => {
      const opens = toggle.getAttribute('aria-expanded') === 'false';
      toggle.setAttribute('aria-expanded', String(opens));
      if (below === undefined) {
        below = make('ul');
        fill(below, group(node.rows, partBelow(node)).sort(byFolder));
        item.append(below);
      }
      below.hidden = !opens;
    });
    return item;
  }

  function tallyOf({ counts, isFolder }: TreeNode): HTMLElement {
    const tally = make('span', { class: 'tally' });
    for (const [index, state] of ['page', 'failed', 'skipped'].entries()) {
      const number = counts[index] ?? 0;
      if (number === 0) continue;
      const pages = number === 1 ? 'page' : 'pages';
      const title = `${count(number)} ${state === 'page' ? pages : state}`;
      const visible = make('span', { text: isFolder ? count(number) : '' });
      visible.setAttribute('aria-hidden', 'true');
      const spoken = make('span', { class: 'unseen', text: title });
      tally.append(make('span', { class: `dot ${state}`, title }, visible, spoken));
    }
    return tally;
  }

  function showButton({ name, prefix }: TreeNode): HTMLElement[] {
    if (prefix === '') return [];
    const label = `Show the URLs below ${name} in the table`;
    const attributes = { type: 'button', 'aria-label': label };
    const onClick = (): void => onFolder(prefix);
    return [make('button', { class: 'show', text: 'Show', title: label, attributes, onClick })];
  }
}
