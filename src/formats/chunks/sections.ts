/** The sections of a markdown text: which headings stand above each block. */
import type { MarkdownBlock } from '../../text/markdown-blocks.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import { type HeadingId, headingKey } from './heading-ids.ts';

/** What stands between two headings. */
export interface Section {
  /** The headings above, from the outermost to its own. Empty before the first heading. */
  readonly headingPath: readonly string[];
  /** The id of the nearest of these headings that has one, or ``. */
  readonly id: string;
}

/** Beyond this a heading is none, and it would stand at every passage below. */
const maxHeading = 300;

/**
 * One section for each heading, after that of the text before the first one. `ids` are those of the
 * page: its headings are found again by their text, in order, because not all are in the markdown.
 */
export function readSections(
  markdown: string,
  blocks: readonly MarkdownBlock[],
  ids: readonly HeadingId[],
): Section[] {
  const places = new Map<string, number[]>();
  for (const [index, { key }] of ids.entries()) {
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  for (const known of places.values()) known.reverse();
  let next = 0;
  const findId = (text: string): string => {
    const known = places.get(headingKey(text));
    for (let place = known?.pop(); place !== undefined; place = known?.pop()) {
      if (place < next) continue;
      next = place + 1;
      return ids[place]?.id ?? '';
    }
    return '';
  };

  const above: { readonly level: number; readonly section: Section }[] = [];
  const sections: Section[] = [{ headingPath: [], id: '' }];
  for (const [index, { kind, level, textStart }] of blocks.entries()) {
    if (kind !== 'heading') continue;
    const text = headingText(markdown.slice(textStart, blocks[index + 1]?.start));
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const around = above.at(-1)?.section;
    const section: Section = {
      headingPath: [...(around?.headingPath ?? []), text.slice(0, maxHeading)],
      id: findId(text) || (around?.id ?? ''),
    };
    above.push({ level, section });
    sections.push(section);
  }
  return sections;
}

/** Without the marks of either kind of heading: `## Text ##`, or `Text` above a line. */
function headingText(markdown: string): string {
  const line = markdown
    .trim()
    .replace(/^#{1,6}(?=\s|$)/, '')
    .replace(/\n {0,3}(?:=+|-+)$/, '')
    .replace(/\s#+$/, '');
  return markdownWords(line);
}
