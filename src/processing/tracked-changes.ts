/** Change tracking of a processed page: compares it with its history, and adds it there. */
import type { PageQuestion } from '../extraction/with-model/extract-with-model.ts';
import { digest } from '../formats/change-tracking/history.ts';
import { trackingOf } from '../formats/change-tracking/index.ts';
import type { TrackedChanges } from '../formats/change-tracking/track-changes.ts';
import type { TrackingSettings } from '../formats/change-tracking/tracking-options.ts';
import type { FormatRequest } from '../formats/format.ts';
import type { PageExtraction } from '../formats/json.ts';
import { addRequest, type Model, type ModelTotals } from '../llm/model.ts';
import type { Clock } from '../model/clock.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Store } from '../storage/store.ts';
import type { OnDemandWorkers } from './on-demand-workers.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';

/** The client's services for change tracking. */
export interface TrackingParts {
  /** The store of histories. */
  readonly store: Store;
  readonly clock: Clock;
  /** Reads values, where the client has a model. */
  readonly model: Model | undefined;
  readonly workers: OnDemandWorkers;
}

/** The page as it was requested. */
type TrackedRequest = Pick<
  ScrapeRequest<FormatRequest>,
  'url' | 'formats' | 'place' | 'isHidden' | 'zeroDataRetention'
> &
  Pick<ProcessingPlan, 'identity'>;

/** The page as it was received. */
interface ShownPage {
  /** With its captures, for the picture. */
  readonly snapshot: Snapshot;
  readonly processed: ProcessedPage;
  readonly isBlocked: boolean;
}

/**
 * Undefined when it was not requested, and for a page whose document a hook gave. Rejects only with
 * the model's error, and the signal's reason.
 */
export async function trackedChanges(
  { store, clock, model, workers }: TrackingParts,
  request: TrackedRequest,
  { snapshot, processed, isBlocked }: ShownPage,
  signal: AbortSignal,
): Promise<TrackedChanges | undefined> {
  const { url, formats, place, isHidden = false, zeroDataRetention = false } = request;
  const { statusCode, captures, isCut = false } = snapshot;
  const { values, outline, extraction, hooked } = processed;
  const settings = trackingOf(formats);
  if (settings === undefined || hooked !== undefined) return undefined;
  const markdown = values.get('changeTracking') ?? values.get('markdown');
  const { trackChanges } = await import('../formats/change-tracking/track-changes.ts');
  const told: string[] = [];
  let modelUsage: ModelTotals | undefined;
  const compute = workers.computing(snapshot.url, signal);
  const askModel = modelAsker(
    model,
    settings,
    { url: snapshot.url, processed, signal, compute },
    {
      warn: (sentence) => void told.push(sentence),
      use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
    },
  );
  const page = {
    url,
    statusCode,
    isBlocked,
    isCut,
    isHidden,
    zeroDataRetention,
    extraction,
    askModel,
    compute,
    identity: historyIdentity(settings.identity, request.identity),
    saysMissing: outline?.missing !== undefined,
    markdown: typeof markdown === 'string' ? markdown : '',
    picture: captures?.screenshot,
    jobId: place?.jobId,
    now: clock.now(),
  };
  const changes = await trackChanges(store, page, settings);
  return { ...changes, warnings: [...told, ...changes.warnings], modelUsage };
}

/** The identity of a history: the caller's name for the viewer, or the identity of the request. */
export function historyIdentity(
  name: string | undefined,
  identity: string | undefined,
): string | undefined {
  return name === undefined ? identity : `named-${digest(name)}`;
}

/** Undefined where no model reads the values. */
function modelAsker(
  model: Model | undefined,
  { asksModel, schema, prompt }: TrackingSettings,
  page: Pick<PageQuestion, 'url' | 'signal' | 'compute'> & { readonly processed: ProcessedPage },
  listeners: {
    readonly warn: (sentence: string) => void;
    readonly use: (usage: Parameters<typeof addRequest>[1]) => void;
  },
): (() => Promise<PageExtraction>) | undefined {
  const { url, processed, signal, compute } = page;
  const { modelText: text, extraction } = processed;
  if (!asksModel || model === undefined || text === undefined) return undefined;
  return async () => {
    const { extractWithModel } = await import('../extraction/with-model/extract-with-model.ts');
    const selected = extraction ?? { value: undefined, notFound: [], sources: {} };
    const question = {
      ...listeners,
      model,
      url,
      text,
      prompt,
      signal,
      compute,
      isWhole: true,
    };
    return extractWithModel(selected, { ...question, schema: await schema });
  };
}
