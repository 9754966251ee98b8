/** The plain text of a passage of markdown, and the part of it to show. */
import { readMarkdownBlocks } from '../../content/text/markdown-blocks.ts';
import { markdownWords } from '../../content/text/markdown-inline.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { sentencesOf } from '../../content/text/sentences.ts';
import { wordsOf } from '../../content/text/words.ts';

/** The text without marks of markdown, a line for each block. */
export function plainPassage(markdown: string): string {
  const blocks = readMarkdownBlocks(markdown);
  const lines = blocks.map(({ kind, textStart }, index) => {
    const block = markdown.slice(textStart, blocks[index + 1]?.start);
    if (kind === 'code') return oneLine(block.replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ''));
    if (kind === 'heading') return markdownWords(block.replace(/^#{1,6}\s|\n[=-]+\s*$/g, ''));
    if (kind === 'table') {
      return markdownWords(block.replace(/^[\s|:-]+$/gm, '').replaceAll('|', ' '));
    }
    return markdownWords(block);
  });
  return lines.filter((line) => line !== '').join('\n');
}

const snippetLength = 300; // characters of a snippet, about

/** The sentences with most of the words, on one line. */
export function snippetOf(text: string, words: ReadonlySet<string>): string {
  const sentences = text.split('\n').flatMap(sentencesOf);
  const found = sentences.map(
    (sentence) => new Set(wordsOf(sentence).filter((word) => words.has(word))),
  );
  const best = Math.max(...found.map(({ size }) => size));
  const first = found.findIndex(({ size }) => size === best);
  let snippet = '';
  for (const sentence of sentences.slice(Math.max(0, first))) {
    if (snippet !== '' && snippet.length + sentence.length > snippetLength) break;
    snippet += `${snippet === '' ? '' : ' '}${sentence.trim()}`;
  }
  const line = oneLine(snippet);
  if (line.length <= snippetLength * 2) return line;
  return `${line.slice(0, snippetLength * 2 - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
