/** The blocks of a page (paragraphs, headings, lists, tables, code), and their HTML. */
import { escapeAttribute, escapeText } from '../../content/html/serialize.ts';

/** Text of one style. */
export interface Inline {
  readonly text: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMono: boolean;
  readonly verticalAlign?: 'sup' | 'sub' | undefined;
  readonly href?: string | undefined;
}

/** A cell of a table. */
export interface Cell {
  readonly content: readonly Inline[];
  readonly isHeader: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** The position of a table column on its page, in points. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

/** An item of a list. */
export interface ListItem {
  readonly blocks: readonly Block[];
}

/** A block of content. */
export type Block = BlockContent & {
  /** The page on which it begins, if it does not continue the previous page. */
  readonly page?: number | undefined;
};

type BlockContent =
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
      /** The positions of its columns, for tables found by their layout. */
      readonly columns?: readonly Column[] | undefined;
    }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'figure'; readonly alt: string }
  | { readonly kind: 'note'; readonly label: string; readonly content: readonly Inline[] }
  | { readonly kind: 'page'; readonly number: number };

/** The text of a block's own content. */
export function textOf(content: readonly Inline[]): string {
  return content.map(({ text }) => text).join('');
}

// Blocks as HTML. All text is escaped.

export function writeHtml(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      const html = writeBlock(block);
      const { page } = block;
      return page === undefined ? html : html.replace(/^<\w+/, `$& data-page="${page}"`);
    })
    .join('\n');
}

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'heading': {
      const plain = block.content.map((part) => ({ ...part, isBold: false }));
      return `<h${block.level}>${writeInline(plain)}</h${block.level}>`;
    }
    case 'paragraph':
      return `<p>${writeInline(block.content)}</p>`;
    case 'code':
      return `<pre><code>${escapeText(block.text)}\n</code></pre>`;
    case 'list': {
      const tag = block.start === undefined ? 'ul' : 'ol';
      const start = block.start === undefined || block.start === 1 ? '' : ` start="${block.start}"`;
      const items = block.items.map((item) => `<li>${writeItem(item.blocks)}</li>`);
      return `<${tag}${start}>${items.join('')}</${tag}>`;
    }
    case 'table':
      return `<table>${block.rows.map(writeRow).join('')}</table>`;
    case 'quote':
      return `<blockquote>${writeHtml(block.blocks)}</blockquote>`;
    case 'figure':
      return `<figure><img alt="${escapeAttribute(block.alt)}"></figure>`;
    case 'note':
      return `<p id="${escapeAttribute(block.label)}">${writeInline(block.content)}</p>`;
    case 'page':
      return `<hr data-page="${block.number}">`;
  }
}

/** An item with a single paragraph needs no paragraph element. */
function writeItem(blocks: readonly Block[]): string {
  const [first, ...rest] = blocks;
  if (first?.kind !== 'paragraph' || rest.some(({ kind }) => kind !== 'list')) {
    return writeHtml(blocks);
  }
  return writeInline(first.content) + writeHtml(rest);
}

function writeRow(row: readonly Cell[]): string {
  const cells = row.map(({ content, isHeader, columns, rows }) => {
    const tag = isHeader ? 'th' : 'td';
    const spans = `${columns > 1 ? ` colspan="${columns}"` : ''}${rows > 1 ? ` rowspan="${rows}"` : ''}`;
    return `<${tag}${spans}>${writeInline(content)}</${tag}>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

/** Joins adjacent parts of one link. */
function writeInline(content: readonly Inline[]): string {
  let html = '';
  for (let at = 0; at < content.length;) {
    const href = content[at]?.href;
    let end = at + 1;
    while (end < content.length && content[end]?.href === href) end += 1;
    const inner = content.slice(at, end);
    if (href === undefined) html += inner.map(writePart).join('');
    else {
      const text = inner.map(writeLinkedPart).join('').trim();
      const isLast = /\s$/.test(content[end - 1]?.text ?? '');
      const isSuperscript = inner.every(({ verticalAlign }) => verticalAlign === 'sup');
      const link = `<a href="${escapeAttribute(href)}">${text}</a>`;
      html += (isSuperscript ? `<sup>${link}</sup>` : link) + (isLast ? ' ' : '');
    }
    at = end;
  }
  return html;
}

function writeLinkedPart(part: Inline): string {
  return writePart(part.verticalAlign === 'sup' ? { ...part, verticalAlign: undefined } : part);
}

function writePart({ text, isBold, isItalic, isMono, verticalAlign }: Inline): string {
  if (text.trim() === '') return text;
  const inside = text.trim();
  const [before, after] = [/^\s*/.exec(text)?.[0] ?? '', /\s*$/.exec(text)?.[0] ?? ''];
  let html = escapeText(inside);
  const hasWords = /[\p{L}\p{N}]/u.test(inside);
  if (isMono && hasWords && verticalAlign === undefined) html = `<code>${html}</code>`;
  else if (hasWords) {
    if (isItalic) html = `<em>${html}</em>`;
    if (isBold) html = `<strong>${html}</strong>`;
  }
  if (verticalAlign !== undefined) html = `<${verticalAlign}>${html}</${verticalAlign}>`;
  return before + html + after;
}
