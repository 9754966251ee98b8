/** The changeTracking format: compares a page with its previous scrape. */
import type { PageExtraction } from '../../../extract/heuristics/extract-without-model.ts';
import { loadModule } from '../../../core/runtime/load-module.ts';
import type { HtmlPage, Page } from '../../../core/model/page.ts';
import { builtInModule, type FinishContext, type Format } from '../format.ts';
import { markdown } from '../markdown.ts';
import {
  type ChangeTracking,
  parseTrackingOptions,
  type TrackingSettings,
  withoutPatterns,
} from './tracking-options.ts';

/** The options of the first step. */
type ComparedTextOptions = Pick<TrackingSettings, 'selectors' | 'patterns'>;

/**
 * Compares the page with the last scrape of the same URL that asked for change tracking with the same
 * tag, and stores it in the client's storage for the next comparison. Needs markdown among the formats.
 * The mode `json` compares the values of the format json: the client's model reads them, where it has
 * one; not again while text, schema and prompt stay the same.
 *
 * Undefined, with a warning, where nothing is compared or stored: with `zeroDataRetention`, when the
 * storage fails, and for a response that says nothing about the page, such as 503.
 */
export const changeTracking: Format<
  'changeTracking',
  ChangeTracking | undefined,
  TrackingSettings,
  string | undefined,
  ComparedTextOptions
> = {
  name: 'changeTracking',
  needs: 'content',
  everyVisit: true,
  worker: builtInModule,
  parseOptions: parseTrackingOptions,
  uses: ({ modes, schema, asksModel, regionSelectors, soft404 }) => ({
    requires: modes.has('visual') ? [{ name: 'markdown' }, pngScreenshot] : [{ name: 'markdown' }],
    markdown: true,
    model: asksModel,
    captures: regionSelectors.length > 0 ? { screenshot: { measured: regionSelectors } } : {},
    schema: schema && { schema },
    missing: soft404,
  }),
  runOptions: ({ selectors, patterns }) => ({ selectors, patterns }),
  run: comparedText,
  finish,
};

const pngScreenshot = {
  name: 'screenshot',
  without: 'quality',
  by: 'the mode visual of changeTracking',
};

/** Undefined when the document's markdown is compared as it is. */
async function comparedText(
  page: Page,
  { selectors, patterns }: ComparedTextOptions,
  context: Parameters<typeof markdown.run>[2],
): Promise<string | undefined> {
  if (selectors.length === 0 && patterns.length === 0) return undefined;
  const shown = page.kind === 'html' ? without(page, selectors) : page;
  return withoutPatterns(await markdown.run(shown, undefined, context), patterns);
}

/** Removes the elements from a copy: other formats read the page, too. */
function without(page: HtmlPage, selectors: readonly string[]): HtmlPage {
  if (selectors.length === 0) return page;
  const root = page.root.cloneNode(true) as HtmlPage['root'];
  for (const element of root.querySelectorAll(selectors.join(', '))) element.remove();
  return { ...page, root };
}

/** Compares the page with its history, and adds it there. Rejects only with the model's error and the signal's reason. */
async function finish(
  text: string | undefined,
  settings: TrackingSettings,
  context: FinishContext,
): Promise<ChangeTracking | undefined> {
  const { visit, markdown: shown = '', findings, compute, warn } = context;
  if (visit === undefined) return undefined;
  const { historyIdentity } = await loadModule(() => import('./history.ts'));
  const { trackChanges } = await loadModule(() => import('./track-changes.ts'));
  const page = {
    ...visit,
    identity: historyIdentity(settings.identity, visit.identity),
    markdown: text ?? shown,
    extraction: findings?.extraction,
    askModel: modelAsker(settings, context),
    compute,
    now: visit.clock.now(),
  };
  const { value, warnings } = await trackChanges(visit.store, page, settings);
  for (const sentence of warnings) warn(sentence);
  return value;
}

/** Undefined where no model reads the values. */
function modelAsker(
  { asksModel, schema, prompt }: TrackingSettings,
  context: FinishContext,
): (() => Promise<PageExtraction>) | undefined {
  const { model, modelText: text, findings } = context;
  if (!asksModel || model === undefined || text === undefined) return undefined;
  return async () => {
    const { extractWithModel } = await loadModule(
      () => import('../../../extract/with-model/extract-with-model.ts'),
    );
    const selected = findings?.extraction ?? { value: undefined, notFound: [], sources: {} };
    const question = { ...context, model, text, prompt, isWhole: true };
    return extractWithModel(selected, { ...question, schema: await schema });
  };
}
