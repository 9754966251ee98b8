/** Geometry of a page: positions in points (1/72 inch) from its upper left corner, down and to the right. */

/** A piece of text in one font. */
export interface TextRun {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The y of the baseline. */
  readonly baseline: number;
  /** Font size. */
  readonly size: number;
  readonly font: FontStyle;
  /** Its position in the file, whose text is mostly in reading order. */
  readonly order: number;
  /** True when the file has a space before it, at any distance. */
  readonly afterSpace: boolean;
  /** The id of its marked content, which the structure tree refers to. */
  readonly content?: string | undefined;
  /** True when the file marks it as decoration: running headers, page numbers. */
  readonly isArtifact: boolean;
  /** The target of a link on it. */
  readonly href?: string | undefined;
  /** Set for small text above or below the line. */
  readonly verticalAlign?: 'sup' | 'sub' | undefined;
  /** One for each word of the text; undefined if the positions are unknown. */
  readonly words?: readonly WordExtent[] | undefined;
}

/** The position of a word within its run. */
export interface WordExtent {
  readonly left: number;
  readonly right: number;
  /** True when the gap before it is wider than a space. */
  readonly isApart: boolean;
}

/** The style of a font, by its name. */
export interface FontStyle {
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMono: boolean;
  /** Unicode characters of its glyphs, for a symbol font. */
  readonly glyphs?: ReadonlyMap<string, string> | undefined;
}

/** A segment: a part of a line without wide gaps. */
export interface Segment extends Box {
  readonly runs: readonly TextRun[];
  readonly baseline: number;
  readonly size: number;
  /** The shape drawn before it. */
  readonly bullet?: Box | undefined;
  /** The title of the file's outline that it is (a part of). */
  readonly title?: OutlineTitle | undefined;
}

/** A rectangle. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A drawn area no larger than a letter: possibly a bullet. */
export interface Shape extends Box {
  /** True for a glyph of a font whose name is unknown. */
  readonly isGlyph?: boolean;
}

/** A drawn straight line: from `start` to `end` at `at`. */
export interface Ruling {
  /** The y of a horizontal line, the x of a vertical one. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** The lines of a page. */
export interface Rulings {
  readonly horizontal: readonly Ruling[];
  readonly vertical: readonly Ruling[];
}

/** The area of a link. */
export interface LinkArea extends Box {
  readonly href: string;
}

/** The raw content of a page. */
export interface PageContent {
  /** From 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly runs: readonly TextRun[];
  readonly rulings: Rulings;
  readonly shapes: readonly Shape[];
  /** The structure tree of the page, if the file has one. */
  readonly tree: StructureNode | undefined;
  /** The titles of the file's outline that begin on the page. */
  readonly titles?: readonly OutlineTitle[] | undefined;
}

/** An entry of the outline (bookmarks), with its depth from 1. */
export interface OutlineTitle {
  readonly title: string;
  readonly depth: number;
}

/** A node of the structure tree (ISO 32000-1, 14.7.2). */
export interface StructureNode {
  /** The standard structure type, such as `H1`. */
  readonly role: string;
  readonly alt: string | undefined;
  readonly children: readonly (StructureNode | { readonly content: string })[];
}

/** The median; 0 without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Rows from the top; `beginsRow` tells by the distance from the first baseline of the row above. */
export function rowsByBaseline<Item extends { readonly baseline: number }>(
  items: readonly Item[],
  beginsRow: (distance: number, item: Item) => boolean,
): Item[][] {
  const rows: Item[][] = [];
  let baseline = -Infinity;
  for (const item of [...items].sort((a, b) => a.baseline - b.baseline)) {
    if (beginsRow(item.baseline - baseline, item)) {
      rows.push([]);
      ({ baseline } = item);
    }
    rows.at(-1)?.push(item);
  }
  return rows;
}

/** The distances between the baselines of consecutive lines. */
export function gapsOf(lines: readonly { readonly baseline: number }[]): number[] {
  return lines.slice(1).map((line, at) => line.baseline - (lines[at]?.baseline ?? 0));
}

/** The rectangle around all boxes. */
export function boxAround(boxes: Iterable<Box>): Box {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box.left);
    right = Math.max(right, box.right);
    top = Math.min(top, box.top);
    bottom = Math.max(bottom, box.bottom);
  }
  return { left, right, top, bottom };
}
