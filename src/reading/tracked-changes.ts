/** What change tracking makes of a page that was read: compared with its history, and added to it. */
import type { TrackedChanges } from '../formats/change-tracking/track-changes.ts';
import { trackingOf } from '../formats/change-tracking/index.ts';
import type { FormatRequest } from '../formats/format.ts';
import type { Clock } from '../model/clock.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Store } from '../storage/store.ts';
import type { PageReading } from './read-page.ts';

/** What it works with. */
export interface TrackingParts {
  /** Where histories are kept. */
  readonly store: Store;
  readonly clock: Clock;
}

/** The page as it was asked for. */
type TrackedRequest = Pick<
  ScrapeRequest<FormatRequest>,
  'url' | 'formats' | 'place' | 'isHidden' | 'zeroDataRetention'
>;

/**
 * Undefined when it was not asked for, and for a page whose document a hook gave. Never rejects.
 * `snapshot` has its captures, for the picture.
 */
export async function trackedChanges(
  { store, clock }: TrackingParts,
  { url, formats, place, isHidden = false, zeroDataRetention = false }: TrackedRequest,
  { statusCode, captures }: Snapshot,
  { values, outline, extraction, hooked }: PageReading,
  isBlocked: boolean,
): Promise<TrackedChanges | undefined> {
  const settings = trackingOf(formats);
  if (settings === undefined || hooked !== undefined) return undefined;
  const markdown = values.get('changeTracking') ?? values.get('markdown');
  const { trackChanges } = await import('../formats/change-tracking/track-changes.ts');
  const page = {
    ...{ url, statusCode, isBlocked, isHidden, zeroDataRetention, extraction },
    saysMissing: outline?.missing !== undefined,
    markdown: typeof markdown === 'string' ? markdown : '',
    picture: captures?.screenshot,
    jobId: place?.jobId,
    now: clock.now(),
  };
  return trackChanges(store, page, settings);
}
