/** The hooks of one job that are called in its order: for documents, failures, links and skipped URLs. */
import { setImmediate } from 'node:timers/promises';
import { PagewrightError } from '../runtime/errors.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { LinkingPage } from '../frontier/url-sources.ts';
import { callHook } from '../hooks/call-hook.ts';
import { type FoundLink, type OnErrorResult, runTransformLink } from '../hooks/page-hooks.ts';
import { SkippedByHook } from '../hooks/hook-lists.ts';
import type { PagePlace } from '../model/hooks.ts';
import type { SkippedUrl } from '../model/job.ts';
import { type Deadline, startDeadline } from '../runtime/deadline.ts';
import {
  answerFailure,
  finishDocument,
  withinTimeout,
  type PipelineParts,
  type TimedRequest,
} from '../page/pipeline.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import { type FoundPage, marksOf, type PageOrigin, placeOf } from './crawled-page.ts';
import type { JobControl } from './job-status.ts';
import { failureOf } from './page-failure.ts';

/** The parts of a job that its hooks use. */
interface JobHooksSetting {
  readonly parts: PipelineParts;
  /** Milliseconds for the hooks of a page; may throw. */
  readonly timeoutOf: (url: string) => number;
  /** The label and data of a page that a crawl leaves out. @default none */
  readonly marksOf?: (url: string) => Pick<PageOrigin, 'label' | 'data'>;
  readonly job: JobControl<PlainDocument>;
  /** Ends the hooks for failures and links: a crawl calls them no more once its budget is used up. */
  readonly signal: AbortSignal;
}

const toldAtOnce = 1000; // skips passed to hooks before the process yields to other work

/** Its methods are called one after the other. */
export class JobHooks {
  readonly #parts: PipelineParts;
  readonly #setting: JobHooksSetting;
  readonly #job: JobControl<PlainDocument>;
  readonly #signal: AbortSignal;
  /** Skips that were recorded but not yet passed to hooks. */
  #untold: SkippedUrl[] = [];

  constructor(setting: JobHooksSetting) {
    this.#setting = setting;
    this.#parts = setting.parts;
    this.#job = setting.job;
    this.#signal = setting.signal;
  }

