/** What cannot be read: refused by name, or handed over as base64 where the caller wants the file. */
import { PagewrightError } from '../errors.ts';
import type { Parser } from './parser.ts';
import { textPage } from './text-page.ts';

/** Takes what no other parser takes. Throws `UNSUPPORTED_CONTENT`, but not for PDFs with `parsers: []`. */
export const binaryParser: Parser = {
  name: 'binary',
  accepts: () => true,
  parse: (snapshot, context) => {
    const { url, body } = snapshot;
    const { mediaType, pdf } = context;
    const isWanted = mediaType === 'application/pdf' && pdf === undefined;
    if (body.length > 0 && !isWanted) {
      throw new PagewrightError(
        'UNSUPPORTED_CONTENT',
        `${url} is ${mediaType}, which cannot be turned into text. Bring a parser that reads it: createClient({ parsers: [...] }).`,
        { url },
      );
    }
    const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
    return textPage(snapshot, context, { source: base64, markdown: base64 });
  },
};
