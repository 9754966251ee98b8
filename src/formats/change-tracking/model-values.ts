/** The values that the mode json compares, where a model reads them: no more often than needed. */
import { markdownWords } from '../../text/markdown-words.ts';
import type { Store } from '../../storage/store.ts';
import type { CompiledSchema } from '../json/compiled-schema.ts';
import type { PageExtraction } from '../json/index.ts';
import { hasSelectors } from '../json/with-model/selector-leaves.ts';
import { stable } from './compare-values.ts';
import { foldedHash } from './folded-hash.ts';
import { beforeJob, digest, History } from './history.ts';
import type { TrackedPage } from './tracked-page.ts';
import type { TrackingSettings } from './tracking-options.ts';

/** What a model read now, or what it read of the same text before. */
export interface ModelValues {
  readonly extraction?: PageExtraction | undefined;
  /** As they were compared then. */
  readonly known?: { readonly values: unknown };
  /** Of schema and prompt: other questions have other values. */
  readonly questionHash?: string;
}

/**
 * Asks about the page, unless its text and the question are those of the version before. Empty where no
 * model is to be asked. Rejects with what the model fails with, before anything is stored.
 */
export async function modelValues(
  store: Store,
  page: TrackedPage,
  settings: TrackingSettings,
): Promise<ModelValues> {
  const { askModel, markdown } = page;
  const schema = await settings.schema;
  if (askModel === undefined || schema === undefined || isGonePage(page, settings)) return {};
  const questionHash = digest(stable({ schema: schema.jsonSchema, prompt: settings.prompt }));
  // Of a page without words there is nothing to say.
  if (!/[\p{L}\p{N}]/u.test(markdownWords(markdown))) {
    return { extraction: { value: {}, notFound: [], sources: {} }, questionHash };
  }
  const known = await knownValues(store, page, settings, schema, questionHash);
  if (known !== undefined) return { known, questionHash };
  return { extraction: await askModel(), questionHash };
}

/** The page is not there, whatever it shows. */
export function isGonePage(
  { statusCode, saysMissing }: Pick<TrackedPage, 'statusCode' | 'saysMissing'>,
  { soft404 }: Pick<TrackingSettings, 'soft404'>,
): boolean {
  return isAbsence(statusCode) || (soft404 && saysMissing);
}

/** Answers that say that there is no page. */
export function isAbsence(statusCode: number): boolean {
  return statusCode === 404 || statusCode === 410;
}

/** Undefined where the model may say something else than before; a history that fails is told later. */
async function knownValues(
  store: Store,
  { url, identity, markdown, jobId }: TrackedPage,
  { tag, selectors, patterns }: TrackingSettings,
  { jsonSchema }: CompiledSchema,
  questionHash: string,
): Promise<ModelValues['known']> {
  // What the text does not show may have changed.
  if (selectors.length > 0 || patterns.length > 0 || hasSelectors(jsonSchema)) return undefined;
  try {
    const history = new History(store, url, tag, identity);
    const previous = beforeJob((await history.read()).entries, jobId).at(-1);
    if (previous === undefined || previous.questionHash !== questionHash) return undefined;
    if (previous.isGone || previous.textHash !== (await foldedHash(markdown))) return undefined;
    const content = await history.content(previous.id);
    return content !== undefined && 'values' in content ? { values: content.values } : undefined;
  } catch {
    return undefined;
  }
}
