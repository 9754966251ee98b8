/** A round of a monitor: checks its targets, compares their pages with the versions before, and makes the digest. */
import { type ErrorCode, messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import type { Job } from '../../core/jobs/job.ts';
import { isGone } from '../../content/text/http-headers.ts';
import type { Model } from '../../extract/llm/model.ts';
import type { PageFailure } from '../../core/model/job.ts';
import { startDeadline, withSignal } from '../../core/runtime/deadline.ts';
import type { MonitorSettings, TargetSettings } from '../../core/options/monitor-options.ts';
import type { PlainDocument } from '../../core/page/compose-document.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { comparePage, type PageComparison, recordRemoval } from './compare-page.ts';
import { cut, describeChange } from './describe-change.ts';
import type { MonitorDigest, MonitoredChange } from './digest.ts';
import { judgeChanges } from './judge-changes.ts';
import type { BegunRound, MonitorState, MonitorStore, PageState } from './monitor-store.ts';
import { compact } from '../../core/runtime/compact.ts';

const limits = {
  targetsAtOnce: 8, // each target is a crawl, which has a concurrency of its own
  pages: 500, // of a digest
  longestDiff: 20_000, // characters
  diffCharacters: 1_000_000, // of all diffs
  named: 10, // pages that the summary names
};

/** The client's crawls, as a monitor uses them. One is left to be resumed when `leave` aborts. */
export interface MonitorJobs {
  crawl(
    url: string,
    options: Readonly<Record<string, unknown>>,
    leave: AbortSignal,
  ): Job<PlainDocument>;
  resume(id: string, signal: AbortSignal, leave: AbortSignal): Job<PlainDocument>;
  remove(id: string): Promise<unknown>;
}

/** The setting of a round. */
export interface RoundSetting {
  readonly settings: MonitorSettings;
  /** Its writes are refused once another process has the lease. */
  readonly store: MonitorStore;
  readonly jobs: MonitorJobs;
  readonly comparison: PageComparison;
  readonly model: Model | undefined;
  /** True for a round that another process began. */
  readonly isResumed: boolean;
  readonly signal: AbortSignal;
}

/** The digest of a round, and the state after it. */
export interface RoundResult {
  readonly digest: MonitorDigest;
  readonly since: Readonly<Record<string, string>>;
  readonly pages: MonitorState['pages'];
  /** Crawls that no later round needs. */
  readonly obsolete: readonly string[];
}

/** Runs the round. A target that cannot be read is in the digest; rejects with `STORAGE` and the signal's reason. */
export async function runRound(
  setting: RoundSetting,
  state: MonitorState,
  begun: BegunRound,
): Promise<RoundResult> {
  const { settings, signal: stopped } = setting;
  using limit = startDeadline(settings.timeout, [], 'The round');
  const { signal: over } = limit;
  const compared = new Set<string>();
  const ownPages = new Set(settings.targets.filter(({ isSite }) => !isSite).map(({ url }) => url));
  const targets = settings.targets.filter(({ key }) => begun.targets.includes(key));
  const rounds = targets.map((target) => {
    const round = { state, number: begun.number, over, compared, ownPages };
    return new TargetRound(target, { ...setting, ...round });
  });
  const waiting = [...rounds];
  const signal = AbortSignal.any([stopped, over]);
  const run = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await next.run(signal);
    }
  };
  const running = await Promise.allSettled(Array.from({ length: limits.targetsAtOnce }, run));
  for (const one of running) if (one.status === 'rejected') throw one.reason;
  const keys = new Set(settings.targets.map(({ key }) => key));
  const untouched = Object.entries(state.pages).filter(
    ([key]) => keys.has(key) && !begun.targets.includes(key),
  );
  return {
    digest: await digestOf(setting, begun, rounds),
    since: Object.fromEntries(
      rounds.flatMap(({ target, since }) => (since === undefined ? [] : [[target.key, since]])),
    ),
    pages: Object.fromEntries([
      ...untouched,
      ...rounds.map(({ target, pages }) => [target.key, Object.fromEntries(pages)] as const),
    ]),
    obsolete: rounds.flatMap(({ obsolete }) => obsolete),
  };
}

// One target.

interface TargetSetting extends RoundSetting {
  readonly state: MonitorState;
  readonly number: number;
  /** Aborts when the time of the round is over. */
  readonly over: AbortSignal;
  /** URLs that the round has compared: two sites may have the same page. */
  readonly compared: Set<string>;
  /** Pages that are targets of their own: sites that have them leave them out. */
  readonly ownPages: ReadonlySet<string>;
}

