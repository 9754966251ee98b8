/** Runs in the page of a report: its drawings. */
import type { Elements } from './elements.ts';

/** A bar of a list. */
export interface ListedBar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  /** The state that sets its color. */
  readonly kind?: string;
  readonly onClick: () => void;
}

/** A column of a drawing: its parts from the bottom up, by the state that sets their color. */
export interface ChartColumn {
  readonly label: string;
  readonly parts: readonly { readonly kind: string; readonly value: number }[];
}

/** Makes drawings. */
export interface Charts {
  /** `label` is the text for screen readers; `ticks` are texts below it, from left to right. */
  columns(label: string, columns: readonly ChartColumn[], ticks: readonly string[]): HTMLElement;
  /** Bars one below the other; each is a button. */
  bars(bars: readonly ListedBar[]): HTMLElement;
}

export function makeCharts({ make, draw, count }: Elements): Charts {
  const [width, height] = [600, 120];
  return {
    columns(label, columns, ticks) {
      const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
      const most = Math.max(1, ...sums);
      const step = width / Math.max(1, columns.length);
      const drawing = draw('svg', {
        viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': label,
      });
      for (const [index, column] of columns.entries()) {
        let top = height;
        for (const { kind, value } of column.parts) {
          if (value === 0) continue;
          const tall = Math.max(1.5, (value / most) * (height - 4));
          top -= tall;
          const box = { x: index * step + step * 0.08, y: top, width: step * 0.84, height: tall };
          const title = `${column.label}: ${count(value)}`;
          drawing.append(draw('rect', { ...box, class: kind, rx: 1 }, title));
        }
      }
      const scale = make('div', {
        class: ticks.length === columns.length ? 'ticks each' : 'ticks',
      });
      scale.append(...ticks.map((tick) => make('span', { text: tick })));
      const top = make('span', { class: 'most', text: count(most) });
      return make('div', { class: 'chart' }, top, drawing, scale);
    },
    bars(bars) {
      const most = Math.max(1, ...bars.map(({ value }) => value));
      const list = make('ul', { class: 'bars' });
      for (const { label, value, text, kind = 'page', onClick } of bars) {
        const bar = make('span', { class: `bar ${kind}` });
        bar.style.width = `${Math.max(0.5, (value / most) * 100)}%`;
        const name = make('bdi', { class: 'label', text: label, title: label });
        const number = make('span', { class: 'value', text });
        const attributes = { type: 'button' };
        list.append(make('li', {}, make('button', { attributes, onClick }, bar, name, number)));
      }
      return list;
    },
  };
}
