/** Parses JSON to a fenced block, indented where it is valid; a JSON Feed to a document. */
import { loadModule } from '../../core/runtime/load-module.ts';
import { fence, readSource, textPage } from './text-page.ts';
import { isJsonType } from './media-type.ts';
import type { Parser } from './parser.ts';
import { parseJson } from '../../core/runtime/json.ts';

/** Reads JSON; invalid JSON stays as received. */
export const jsonParser: Parser = {
  name: 'json',
  accepts: isJsonType,
  parse: async (snapshot, context) => {
    const text = await readSource(snapshot, context, 'json');
    if (/jsonfeed\.org\\?\/version/.test(text.source)) {
      const { feedPage } = await loadModule(() => import('./feed-page.ts'));
      const page = await feedPage(snapshot, context, text.source, 'json');
      page?.warnings.unshift(...text.warnings);
      if (page !== undefined) return page;
    }
    const markdown = fence(indent(text.source) ?? text.source, 'json');
    return textPage(snapshot, context, { ...text, markdown });
  },
};

const maximumLength = 2_000_000; // characters; indenting more would block for over 100 ms
const maximumGrowth = 4; // indentation makes deeply nested data grow without bounds

/**
 * Only changes white space: `JSON.stringify` of the parsed value would round long numbers, sort numeric keys
 * and drop repeated ones. Undefined if it is not JSON, or too large.
 */
function indent(source: string): string | undefined {
  if (source.length > maximumLength || parseJson(source) === undefined) return undefined;
  const limit = source.length * maximumGrowth + 10_000;
  let result = '';
  let depth = 0;
  /** Start of the text that is not yet part of the result. */
  let from = 0;
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '"') {
      at = endOfString(source, at);
    } else if (character === ',' || character === ':') {
      result += source.slice(from, at + 1) + (character === ':' ? ' ' : newLine(depth));
      from = at + 1;
    } else if (character === '{' || character === '[') {
      const next = endOfSpace(source, at + 1);
      const isEmpty = source[next] === '}' || source[next] === ']';
      result += isEmpty ? `${character}${source[next] ?? ''}` : character + newLine(++depth);
      at = isEmpty ? next : at;
      from = at + 1;
    } else if (character === '}' || character === ']') {
      result += source.slice(from, at) + newLine(--depth) + character;
      from = at + 1;
    } else if (isSpace(character)) {
      result += source.slice(from, at);
      from = at + 1;
    }
    if (result.length > limit) return undefined;
  }
  return result + source.slice(from);
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}

/** The position of the quote that closes the string. */
function endOfString(source: string, start: number): number {
  let end = source.indexOf('"', start + 1);
  while (isEscaped(source, end)) end = source.indexOf('"', end + 1);
  return end;
}

function isEscaped(source: string, at: number): boolean {
  let start = at;
  while (source[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

function endOfSpace(source: string, start: number): number {
  let end = start;
  while (isSpace(source[end])) end += 1;
  return end;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
