/** Runs in the page: puts rows that went away while a list was scrolled back into it. */
import type { ListState } from './list-state.ts';

/**
 * Does nothing and gives 0 when all rows are still there. Otherwise the list is replaced by a copy
 * that has all rows in this order: the page's scripts keep the one they know, and change this one no
 * more. Gives the number of rows that were put back.
 */
export function putRows(state: ListState, order: readonly number[]): number {
  const { container, scroller, rows, inert } = state;
  const parent = container?.parentNode ?? null;
  if (container === null || parent === null) return 0;

  const box = scroller.getBoundingClientRect();
  const y = state.isWindow ? 0 : box.top + scroller.clientTop;
  const x = state.isWindow ? 0 : box.left + scroller.clientLeft;
  const place = (top: number, left: number): string => `${Math.round(top)} ${Math.round(left)}`;
  const places = new Set<string>();
  for (const child of container.children) {
    const at = child.getBoundingClientRect();
    if (at.height < 1) continue;
    const [top, left] = [at.top - y + scroller.scrollTop, at.left - x + scroller.scrollLeft];
    // A place that is a fraction of a pixel may be rounded to either side.
    for (const nudge of [-1, 0, 1]) places.add(place(top + nudge, left));
  }
  const gone = order.filter((id) => {
    const row = rows[id];
    if (row === undefined) return false;
    const isSame = row.live.isConnected && state.latest.get(row.live) === id;
    return !isSame && !places.has(place(row.top, row.left));
  });
  if (gone.length === 0) return 0;

  const whole = inert.importNode(container, false);
  const used = new Set<number>();
  for (const id of order) {
    const copy = rows[id]?.copy;
    if (copy !== undefined) whole.append(used.has(id) ? copy.cloneNode(true) : copy);
    used.add(id);
  }
  if (whole instanceof HTMLElement) {
    // Room that was kept for rows that were not there.
    for (const name of ['transform', 'padding-top', 'padding-bottom']) {
      whole.style.removeProperty(name);
    }
  }
  parent.replaceChild(whole, container);
  return gone.length;
}