/** The check of one target, and its result. */
class TargetRound {
  readonly target: TargetSettings;
  readonly #setting: TargetSetting;
  /** States before the round. */
  readonly #before: Readonly<Record<string, PageState>>;
  /** States after it. */
  readonly pages = new Map<string, PageState>();
  readonly changes: MonitoredChange[] = [];
  readonly obsolete: string[] = [];
  since: string | undefined;
  #job: Job<PlainDocument> | undefined;
  hasNews = false;
  omitted = 0;
  unchanged = 0;
  recorded = 0;
  volatile = 0;
  warning: string | undefined;

  constructor(target: TargetSettings, setting: TargetSetting) {
    this.target = target;
    this.#setting = setting;
    const { state } = setting;
    this.since = state.targets[target.key]?.since;
    this.#before = state.pages[target.key] ?? {};
  }

  /** Rejects with `STORAGE`, and when the monitor stops. */
  async run(signal: AbortSignal): Promise<void> {
    const { signal: stopped } = this.#setting;
    try {
      signal.throwIfAborted();
      await this.#crawl(signal);
      const job = this.#job;
      if (job === undefined) return;
      await withSignal(job.settled(), signal);
      // One that failed has no documents to hold.
      if (job.progress.status !== 'completed') await job;
      await this.#read(job);
      if (this.since !== undefined) this.obsolete.push(this.since);
      this.since = job.id;
    } catch (error) {
      if (stopped.aborted) {
        // The next process resumes the crawl.
        await this.#job?.settled();
        throw stopped.reason;
      }
      if (error instanceof PagewrightError && error.code === 'STORAGE') throw error;
      await this.#failTarget(error);
    }
  }

