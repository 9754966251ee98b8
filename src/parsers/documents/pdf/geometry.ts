/** Geometry of a page: positions in points (1/72 inch) from its upper left corner, down and to the right. */

/** A piece of text in one font. */
export interface TextRun {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The line that letters stand on. */
  readonly baseline: number;
  /** Height of the font. */
  readonly size: number;
  readonly font: FontStyle;
  /** Its place in the file, where text mostly comes in reading order. */
  readonly order: number;
  /** True when the file has a space before it, whatever the distance. */
  readonly afterSpace: boolean;
  /** The marked content that it belongs to, which the structure tree names. */
  readonly content?: string | undefined;
  /** True for decoration by the file's own word: running headers, page numbers. */
  readonly isArtifact: boolean;
  /** Where a link on it leads to. */
  readonly href?: string | undefined;
  /** Set for small text above or below the line. */
  readonly verticalAlign?: 'sup' | 'sub' | undefined;
  /** One for each word of the text; undefined where the page does not tell. */
  readonly words?: readonly WordExtent[] | undefined;
}

/** The place of a word within its run. */
export interface WordExtent {
  readonly left: number;
  readonly right: number;
  /** The gap before it is wider than a space. */
  readonly isApart: boolean;
}

/** How a font looks, as its name says it. */
export interface FontStyle {
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMono: boolean;
  /** What its letters stand for, of a symbol font. */
  readonly glyphs?: ReadonlyMap<string, string> | undefined;
}

/** A part of a line with no wide gap in it. */
export interface Segment extends Box {
  readonly runs: readonly TextRun[];
  readonly baseline: number;
  readonly size: number;
  /** The shape that the page draws before it. */
  readonly bullet?: Box | undefined;
}

/** A rectangle. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** An area that is drawn, no larger than a letter: it may be a bullet. */
export interface Shape extends Box {
  /** A glyph of a font whose name is not known. */
  readonly isGlyph?: boolean;
}

/** A straight line that is drawn: from `start` to `end` at `at`. */
export interface Ruling {
  /** The y of a horizontal one, the x of a vertical one. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** The lines of a page. */
export interface Rulings {
  readonly horizontal: readonly Ruling[];
  readonly vertical: readonly Ruling[];
}

/** An area that leads somewhere. */
export interface LinkArea extends Box {
  readonly href: string;
}

/** What was read of a page, before anything is made of it. */
export interface PageContent {
  /** From 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly runs: readonly TextRun[];
  readonly rulings: Rulings;
  readonly shapes: readonly Shape[];
  /** The structure tree of the page, where the file has one. */
  readonly tree: StructureNode | undefined;
}

/** A node of the structure tree (ISO 32000-1, 14.7.2). */
export interface StructureNode {
  /** The standard structure type, such as `H1`. */
  readonly role: string;
  readonly alt: string | undefined;
  readonly children: readonly (StructureNode | { readonly content: string })[];
}

/** The middle of the values; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** The rectangle around all of them. */
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
