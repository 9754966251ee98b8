/**
 * Repaints the page on a coarse grid, box over box: the final colour of each cell, and the backdrop of each
 * box. Areas are visible areas, without overlaps.
 */
import { fromHex, over, type Rgba, toHex, white } from './color.ts';
import type { BoxRecord, StyleRecords } from './page-records.ts';

/** The painted page, with the `boxes` of the records. */
export interface Painting {
  readonly boxes: readonly PaintedBox[];
  /** The colour behind everything; undefined for a gradient or a picture. */
  readonly canvas: string | undefined;
  /** Shares of the page by colour, 0 to 1. */
  readonly areas: ReadonlyMap<string, number>;
  /** Shares of the page by gradient, 0 to 1. */
  readonly gradients: ReadonlyMap<string, number>;
}

/** A box and its visible colours; undefined for a gradient, a picture or nothing. */
export interface PaintedBox extends BoxRecord {
  readonly behind: string | undefined;
  /** The colour behind its text. */
  readonly backdrop: string | undefined;
  readonly text: string | undefined;
  readonly borderColor: string | undefined;
  /** True if an opaque box covers it. */
  readonly isCovered: boolean;
  /** True for the box whose background is the page's. */
  readonly isCanvas: boolean;
}

const cellSize = 8; // pixels of a cell's side: a button of 40 px still has five rows
const paintLimit = 10_000_000; // cells: thousands of boxes over each other take at most 100 ms

/** The default canvas of Chromium's dark scheme. */
const darkCanvas: Rgba = [18, 18, 18, 1];

/** Paints the records. `colors` are the parsed colours of the records. */
export function paint(records: StyleRecords, colors: readonly (Rgba | undefined)[]): Painting {
  const columns = Math.max(1, Math.ceil(records.width / cellSize));
  const rows = Math.max(1, Math.ceil(records.height / cellSize));
  const cells = new Uint16Array(columns * rows);
  const owners = new Int32Array(columns * rows).fill(-1);
  const grounds = backdropTable();

  const colorOf = (index: number, opacity: number): Rgba | undefined => {
    const color = colors[index];
    return color && [color[0], color[1], color[2], color[3] * opacity];
  };
  const cellAt = (x: number, y: number): number => {
    const column = Math.min(columns - 1, Math.max(0, Math.floor(x / cellSize)));
    return Math.min(rows - 1, Math.max(0, Math.floor(y / cellSize))) * columns + column;
  };
  const backdropWith = (box: BoxRecord, backdrop: number): number => {
    if (box.picture !== '') return grounds.ofPicture(box.picture);
    const color = colorOf(box.background, box.opacity);
    return color === undefined || color[3] === 0 ? backdrop : grounds.over(color, backdrop);
  };

  // The background of the root, or else of the body, covers the whole canvas (CSS 2.2, 14.2).
  const isSet = (box: BoxRecord): boolean => box.background >= 0 || box.picture !== '';
  const canvasBox = records.boxes.findIndex(
    (box) => (box.tag === 'html' || box.tag === 'body') && isSet(box),
  );
  const base = grounds.ofColor(toHex(isDarkByDefault(records) ? darkCanvas : white));
  const canvasRecord = records.boxes[canvasBox];
  const canvas = canvasRecord === undefined ? base : backdropWith(canvasRecord, base);
  cells.fill(canvas);

  const standing = records.boxes.map(() => ({ behind: canvas, backdrop: canvas }));
  const order = records.boxes
    .map((box, index) => ({ index, layer: box.layer }))
    .sort((one, other) => one.layer - other.layer || one.index - other.index);
  const turn = new Int32Array(records.boxes.length);
  let painted = 0;
  for (const [position, { index }] of order.entries()) {
    const box = records.boxes[index];
    if (box === undefined) continue;
    turn[index] = position;
    const behind = cells[cellAt(box.x + box.width / 2, box.y + box.height / 2)] ?? canvas;
    const backdrop = index === canvasBox ? behind : backdropWith(box, behind);
    standing[index] = { behind, backdrop };
    if (backdrop === behind && !isSet(box)) continue;
    if (index === canvasBox || painted > paintLimit) continue;
    const isOpaque = box.picture !== '' || (colorOf(box.background, box.opacity)?.[3] ?? 0) > 0.9;
    const known = new Map<number, number>();
    const [left, right] = span(box.x, box.width, columns);
    const [top, bottom] = span(box.y, box.height, rows);
    for (let row = top; row < bottom; row++) {
      painted += right - left;
      // Neighbouring cells mostly have the same backdrop.
      let before = -1;
      let after = -1;
      for (let cell = row * columns + left; cell < row * columns + right; cell++) {
        const now = cells[cell] ?? canvas;
        if (now !== before) {
          before = now;
          after = known.get(now) ?? backdropWith(box, now);
          known.set(now, after);
        }
        cells[cell] = after;
        if (isOpaque) owners[cell] = index;
      }
    }
  }

  const isCovered = (box: BoxRecord, index: number): boolean =>
    [0.25, 0.5, 0.75].every((part) => {
      const owner = owners[cellAt(box.x + box.width * part, box.y + box.height / 2)] ?? -1;
      if (owner < 0 || (turn[owner] ?? 0) <= (turn[index] ?? 0)) return false;
      for (let at = owner; at >= 0; at = records.boxes[at]?.parent ?? -1) {
        if (at === index) return false;
      }
      return true;
    });
  const boxes = records.boxes.map((box, index): PaintedBox => {
    const { behind = canvas, backdrop = canvas } = standing[index] ?? {};
    return {
      ...box,
      behind: grounds.color(behind),
      backdrop: grounds.color(backdrop),
      text: resolve(colorOf(box.color, box.opacity), grounds.color(backdrop)),
      borderColor: resolve(colorOf(box.border, box.opacity), grounds.color(backdrop)),
      isCovered: isCovered(box, index),
      isCanvas: index === canvasBox,
    };
  });
  return { boxes, canvas: grounds.color(canvas), ...grounds.shares(cells) };
}

