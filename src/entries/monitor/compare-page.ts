/** Compares a page of a round with its version before, by change tracking under the tag of the monitor. */
import type { ErrorCode } from '../../core/runtime/errors.ts';
import { computeHere } from '../../content/formats/computations.ts';
import { trackChanges } from '../../content/formats/change-tracking/track-changes.ts';
import {
  type ChangeTracking,
  type TrackedPage,
  withoutPatterns,
} from '../../content/formats/change-tracking/tracking-options.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { TargetSettings } from '../../core/options/monitor-options.ts';
import type { PlainDocument } from '../../core/page/compose-document.ts';
import type { Store } from '../../core/storage/store.ts';
import { Redactor } from '../../content/text/redactor.ts';

/** The parts that a comparison needs. */
export interface PageComparison {
  readonly store: Store;
  readonly clock: Clock;
  readonly monitorId: string;
}

/** The comparison of a page; without a value the code and warning give the reason. */
export interface ComparedPage {
  readonly value: ChangeTracking | undefined;
  readonly code?: ErrorCode;
  readonly warning?: string;
  /** The markdown that was compared. */
  readonly text: string;
}

/** Compares a document. A round that is run again compares with the version before it. */
export async function comparePage(
  comparison: PageComparison,
  document: PlainDocument,
  target: TargetSettings,
  round: number,
): Promise<ComparedPage> {
  const { metadata, markdown, json } = document;
  const { patterns } = target.tracking;
  const text = withoutPatterns(typeof markdown === 'string' ? markdown : '', patterns);
  const isCut = metadata.truncated === true;
  const isBlocked = metadata.errorCode === 'BLOCKED_BY_SITE';
  const { value, warnings } = await track(comparison, target, round, {
    url: metadata.sourceURL,
    statusCode: metadata.statusCode,
    markdown: text,
    isCut,
    isBlocked,
    extraction: json === undefined ? undefined : { value: json, notFound: [], sources: {} },
  });
  if (value !== undefined) return { value, text };
  const code = isCut ? 'TRUNCATED_BODY' : isBlocked ? 'BLOCKED_BY_SITE' : 'STORAGE';
  return { value, code, warning: warnings.join(' '), text };
}

/** Records that a page is gone; false for a page that never was there. */
export async function recordRemoval(
  comparison: PageComparison,
  url: string,
  target: TargetSettings,
  round: number,
): Promise<boolean> {
  const gone = { url, statusCode: 404, markdown: '', isCut: false, isBlocked: false };
  const { value } = await track(comparison, target, round, { ...gone, extraction: undefined });
  return value?.changeStatus === 'removed';
}

type FoundPage = Pick<
  TrackedPage,
  'url' | 'statusCode' | 'markdown' | 'isCut' | 'isBlocked' | 'extraction'
>;

function track(
  { store, clock, monitorId }: PageComparison,
  { tracking, redact }: TargetSettings,
  round: number,
  found: FoundPage,
): ReturnType<typeof trackChanges> {
  const redactor = redact && new Redactor(redact, found.url);
  const page: TrackedPage = {
    ...found,
    isCached: false,
    identity: undefined,
    jobId: `${monitorId} ${round}`,
    isHidden: false,
    zeroDataRetention: false,
    picture: undefined,
    saysMissing: false,
    askModel: undefined,
    compute: computeHere,
    redact: redactor && ((value) => redactor.value(value)),
    now: clock.now(),
  };
  return trackChanges(store, page, tracking);
}
