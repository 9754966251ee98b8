/** Runs in the page: scrolls. */
import type { ListState } from './list-state.ts';

/** To a place in CSS pixels from the start, or by some screens from here; at once. */
export function scrollList(state: ListState, amount: number, unit: 'pixels' | 'screens'): void {
  const { scroller, isWindow } = state;
  const screen = isWindow ? innerHeight : scroller.clientHeight;
  const top = unit === 'pixels' ? amount : scroller.scrollTop + amount * screen;
  scroller.scrollTo({ top, behavior: 'instant' });
}
