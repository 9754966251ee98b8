/** The modelText format: the page as a language model outside of the library may read it. */
import { warnOfText } from '../../extract/with-model/prompt.ts';
import { readsNothing, type Format } from './format.ts';
import type { MarkdownOptions } from '../markdown/markdown-options.ts';
import { parseMarkdownOptions } from './markdown.ts';

/**
 * The markdown of what readers of the page see: without hidden text, comments, alternative texts and
 * zero-width characters. Text that looks like instructions to a model is listed in `warning`, hidden or
 * not. Visible text is still written by strangers: put it between marks that it cannot contain. Takes the options of
 * the format markdown.
 */
export const modelText: Format<'modelText', string, MarkdownOptions | undefined, null> = {
  ...readsNothing,
  name: 'modelText',
  showsContent: true,
  parseOptions: parseMarkdownOptions,
  runOptions: (options) => options,
  uses: () => ({ modelText: true }),
  finish: (_, __, { modelText: text, warn }) => {
    if (text === undefined) throw new Error('the text for the model was not read');
    // Nearly every page has style sheets of its own: without such text in it they hide nothing of the kind.
    if (text.attempts.length > 0) warnOfText(text, warn);
    return text.styled ?? text.markdown;
  },
};
