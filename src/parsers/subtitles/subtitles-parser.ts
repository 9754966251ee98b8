/** Subtitles: WebVTT and SubRip. */
import { filePage } from '../file-parser.ts';
import type { Parser } from '../parser.ts';
import { readSource } from '../read-source.ts';
import { textPage } from '../text-page.ts';

const types: ReadonlySet<string> = new Set([
  ...['text/vtt', 'text/srt', 'text/x-srt', 'text/x-subrip'],
  ...['application/x-subrip', 'application/srt', 'application/x-srt'],
]);

/** Reads subtitles as a text with times; what has no cues stays as it is. */
export const subtitlesParser: Parser = {
  name: 'subtitles',
  accepts: (mediaType) => types.has(mediaType),
  parse: async (snapshot, context) => {
    const text = await readSource(snapshot, context, 'text');
    const { readSubtitles } = await import('./read-subtitles.ts');
    const content = readSubtitles(text.source);
    if (content === undefined)
      return textPage(snapshot, context, { ...text, markdown: text.source });
    const page = await filePage(snapshot, context, content, text.source);
    page.warnings.unshift(...text.warnings);
    return page;
  },
};
