/** Compares a scraped page with its history and adds it there. */
import { messageOf, PagewrightError } from '../../../core/runtime/errors.ts';
import { loadModule } from '../../../core/runtime/load-module.ts';
import type { Store } from '../../../core/storage/store.ts';
import { withoutVisitMarks } from '../../../core/url/visit-marks.ts';
import {
  compareValues,
  foldedHash,
  isGonePage,
  modelValues,
  type ModelValues,
  stableJson,
} from './compare-values.ts';
import { isGone } from '../../text/http-headers.ts';
import {
  beforeJob,
  digest,
  PageHistory,
  type HistoryEntry,
  type PageVersionContent,
} from './history.ts';
import type {
  ChangeStatus,
  ChangeTracking,
  TrackedPage,
  TrackingSettings,
} from './tracking-options.ts';

/** The result of change tracking; without a value the warnings give the reason. */
export interface TrackedChanges {
  readonly value: ChangeTracking | undefined;
  readonly warnings: readonly string[];
}

const attempts = 20; // to read and write the history while other scrapes write it too

/**
 * Rejects only when the model fails, and stores nothing then. A page whose history fails is returned
 * with a warning.
 */
export async function trackChanges(
  store: Store,
  found: TrackedPage,
  settings: TrackingSettings,
): Promise<TrackedChanges> {
  const page = { ...found, markdown: withoutVisitMarks(found.markdown) };
  const reason = reasonAgainst(page);
  if (reason !== undefined) return { value: undefined, warnings: [`changeTracking: ${reason}`] };
  const values = await modelValues(store, page, settings);
  try {
    return await trackVersion(store, { ...page, ...values }, settings);
  } catch (error) {
    const message = `changeTracking: comparing failed, and this scrape may be missing in the history: ${messageOf(error)}`;
    return { value: undefined, warnings: [message] };
  }
}

function reasonAgainst({
  zeroDataRetention,
  statusCode,
  isBlocked,
  isCached,
  isCut,
}: TrackedPage): string | undefined {
  if (zeroDataRetention) return 'with zeroDataRetention nothing is stored or compared.';
  if (isBlocked) return 'the site refused to show the page; it was neither compared nor stored.';
  if (statusCode >= 400 && !isGone(statusCode)) {
    return `an answer with status ${statusCode} says nothing about the page; it was neither compared nor stored.`;
  }
  if (isCached)
    return 'a copy from the cache says nothing new; it was neither compared nor stored.';
  if (isCut) return 'the body of the page ended early; it was neither compared nor stored.';
  return undefined;
}

/** The content facts of this scrape as a history entry. */
type ScrapedVersion = Pick<
  HistoryEntry,
  'isGone' | 'textHash' | 'valuesHash' | 'questionHash' | 'pictureHash'
>;

