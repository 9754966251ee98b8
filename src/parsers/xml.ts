/** XML, feeds and SVG to a fenced block. */
import { fence } from './fence.ts';
import { isXmlType } from './media-type.ts';
import type { Parser } from './parser.ts';
import { readSource } from './read-source.ts';
import { textPage } from './text-page.ts';

/** Reads XML as text: nothing in it is expanded or fetched. */
export const xmlParser: Parser = {
  name: 'xml',
  accepts: isXmlType,
  parse: async (snapshot, context) => {
    const text = await readSource(snapshot, context, 'xml');
    return textPage(snapshot, context, { ...text, markdown: fence(text.source, 'xml') });
  },
};
