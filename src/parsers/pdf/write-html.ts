/** Blocks as HTML. All text is escaped. */
import { escapeAttribute, escapeText } from '../../html/escape.ts';
import type { Block, Cell, Inline } from './blocks.ts';

export function writeHtml(blocks: readonly Block[]): string {
  return blocks.map(writeBlock).join('\n');
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

/** An entry of one paragraph needs no paragraph. */
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

/** Parts of one link are one link. */
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
      const isRaised = inner.every(({ raised }) => raised === 'sup');
      const link = `<a href="${escapeAttribute(href)}">${text}</a>`;
      html += (isRaised ? `<sup>${link}</sup>` : link) + (isLast ? ' ' : '');
    }
    at = end;
  }
  return html;
}

function writeLinkedPart(part: Inline): string {
  return writePart(part.raised === 'sup' ? { ...part, raised: undefined } : part);
}

function writePart({ text, isBold, isItalic, isMono, raised }: Inline): string {
  if (text.trim() === '') return text;
  const inside = text.trim();
  const [before, after] = [/^\s*/.exec(text)?.[0] ?? '', /\s*$/.exec(text)?.[0] ?? ''];
  let html = escapeText(inside);
  const hasWords = /[\p{L}\p{N}]/u.test(inside);
  if (isMono && hasWords && raised === undefined) html = `<code>${html}</code>`;
  else if (hasWords) {
    if (isItalic) html = `<em>${html}</em>`;
    if (isBold) html = `<strong>${html}</strong>`;
  }
  if (raised !== undefined) html = `<${raised}>${html}</${raised}>`;
  return before + html + after;
}
