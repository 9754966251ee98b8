/** What a page says, block by block, before it becomes HTML. */

/** Text of one look. */
export interface Inline {
  readonly text: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMono: boolean;
  readonly raised?: 'sup' | 'sub' | undefined;
  readonly href?: string | undefined;
}

/** A cell of a table. */
export interface Cell {
  readonly content: readonly Inline[];
  readonly isHeader: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** Where a column of a table stands on its page, in points. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

/** An entry of a list. */
export interface ListItem {
  readonly blocks: readonly Block[];
}

/** A block of content. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'list';
      /** The first number; undefined for bullets. */
      readonly start: number | undefined;
      readonly items: readonly ListItem[];
    }
  | {
      readonly kind: 'table';
      readonly rows: readonly (readonly Cell[])[];
      /** Where its columns stand, of tables that are known by their looks. */
      readonly columns?: readonly Column[] | undefined;
    }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'figure'; readonly alt: string }
  | { readonly kind: 'note'; readonly label: string; readonly content: readonly Inline[] }
  | { readonly kind: 'page'; readonly number: number };

/** The words of a block's own text. */
export function textOf(content: readonly Inline[]): string {
  return content.map(({ text }) => text).join('');
}
