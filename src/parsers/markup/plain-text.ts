/** Short texts of files, which may have markup in them, without it. */
import { parseHtml } from '../../html/parse.ts';
import { oneLine } from '../../text/one-line.ts';

const limits = { nodes: 10_000, depth: 64, attributes: 10_000 };
/** Characters: a title or a description is a line or a paragraph. */
const longest = 20_000;

/** In one line, tags taken out and entities read; undefined where nothing is left. */
export function inlineText(markup: string | undefined): string | undefined {
  if (markup === undefined) return undefined;
  const short = markup.slice(0, longest);
  const text = /[<&]/.test(short) ? parsedText(short) : short;
  return oneLine(text) || undefined;
}

function parsedText(markup: string): string {
  try {
    return parseHtml(markup, limits).body.textContent ?? '';
  } catch {
    return markup;
  }
}