  /** Begins the crawl of this target, or resumes the one that another process began. */
  async #crawl(signal: AbortSignal): Promise<void> {
    const { store, jobs, isResumed, number, over, signal: leave } = this.#setting;
    const { key, url, crawlOptions } = this.target;
    const begun = isResumed ? await store.readJob(key) : undefined;
    if (begun?.round === number) {
      this.#job = jobs.resume(begun.id, over, leave);
      if (!(await this.#isLost(signal))) return;
    }
    for (const since of new Set([this.since, undefined])) {
      this.#job = jobs.crawl(url, { ...crawlOptions, since, signal: over }, leave);
      await store.writeJob(key, { round: number, id: this.#job.id });
      // The earlier crawl may have expired.
      if (since === undefined || !(await this.#isLost(signal))) return;
    }
  }

  /** True for a crawl that the store no longer has, that was cancelled, or that cannot be resumed. */
  async #isLost(signal: AbortSignal): Promise<boolean> {
    const job = this.#job;
    if (job === undefined) return true;
    await withSignal(job.settled(), signal);
    if (!/^(?:failed|cancelled)$/.test(job.progress.status)) return false;
    const error = await job.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const isLost = error instanceof PagewrightError && lostCodes.has(error.code);
    if (isLost) this.obsolete.push(job.id);
    return isLost;
  }

  async #read(job: Job<PlainDocument>): Promise<void> {
    const { signal } = this.#setting;
    let same: ReadonlySet<string> = new Set();
    let removed: readonly string[] = [];
    for (let skip: number | undefined = 0; skip !== undefined;) {
      const { data, changes, next } = await job.status({ skip });
      if (skip === 0 && changes !== undefined) {
        same = new Set(changes.same);
        ({ removed } = changes);
      }
      for (const document of data) {
        signal.throwIfAborted();
        const { sourceURL } = document.metadata;
        if (this.#isOther(sourceURL)) continue;
        const isBack = (this.#before[sourceURL]?.misses ?? 0) >= 2;
        if (same.has(sourceURL) && !isBack) this.#same(sourceURL);
        else await this.#compare(document, sourceURL);
      }
      skip = next;
    }
    const failures = job.errors().filter(({ url }) => !this.#isOther(url));
    for (const failure of failures) {
      if (isGone(failure.statusCode)) await this.#miss(failure.url, failure);
      else this.#fail(failure);
    }
    const isFailed = new Set(failures.map(({ url }) => url));
    for (const url of removed) {
      if (!isFailed.has(url) && !this.#isOther(url)) await this.#miss(url);
    }
    await this.#missAgain(job, failures);
    if (job.progress.warning !== undefined)
      this.warning = `${this.target.url}: ${job.progress.warning}`;
  }

  /** Pages that were missing once, and that this crawl did not find either. */
  async #missAgain(job: Job<PlainDocument>, failures: readonly PageFailure[]): Promise<void> {
    const { LIMIT, BUDGET } = job.skippedByReason();
    const isWhole = (LIMIT ?? BUDGET) === undefined;
    const hasRead = failures.every(({ statusCode }) => isGone(statusCode));
    for (const [url, page] of Object.entries(this.#before)) {
      if (this.pages.has(url) || page.misses === undefined || job.explain(url) !== undefined)
        continue;
      if (isWhole && hasRead) await this.#miss(url);
      else this.pages.set(url, page);
    }
  }

  /** True for a page of this site that is a target of its own. */
  #isOther(url: string): boolean {
    return this.target.isSite && this.#setting.ownPages.has(url);
  }

  #keep(url: string): void {
    const before = this.#before[url];
    if (before !== undefined) this.pages.set(url, before);
  }

  #same(url: string): void {
    this.unchanged += 1;
    const { changes, isQuiet = false } = this.#before[url] ?? {};
    // A page that changes in every second round is as volatile as one that always does.
    if (changes === undefined || isQuiet) this.pages.delete(url);
    else this.pages.set(url, { changes, isQuiet: true });
  }

  async #compare(document: PlainDocument, url: string): Promise<void> {
    const { settings, state, comparison, number, compared: done } = this.#setting;
    const { key } = this.target;
    if (done.has(url)) return this.#keep(url);
    done.add(url);
    const { title, url: finalUrl } = document.metadata;
    const compared = await comparePage(comparison, document, this.target, number);
    const { value, warning, code, text } = compared;
    if (value === undefined) {
      return this.#fail({ url, error: warning ?? '', code: code ?? 'STORAGE' });
    }
    const before = this.#before[url];
    const known = {
      url,
      target: this.target.url,
      ...(typeof title === 'string' ? { title: cut(oneLine(title), 300) } : {}),
      ...(finalUrl === url ? {} : { finalUrl }),
    };
    const isBack = (before?.misses ?? 0) >= 2;
    if (value.changeStatus === 'new' || (isBack && value.changeStatus === 'changed')) {
      const isFirst = !this.target.isSite || state.targets[key]?.since === undefined;
      if (isFirst && !isBack) this.recorded += 1;
      else {
        const wasSeen = isBack && before?.failures === undefined;
        const summary = wasSeen ? 'The page is back.' : 'The page is new.';
        this.#report({ ...known, status: 'new', summary });
      }
      return;
    }
    const { json, diff } = value;
    const hasValues = json !== undefined;
    const isChanged = hasValues ? Object.keys(json).length > 0 : value.changeStatus === 'changed';
    if (!isChanged) return this.#same(url);
    const changes = (before?.changes ?? 0) + 1;
    if (!hasValues) this.pages.set(url, { changes });
    if (!hasValues && changes > settings.volatileAfter) {
      this.volatile += 1;
      return;
    }
    this.#report({
      ...known,
      status: 'changed',
      summary: describeChange(compact({ diff, json }), text),
      ...(diff === undefined ? {} : { diff: cut(diff.text, limits.longestDiff) }),
      ...(hasValues ? { json } : {}),
      ...(!hasValues && changes >= settings.volatileAfter ? { volatile: true as const } : {}),
    });
  }

  /** A page that is not there: removed, if it was missing in the round before, too. */
  async #miss(url: string, failure?: PageFailure): Promise<void> {
    const { url: target } = this.target;
    const { misses = 0, failures } = this.#before[url] ?? {};
    if (misses >= 2) {
      if (failure !== undefined && failures !== undefined) this.#fail(failure, { misses });
      else this.pages.set(url, { misses });
      return;
    }
    if (misses === 0) {
      if (failure === undefined) this.pages.set(url, { misses: 1 });
      // A second check decides, so that a page that was gone for a moment is not news.
      else this.#fail(failure, { misses: 1, isNews: false });
      return;
    }
    const { comparison, number, compared } = this.#setting;
    if (compared.has(url)) {
      this.pages.set(url, { misses: 2 });
      return;
    }
    compared.add(url);
    const wasThere = await recordRemoval(comparison, url, this.target, number);
    if (!wasThere && failure !== undefined) {
      return this.#fail(failure, { misses: 2, isNews: misses === 1 });
    }
    this.pages.set(url, { misses: 2 });
    if (!wasThere) return;
    const summary =
      failure?.statusCode === undefined
        ? 'No page of the site links to it any more.'
        : `The page is gone (${failure.statusCode}).`;
    const statusCode = failure?.statusCode;
    this.#report(compact({ url, target, status: 'removed', summary, statusCode }));
  }

