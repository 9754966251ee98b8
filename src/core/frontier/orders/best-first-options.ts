/** The options of the order that takes the most relevant page first. */
import { z } from 'zod';
import { choice, type Input, option, required } from '../../checks/option.ts';

/** The options of the strategy. */
export const bestFirstRows = {
  /** What the pages are to be about. */
  query: required(z.string().regex(/[\p{L}\p{N}]/u), {
    cli: '--best-first <words> visit pages about this first',
  }),
  /** The basis of the comparison with the query. @default 'words' */
  by: option(choice(['words', 'embedding'])),
  /** Ends the crawl when its pages answer the query. @default all pages are visited */
  until: option(choice(['answered']), {
    cli: { answered: '--until-answered with --best-first: end when the pages answer these words' },
    needs: 'query',
  }),
  /**
   * What decides that: the measure alone, or the client's model, which is then asked at most 5 times whether
   * the best passages answer the query. Words decide, with a warning, without a model and once it fails.
   * Only with `until`. @default 'words'
   */
  judge: option(choice(['words', 'model']), {
    cli: '<how> with --until-answered: decide by words (default) or ask the model',
    needs: 'until',
  }),
};

/** The pages about a query come first. */
export interface BestFirstStrategy extends Input<typeof bestFirstRows> {
  readonly type: 'bestFirst';
}
