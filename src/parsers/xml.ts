/** XML, feeds and SVG to a fenced block. */
import { decodeText } from '../text/decode.ts';
import { fence } from './fence.ts';
import { isXmlType } from './media-type.ts';
import type { Parser } from './parser.ts';
import { textPage } from './text-page.ts';

/** Reads XML as text: nothing in it is expanded or fetched. */
export const xmlParser: Parser = {
  name: 'xml',
  accepts: isXmlType,
  parse: async (snapshot, context) => {
    const source = await decodeText(snapshot.body, context.charset, 'xml');
    return textPage(snapshot, context, { source, markdown: fence(source, 'xml') });
  },
};