  /** A page that could not be read; only the first of several rounds in a row is news. */
  #fail(
    { url, error, code, statusCode }: Pick<PageFailure, 'url' | 'error' | 'code' | 'statusCode'>,
    { misses, isNews }: { readonly misses?: number; readonly isNews?: boolean } = {},
  ): void {
    const { url: target } = this.target;
    // A failure in between is no evidence about a page that changes or is missing.
    const before: Partial<PageState> = this.#before[url] ?? {};
    const failures = (before.failures ?? 0) + 1;
    const missed = misses === undefined ? {} : { misses };
    this.pages.set(url, { ...before, failures, ...missed });
    const status = statusCode === undefined ? {} : { statusCode };
    const summary = cut(oneLine(error), 400);
    const isFirst = isNews ?? failures === 1;
    this.#report({ url, target, status: 'failed', summary, code, ...status }, isFirst);
  }

  /** The target as a whole could not be read; its other pages retain their state. */
  async #failTarget(error: unknown): Promise<void> {
    const { url } = this.target;
    const job = this.#job;
    if (job !== undefined) {
      job.cancel();
      this.obsolete.push(job.id);
    }
    for (const page of Object.keys(this.#before)) this.#keep(page);
    const failure = job?.errors().find((one) => one.url === url);
    if (failure !== undefined && isGone(failure.statusCode)) return this.#miss(url, failure);
    const code: ErrorCode = error instanceof PagewrightError ? error.code : 'HOOK_FAILED';
    this.#fail({ code, error: messageOf(error), url, ...failure });
  }

  #report(change: MonitoredChange, isNews = true): void {
    this.hasNews ||= isNews;
    if (this.changes.length < limits.pages) this.changes.push(change);
    else this.omitted += 1;
  }
}

/** Errors of a crawl that the store no longer has, or that cannot be resumed. */
const lostCodes: ReadonlySet<ErrorCode> = new Set([
  'JOB_NOT_FOUND',
  'JOB_EXPIRED',
  'BAD_REQUEST',
  'STORAGE',
]);

// The digest of all targets.

async function digestOf(
  { settings: { id, goal, timeout }, model, signal }: RoundSetting,
  { number, at }: BegunRound,
  rounds: readonly TargetRound[],
): Promise<MonitorDigest> {
  const sum = (count: (round: TargetRound) => number): number =>
    rounds.reduce((total, round) => total + count(round), 0);
  const all = rounds.flatMap(({ changes }) => changes);
  let room = limits.diffCharacters;
  const found = all.slice(0, limits.pages).map(({ diff, ...page }): MonitoredChange => {
    room -= diff?.length ?? 0;
    return diff === undefined || room < 0 ? page : { ...page, diff };
  });
  const counts = {
    omitted: sum(({ omitted }) => omitted) + all.length - found.length,
    unchanged: sum(({ unchanged }) => unchanged),
    recorded: sum(({ recorded }) => recorded),
    volatile: sum(({ volatile }) => volatile),
  };
  const warnings = rounds.flatMap(({ warning }) => warning ?? []);
  const base = { monitorId: id, round: number, at: new Date(at).toISOString() };
  const hasNews = rounds.some((round) => round.hasNews);
  const isJudged = goal !== undefined && model !== undefined;
  const judged = isJudged ? await judgeChanges(model, goal, found, { timeout, signal }) : undefined;
  const { pages = found, claims = [], modelUsage } = judged ?? {};
  const warning = [...warnings, ...(judged?.warnings ?? [])].slice(0, 20).join(' ');
  const findings = claims.map(({ text, url }) => `${text} (${url})`).join('\n');
  const matters = pages.some(({ status, relevant }) => status === 'failed' || relevant !== false);
  return compact({
    ...base,
    hasNews: hasNews && matters,
    summary: findings === '' ? summaryOf(pages, counts) : findings,
    pages,
    ...counts,
    claims: isJudged ? claims : undefined,
    modelUsage,
    warning: warning === '' ? undefined : cut(warning, 4000),
  });
}

/** `2 pages changed, 1 failed; 94 unchanged.`, and a line for each of the first pages. */
function summaryOf(
  pages: readonly MonitoredChange[],
  counts: Pick<MonitorDigest, 'unchanged' | 'recorded' | 'volatile' | 'omitted'>,
): string {
  const verbs = { changed: 'changed', new: 'new', removed: 'removed', failed: 'failed' } as const;
  const news = Object.entries(verbs).flatMap(([status, verb]) => {
    const count = pages.filter((page) => page.status === status).length;
    return count === 0 ? [] : [`${count} ${verb}`];
  });
  const { unchanged, recorded, volatile, omitted } = counts;
  const rest = Object.entries({ unchanged, 'recorded for the first time': recorded, volatile });
  const others = rest.flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  if (omitted > 0) news.push(`${omitted} more`);
  const head = [news.join(', '), others.join(', ')].filter((part) => part !== '').join('; ');
  const lines = pages
    .filter(({ relevant }) => relevant !== false)
    .slice(0, limits.named)
    .map(({ title, url, summary }) => `- ${title ?? url}: ${summary}`);
  return [head === '' ? 'No pages.' : `Pages: ${head}.`, ...lines].join('\n');
}