/** The cells whose centre is inside, the end excluded. */
function span(start: number, length: number, count: number): [from: number, to: number] {
  const edge = (at: number): number => Math.min(count, Math.max(0, Math.ceil(at / cellSize - 0.5)));
  return [edge(start), edge(start + length)];
}

/** Blends a colour over a backdrop; undefined if a picture shows through. */
export function resolve(color: Rgba | undefined, backdrop: string | undefined): string | undefined {
  if (color === undefined || color[3] === 0) return undefined;
  if (backdrop !== undefined) return toHex(over(color, fromHex(backdrop)));
  return color[3] > 0.95 ? toHex(color) : undefined;
}

function isDarkByDefault({ declaredScheme, prefersDark }: StyleRecords): boolean {
  const schemes = declaredScheme.toLowerCase().split(/\s+/);
  return schemes.includes('dark') && (prefersDark || !schemes.includes('light'));
}

/** Numbers for the content of a cell: a colour (`#…`), a gradient's CSS, `image`. */
function backdropTable(): {
  ofColor(hex: string): number;
  ofPicture(css: string): number;
  over(color: Rgba, backdrop: number): number;
  color(backdrop: number): string | undefined;
  shares(cells: Uint16Array): Pick<Painting, 'areas' | 'gradients'>;
} {
  const names = ['image'];
  const numbers = new Map([['image', 0]]);
  const mixed = new Map<string, number>();
  const numberOf = (name: string): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    // More colours than this are deliberate, and no brand colours.
    if (names.length >= 60_000) return 0;
    numbers.set(name, names.length);
    return names.push(name) - 1;
  };
  const color = (backdrop: number): string | undefined => {
    const name = names[backdrop];
    return name?.startsWith('#') === true ? name : undefined;
  };
  return {
    ofColor: numberOf,
    ofPicture: numberOf,
    color,
    over(top, backdrop) {
      const key = `${backdrop} ${top.join()}`;
      const known = mixed.get(key);
      if (known !== undefined) return known;
      const hex = resolve(top, color(backdrop));
      const number = hex === undefined ? backdrop : numberOf(hex);
      mixed.set(key, number);
      return number;
    },
    shares(cells) {
      const counts = new Map<number, number>();
      for (const backdrop of cells) counts.set(backdrop, (counts.get(backdrop) ?? 0) + 1);
      const [areas, gradients] = [new Map<string, number>(), new Map<string, number>()];
      for (const [backdrop, count] of counts) {
        const name = names[backdrop] ?? 'image';
        if (name === 'image') continue;
        (name.startsWith('#') ? areas : gradients).set(name, count / cells.length);
      }
      return { areas, gradients };
    },
  };
}