  /**
   * The document after the hooks, which are called once in the life of the job: their error is stored, too. Pages that
   * were read before the budget was used up stay, so only the job's own end aborts them.
   */
  document(page: PageOrigin, make: () => Promise<PlainDocument>): Promise<PlainDocument> {
    if (this.#parts.hooks.onDocument.length === 0) return make();
    const { id, journal, signal } = this.#job;
    const request = { ...this.#request(placeOf(page, id), page.url), signal };
    const finish = async (): Promise<PlainDocument> =>
      finishDocument(this.#parts, request, await make());
    return journal.answer('unmade', page.url, signal, finish);
  }

  /** Records a failed page or a veto, or returns the document that a hook substitutes. */
  async settleFailure(
    page: PageOrigin,
    failure: unknown,
    at: number,
    evidence?: PlainDocument,
  ): Promise<{ readonly document?: PlainDocument; readonly error?: unknown }> {
    if (failure instanceof SkippedByHook) {
      this.skip({ ...foundAt(page), reason: 'EXCLUDE', rule: failure.rule });
      return {};
    }
    const request = this.#request(placeOf(page, this.#job.id), page.url);
    const ask = (): Promise<OnErrorResult> => answerFailure(this.#parts, request, failure);
    const { journal } = this.#job;
    const isAsked = this.#parts.hooks.onError.length > 0;
    const answer = await (isAsked ? journal.answer('failed', page.url, this.#signal, ask) : ask());
    if ('document' in answer || this.#job.signal.aborted) return answer;
    const error = this.#signal.aborted ? failure : withCode(answer.error, failure);
    this.fail(page, error, at, error === failure ? evidence : undefined);
    return { error };
  }

  /** Records a final failure. */
  fail(
    page: PageOrigin,
    error: unknown,
    at: number = this.#parts.clock.now(),
    document?: PlainDocument,
  ): void {
    this.#job.fail(failureOf({ ...foundAt(page), ...marksOf(page) }, error, at, document));
  }

  /** The links of a page after the hooks; links that a hook drops are recorded. */
  async links(entry: FrontierEntry, page: FoundPage): Promise<LinkingPage> {
    const { transformLink } = this.#parts.hooks;
    if (transformLink.length === 0) return page;
    const marks = marksOf(entry);
    const place = { depth: entry.depth + 1, parent: entry.url, jobId: this.#job.id, ...marks };
    return withinTimeout(this.#parts, this.#request(place, entry.url), async (deadline) => {
      const links: string[] = [];
      const linkTexts: string[] = [];
      const found = linksOf(page, place);
      for await (const { link, url } of runTransformLink(transformLink, found, deadline)) {
        if (url !== false) {
          links.push(url);
          linkTexts.push(link.text ?? '');
        } else if (!this.#job.ledger.has(link.url)) this.skip(dropped(link));
      }
      return { title: page.title, links, linkTexts };
    });
  }

  /** Records a URL that is left out. */
  skip(skip: SkippedUrl): void {
    const { ledger } = this.#job;
    const state = ledger.stateOf(skip.url);
    this.#job.skip(skip);
    const isNew = state === undefined || state === 'pending';
    // Hooks received this skip before the job was resumed.
    if (this.#job.isSilent()) return;
    if (isNew && this.#parts.hooks.onSkipped.length > 0) this.#untold.push(skip);
  }

  /** Calls the hooks for the URLs skipped since the last call. */
  async tellSkips(): Promise<void> {
    while (this.#untold.length > 0) {
      const skips = this.#untold;
      this.#untold = [];
      for (const [index, skip] of skips.entries()) {
        if (index % toldAtOnce === toldAtOnce - 1) await setImmediate();
        if (this.#job.signal.aborted) return;
        await this.#tell(skip).catch((error: unknown) => {
          if (!this.#job.signal.aborted) this.fail(skip, error);
        });
      }
    }
  }

  async #tell({ url, parent, reason, rule }: SkippedUrl): Promise<void> {
    let started: Deadline | undefined;
    // There may be 100,000 skips, so a timer starts only when a hook waits. The budget's signal does not end it: hooks
    // receive the URLs that a budget leaves out after the budget has ended.
    const deadline = (): Deadline =>
      (started ??= startDeadline(this.#timeoutOf(url), [this.#job.signal], `Telling of ${url}`));
    const state = {
      url,
      parent,
      jobId: this.#job.id,
      ...marksOf(this.#setting.marksOf?.(url) ?? {}),
      reason,
      rule,
      get signal() {
        return deadline().signal;
      },
    };
    const call = {
      name: 'onSkipped' as const,
      url,
      get deadline() {
        return deadline();
      },
    };
    try {
      for (const hook of this.#parts.hooks.onSkipped) await callHook(call, () => hook(state));
    } finally {
      started?.[Symbol.dispose]();
    }
  }

  #request(place: PagePlace, url: string): TimedRequest {
    return { url, position: place, signal: this.#signal, timeout: this.#timeoutOf(url) };
  }

  /** The caller's `pageSettings` may be the function that fails. */
  #timeoutOf(url: string): number {
    try {
      return this.#setting.timeoutOf(url);
    } catch {
      return 30_000;
    }
  }
}

/** Where a URL was found, as part of an outcome. */
export function foundAt({ url, parent }: PageOrigin): {
  readonly url: string;
  readonly parent?: string;
} {
  return parent === undefined ? { url } : { url, parent };
}

/** Retains the failure's code when a hook replaces it with an error without one. */
function withCode(error: unknown, failure: unknown): unknown {
  const hasCode = error instanceof PagewrightError || !(error instanceof Error);
  if (hasCode || !(failure instanceof PagewrightError)) return error;
  const { code, url, statusCode, retryAfter } = failure;
  return new PagewrightError(code, error.message, { url, statusCode, retryAfter, cause: error });
}

function* linksOf(
  { links, linkTexts, linkRels, linkElements }: FoundPage,
  place: PagePlace & Pick<FoundLink, 'depth' | 'parent'>,
): Generator<FoundLink, void, undefined> {
  for (const [index, url] of links.entries()) {
    yield {
      ...place,
      url,
      text: linkTexts?.[index] || undefined,
      rel: linkRels?.[index] || undefined,
      element: linkElements?.[index] || undefined,
    };
  }
}

function dropped({ url, parent }: FoundLink): SkippedUrl {
  return { url, parent, reason: 'EXCLUDE', rule: 'hooks.transformLink' };
}