/** Adds one scrape to the history. */
async function trackVersion(
  store: Store,
  page: TrackedPage & ModelValues,
  settings: TrackingSettings,
): Promise<TrackedChanges> {
  let warnings: string[] = [];
  const history = new PageHistory(store, page.url, settings.tag, page.identity);

  const { markdown, picture, questionHash } = page;
  const { modes, historyLimit } = settings;
  const isGone = isGonePage(page, settings);
  const content = { markdown, ...(await values(isGone)) };
  const shown = modes.has('visual') && !isGone ? picture?.bytes : undefined;
  const found: ScrapedVersion = {
    isGone,
    textHash: await foldedHash(markdown),
    ...('values' in content
      ? { valuesHash: digest(stableJson(content.values)), questionHash }
      : {}),
    ...(shown === undefined ? {} : { pictureHash: digest(shown) }),
  };
  const toldBefore = warnings;
  let added: string | undefined;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    warnings = [...toldBefore];
    const stored = await history.read();
    if (stored.isDamaged) warn('the stored history is damaged; it begins anew.');
    const past = beforeJob(stored.entries, page.jobId);
    const previous = past.at(-1);
    const { value, isNew } = await compare(previous, found, content, shown);
    if (isNew) added ??= await history.add(content, shown);
    const entries =
      isNew && added !== undefined
        ? [...past, entry(added, value.changeStatus, found)]
        : [...past.slice(0, -1), ...(previous === undefined ? [] : [again(previous, found)])];
    const kept = entries.slice(-historyLimit);
    if (!(await history.write(stored, kept))) continue;
    const known = new Set(kept.map(({ id }) => id));
    const ids = [...stored.entries.map(({ id }) => id), ...(added === undefined ? [] : [added])];
    for (const id of ids) if (!known.has(id)) await remove(id);
    return { value: stored.isDamaged ? undefined : value, warnings };
  }
  if (added !== undefined) await history.remove(added);
  throw new PagewrightError('STORAGE', 'other scrapes kept writing the history of this page.');

  /** The values for the mode `json`; values that the schema refuses are reported, not compared. */
  async function values(isGone: boolean): Promise<{ values?: unknown }> {
    const { extraction, known, url } = page;
    const { schema } = settings;
    if (known !== undefined && !isGone) return known;
    if (schema === undefined || extraction === undefined || isGone) return {};
    try {
      const result = await (await schema).validate(extraction.value);
      if ('value' in result) return { values: plain(result.value) };
      const [issue] = result.issues;
      warn(
        `${url} does not give what the schema requires (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}); its values were not compared.`,
      );
    } catch (error) {
      warn(`the values were not compared: ${messageOf(error)}`);
    }
    return {};
  }

  async function compare(
    previous: HistoryEntry | undefined,
    found: ScrapedVersion,
    content: PageVersionContent,
    shown: Uint8Array | undefined,
  ): Promise<{ readonly value: ChangeTracking; readonly isNew: boolean }> {
    const visibility = page.isHidden ? 'hidden' : 'visible';
    if (previous === undefined) {
      const value = { previousScrapeAt: null, changeStatus: 'new' as const, visibility } as const;
      return { value, isNew: true };
    }
    const previousScrapeAt = new Date(previous.lastAt).toISOString();
    const changeStatus = statusOf(previous, found);
    const base = { previousScrapeAt, changeStatus, visibility } as const;
    if (found.isGone) return { value: base, isNew: !previous.isGone };
    let before: Promise<PageVersionContent | undefined> | undefined;
    const readBefore = async (): Promise<PageVersionContent | undefined> => {
      before ??= history.content(previous.id);
      const read = await before;
      if (read === undefined) warn('the version before cannot be read from the storage.');
      // An earlier visit may have stored data that this one redacts.
      return page.redact === undefined ? read : page.redact(read);
    };
    const diff = changeStatus === 'changed' ? await differences(readBefore, content) : {};
    const json = await changedValues(previous, found, readBefore, content);
    const { visual, isOther } = await changedPicture(previous, found, shown);
    const isNew =
      changeStatus === 'changed' ||
      (found.valuesHash !== undefined && found.valuesHash !== previous.valuesHash) ||
      isOther;
    return { value: { ...base, ...diff, ...json, ...visual }, isNew };
  }

  async function differences(
    readBefore: () => Promise<PageVersionContent | undefined>,
    { markdown }: PageVersionContent,
  ): Promise<Pick<ChangeTracking, 'diff'>> {
    if (!settings.modes.has('git-diff')) return {};
    const before = await readBefore();
    if (before === undefined) return {};
    const { compute } = page;
    // Earlier versions of this library stored the marks.
    const previous = withoutVisitMarks(before.markdown);
    const { diff, warning } = await compute('diff', previous, markdown);
    if (warning !== undefined) warnings.push(warning);
    return { diff };
  }

  async function changedValues(
    previous: HistoryEntry,
    found: ScrapedVersion,
    readBefore: () => Promise<PageVersionContent | undefined>,
    content: PageVersionContent,
  ): Promise<Pick<ChangeTracking, 'json'>> {
    if (found.valuesHash === undefined) return {};
    if (previous.valuesHash === found.valuesHash) return { json: {} };
    if (previous.valuesHash === undefined) {
      warn('the scrape before has no values to compare with.');
      return {};
    }
    const before = await readBefore();
    return before === undefined ? {} : { json: compareValues(before.values, content.values) };
  }

  async function changedPicture(
    previous: HistoryEntry,
    found: ScrapedVersion,
    shown: Uint8Array | undefined,
  ): Promise<{ readonly visual: Pick<ChangeTracking, 'visual'>; readonly isOther: boolean }> {
    if (shown === undefined) return { visual: {}, isOther: false };
    const { noChange } = await loadModule(() => import('./compare-pictures.ts'));
    if (found.pictureHash === previous.pictureHash) {
      return { visual: { visual: noChange }, isOther: false };
    }
    if (previous.pictureHash === undefined) {
      warn('the scrape before has no picture to compare with.');
      return { visual: {}, isOther: true };
    }
    try {
      const before = await history.picture(previous.id);
      if (before === undefined) throw new Error('that of the scrape before is gone');
      const regions = [...settings.regions, ...(page.picture?.boxes ?? [])];
      const visual = await page.compute('comparedPictures', before, shown, regions);
      return { visual: { visual }, isOther: visual.changedPixels > 0 };
    } catch (error) {
      warn(`the pictures were not compared: ${messageOf(error)}.`);
      return { visual: {}, isOther: true };
    }
  }

  function entry(id: string, status: ChangeStatus, found: ScrapedVersion): HistoryEntry {
    const { now, jobId: job } = page;
    return { id, firstAt: now, lastAt: now, status, ...found, ...(job && { job }) };
  }

  /** The entry of the previous version, found again. */
  function again(
    { job: _, lastAtBefore: __, ...entry }: HistoryEntry,
    found: ScrapedVersion,
  ): HistoryEntry {
    const { now, jobId: job } = page;
    const questionHash = found.questionHash ?? entry.questionHash;
    return { ...entry, questionHash, lastAt: now, ...(job && { job, lastAtBefore: entry.lastAt }) };
  }

  /** Warns on failure: a leftover old version only takes up space. */
  async function remove(id: string): Promise<void> {
    try {
      await history.remove(id);
    } catch (error) {
      warn(`an old version could not be removed: ${messageOf(error)}`);
    }
  }

  function warn(sentence: string): void {
    warnings.push(`changeTracking: ${sentence}`);
  }
}

function statusOf(previous: HistoryEntry, found: ScrapedVersion): ChangeStatus {
  if (found.isGone) return 'removed';
  return previous.isGone || previous.textHash !== found.textHash ? 'changed' : 'same';
}

/** The value as the storage returns it: dates are strings. */
function plain(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}
