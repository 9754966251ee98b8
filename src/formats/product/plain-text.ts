/** Texts of structured data as plain text: many carry the markup of the page. */
import { parseHtml } from '../../html/parse.ts';
import { oneLine } from '../../text/one-line.ts';
import { textLines } from '../structured-data/element-text.ts';

/** Characters of a name, a brand, an attribute. */
const maxLine = 500;
/** Characters of a description. */
const maxText = 50_000;

/** A name on one line: no tags, no entities. `` when nothing is left. */
export function plainLine(value: string): string {
  return oneLine(withoutMarkup(value.slice(0, maxLine), ' '));
}

/** A text of several lines. */
export function plainLines(value: string): string {
  return withoutMarkup(value.slice(0, maxText), '\n').trim();
}

const markup = /<[a-z!/]|&(?:#\d|#x[\da-f]|[a-z]{2,8}\d?;)/i;

/** Twice at most: `&lt;p&gt;` is what shops write for machines that show the text as it is. */
function withoutMarkup(value: string, separator: string): string {
  let text = value;
  for (let pass = 0; pass < 2 && markup.test(text); pass += 1) {
    // A text of this length cannot have more nodes.
    const { body } = parseHtml(`<body>${text}`, { nodes: 2 * maxText, depth: 100 });
    text = textLines(body).join(separator);
  }
  return text;
}
