/** The paragraphs of a markdown text. */
import { readMarkdownBlocks } from '../../text/markdown-blocks.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import { type Paragraph, readCharacters } from './paragraph.ts';

/** Paragraphs in their order; those in lists and quotes are beside the prose. */
export function markdownParagraphs(markdown: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  // Blocks of code and tables stand between: of them more may be passed over.
  const start = markdown.slice(0, readCharacters * 5);
  const blocks = readMarkdownBlocks(start);
  let characters = 0;
  for (const [index, { kind, textStart, quotes, start: lineStart }] of blocks.entries()) {
    if (kind !== 'text' || characters > readCharacters) continue;
    const text = markdownWords(start.slice(textStart, blocks[index + 1]?.start));
    if (!/\p{L}/u.test(text)) continue;
    paragraphs.push({ text, isProse: quotes === 0 && textStart === lineStart });
    characters += text.length;
  }
  return paragraphs;
}
