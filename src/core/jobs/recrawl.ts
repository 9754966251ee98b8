/** A recrawl: begins with the pages of an earlier crawl, reuses unchanged ones, and reports what changed. */
import { ValidationError } from '../runtime/errors.ts';
import { earlyEnds, type FrontierEntry } from '../frontier/frontier.ts';
import type { HookLists } from '../hooks/hook-lists.ts';
import { type Costs, fetchCredits } from '../model/costs.ts';
import type { CrawlChanges } from '../model/job.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import type { PipelineParts } from '../page/pipeline.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import type { Store } from '../storage/store.ts';
import type { FoundPageFacts } from './crawled-page.ts';
import { documentOf, type StoredValue } from './durable/stored-value.ts';
import { readEnd, readRetries } from './durable/durable-job.ts';
import { JobStore, readManifest, refuseExpired } from './durable/job-store.ts';
import { Journal } from './durable/journal.ts';
import { asksForTheSame, type StoredOptions } from './durable/stored-options.ts';
import type { PageSource, VisitFacts } from './durable/stored-page.ts';
import type { JobControl } from './job-status.ts';
import { type PageVersion, sameVersion } from './page-version.ts';
import { isGone } from '../../content/text/http-headers.ts';
import { usageOf, type VisitedPage } from './page-visit.ts';

/** The settings of a crawl that starts from an earlier one. */
export interface RecrawlSetting {
  readonly parts: PipelineParts;
  readonly settings: CrawlSettings;
  readonly job: JobControl<PlainDocument>;
  /** The options in stored form. */
  readonly asked: StoredOptions;
}

/** A page of the earlier crawl. */
export interface EarlierPage {
  readonly version: PageVersion;
  /** The hash of its source. */
  readonly textHash: string | undefined;
  /** The part that is reused while the page is unchanged; undefined if it has to be fetched anew. */
  readonly kept?: KeptPage | undefined;
}

/** A page with its document or its source. */
interface KeptPage {
  readonly page: FoundPageFacts;
  readonly from: { readonly document: PlainDocument } | PageSource;
}

/** Hooks that change pages, and cannot be compared with the hooks of an earlier crawl. */
const changingHooks = ['beforeRequest', 'afterResponse', 'beforeFormats'] as const;

/** The pages of the earlier crawl, and the differences of the current pages. */
export class Recrawl {
  readonly #setting: RecrawlSetting;
  readonly #since: string;
  readonly #earlier: EarlierCrawl;
  readonly #documents: ReadonlySet<string>;
  /** One journal per round, the last one first. */
  readonly #visits: readonly Journal[];
  /** Why nothing of the earlier crawl is reused. */
  readonly #obstacle: string | undefined;
  readonly #changes: Record<keyof CrawlChanges, string[]> = {
    new: [],
    changed: [],
    same: [],
    removed: [],
  };
  #isPartial = false;

  /** Undefined for a crawl that does not start from another. Rejects like `readEarlierCrawl`. */
  static async open(setting: RecrawlSetting): Promise<Recrawl | undefined> {
    const { parts, job } = setting;
    const { since } = setting.settings;
    if (since === undefined) return undefined;
    const read = (): Promise<EarlierCrawl> =>
      readEarlierCrawl(parts.store, since, parts.clock.now());
    // The earlier one may have expired when this one is resumed.
    const earlier = await job.journal.answer('earlier', since, job.signal, read);
    return new Recrawl(setting, since, earlier);
  }

  private constructor(setting: RecrawlSetting, since: string, earlier: EarlierCrawl) {
    const { parts, settings, job, asked } = setting;
    this.#setting = setting;
    this.#since = since;
    this.#earlier = earlier;
    this.#documents = new Set(earlier.documents);
    const store = new JobStore(parts.store, since);
    const warn = (sentence: string): void => job.warn(sentence);
    const { retries = [] } = earlier;
    const reading = { isResumed: true, warn, fail: () => undefined };
    const rounds = [...retries].reverse();
    this.#visits = [...rounds, 0].map((round) => new Journal(store, { ...reading, round }));
    this.#obstacle = asksForTheSame(earlier.options, asked)
      ? obstacleIn(settings, parts.hooks)
      : 'this crawl requests other formats or content, or uses secrets or functions, which are not stored';
    if (this.#obstacle !== undefined) {
      job.warn(
        `Every page was fetched again, and none was reused from job ${since}: ${this.#obstacle}.`,
      );
    }
    job.tellChanges(this.#changes);
  }

  /** The page in the earlier crawl; undefined if that crawl did not read it. */
  async find(url: string): Promise<EarlierPage | undefined> {
    const visit = await this.#visitOf(url);
    const { page, noDocument, source } = visit?.facts ?? {};
    if (page?.version === undefined) {
      if (visit === undefined && this.#documents.has(url)) {
        const { job } = this.#setting;
        job.warn(`Pages of job ${this.#since} are missing from the store, and count as changed.`);
      }
      return undefined;
    }
    const { version } = page;
    const known = { version, textHash: version.textHash ?? page.textHash };
    if (!this.#mayKeep(page, version) || noDocument !== undefined) return known;
    try {
      const bytes = (await visit?.bytes?.()) ?? new Uint8Array();
      if (source === undefined) {
        return {
          ...known,
          kept: { page, from: { document: documentOf(bytes) as PlainDocument } },
        };
      }
      const snapshot = { ...source.snapshot, body: bytes };
      return { ...known, kept: { page, from: { ...source, snapshot } } };
    } catch {
      return known;
    }
  }

  #mayKeep({ isReady, linkRels }: FoundPageFacts, { mayStay }: PageVersion): boolean {
    const { parts, settings } = this.#setting;
    // Its removed blocks were learnt from pages that may have changed.
    if (this.#obstacle !== undefined || !mayStay) return false;
    if (isReady && settings.removeRepeatedBlocks) return false;
    return parts.hooks.transformLink.length === 0 || linkRels !== undefined;
  }

  /** Records a page that was read, in the order of the crawl, even if it does not become a document. */
  met(url: string, { statusCode, earlierStatus, isCut = false }: PageVersion): void {
    const wasThere = this.#wasThere(url, earlierStatus);
    const { removed } = this.#changes;
    // A failed page that is retried.
    if (wasThere && removed.includes(url)) removed.splice(removed.indexOf(url), 1);
    if (isGone(statusCode)) {
      if (wasThere) this.#changes.removed.push(url);
    } else if (statusCode >= 400 || isCut) this.#isPartial ||= wasThere;
  }

  /** A page became a document. */
  kept(url: string, version: Partial<PageVersion> = {}): void {
    const { statusCode = 200, isSame = false, isCut = false, earlierStatus } = version;
    if (statusCode >= 400 || isCut) return;
    if (!this.#wasThere(url, earlierStatus)) this.#changes.new.push(url);
    else this.#changes[isSame ? 'same' : 'changed'].push(url);
  }

  #wasThere(url: string, earlierStatus: number | undefined): boolean {
    return this.#documents.has(url) && !isGone(earlierStatus);
  }

  /** Records that a part of the site could not be read, unless the earlier crawl could not read it either. */
  missed(sentence: string): void {
    this.#isPartial ||= !this.#earlier.warnings.some((warning) => warning.includes(sentence));
  }

  /** Pages of the earlier crawl that no link leads to any more: change tracking visits them. */
  async hidden(): Promise<FrontierEntry[]> {
    if (everyVisitFormat(this.#setting.settings) === undefined || this.#hasGaps()) return [];
    const unmet = await this.#unmet();
    return unmet.map((url) => ({ url, depth: 0, parent: undefined, discoveredBy: 'since' }));
  }

  /** Ends a crawl that succeeded: pages it did not find are gone, if it read the whole site. */
  async end(): Promise<void> {
    const unmet = await this.#unmet();
    if (!this.#hasGaps()) this.#changes.removed.push(...unmet);
    else if (unmet.length > 0) {
      this.#setting.job.warn(
        `${unmet.length} pages of job ${this.#since} were not found, ${unmet[0] ?? ''} for one. They do not ` +
          'count as removed, since a limit ended this crawl, or a part of the site could not be read.',
      );
    }
  }

  /** Earlier pages that nothing led to. */
  async #unmet(): Promise<string[]> {
    const { ledger } = this.#setting.job;
    const unmet: string[] = [];
    for (const url of this.#earlier.documents) {
      if (ledger.has(url)) continue;
      const visit = await this.#visitOf(url);
      if (!isGone(visit?.facts.page?.version?.statusCode)) unmet.push(url);
    }
    return unmet;
  }

  /** The last visit of a page: a page that failed may have been retried. */
  async #visitOf(url: string): Promise<StoredValue<VisitFacts<FoundPageFacts>> | undefined> {
    for (const visits of this.#visits) {
      const visit = await visits.visit<VisitFacts<FoundPageFacts>>(url);
      if (visit !== undefined) return visit;
    }
    return undefined;
  }

  /** Existing pages may not have been found. */
  #hasGaps(): boolean {
    const { ledger } = this.#setting.job;
    const wasEnded = earlyEnds.some((reason) => ledger.tallyOf(reason) !== undefined);
    const hasFailed = ledger
      .list('failed')
      .some(({ url, statusCode }) => this.#documents.has(url) && !isGone(statusCode));
    return this.#isPartial || wasEnded || hasFailed;
  }
}

function obstacleIn(settings: CrawlSettings, hooks: HookLists): string | undefined {
  const hook = changingHooks.find((name) => hooks[name].length > 0);
  if (hook !== undefined) return `the hook ${hook} may change them`;
  const looking = everyVisitFormat(settings);
  if (looking !== undefined) return `the format ${looking} looks at each page`;
  const formats = settings.kindsOfPages().flatMap((page) => page.formats);
  const downloads = formats.find(({ uses }) => uses.downloads === true)?.format.name;
  return downloads && `${downloads} of pages are downloaded again`;
}

/** The name of a format that has to see each visit. */
function everyVisitFormat({ kindsOfPages }: CrawlSettings): string | undefined {
  const formats = kindsOfPages().flatMap((page) => page.formats);
  return formats.find(({ format }) => format.everyVisit === true)?.format.name;
}

// A page that has not changed since the earlier crawl: it is not read again.

/** The page of the earlier crawl, and the use of confirming that it is the same. */
export interface SamePage {
  readonly kept: KeptPage;
  /** The version, with the time of its confirmation. */
  readonly version: PageVersion;
  readonly use: Pick<Snapshot, 'requests' | 'bytes' | 'redirects'>;
}

/** The page's position in this crawl. */
interface PlaceInCrawl {
  readonly scrapeId: string;
  readonly costs: Costs;
  placed(document: PlainDocument): PlainDocument;
  /** Builds the document of a page that was stored without one. */
  read(
    stored: StoredValue<VisitFacts<object>>,
    repeated: ReadonlySet<number>,
  ): Promise<PlainDocument>;
}

/** The page as one of this crawl. */
export function samePage(
  { kept, version, use }: SamePage,
  place: PlaceInCrawl,
): VisitedPage<FoundPageFacts> {
  const { from } = kept;
  const { scrapeId } = place;
  const page = { ...kept.page, ...usageOf(use), version: sameVersion(version) };
  if ('document' in from) {
    const document = place.placed(withNewFacts(from.document, place));
    return { page, document: () => Promise.resolve(document) };
  }
  const { cacheState: _, cachedAt: __, ...facts } = from.facts;
  const source = { ...from, facts: { ...facts, scrapeId } };
  const { body, ...snapshot } = source.snapshot;
  const stored = {
    facts: { at: version.askedAt, source: { ...source, snapshot } },
    bytes: () => Promise.resolve(body),
  };
  return { page, source, document: (repeated) => place.read(stored, repeated) };
}

/** The document of an unchanged page in another job; no model is called again. */
function withNewFacts(
  document: PlainDocument,
  { scrapeId, costs }: Pick<PlaceInCrawl, 'scrapeId' | 'costs'>,
): PlainDocument {
  const { parentUrl: _, score: __, label: ___, data: ____, ...placed } = document.metadata;
  const { cacheState: _____, cachedAt: ______, modelUsage: _______, ...rest } = placed;
  const creditsUsed = fetchCredits(costs, rest);
  return { ...document, metadata: { ...rest, scrapeId, creditsUsed } };
}

// An ended crawl in the store: read only, for a crawl that starts from it.

/** The facts of an earlier crawl as a whole. */
interface EarlierCrawl {
  readonly options: StoredOptions;
  /** The URLs of its documents, in its order. */
  readonly documents: readonly string[];
  readonly warnings: readonly string[];
  /** The numbers of the rounds in which its failed pages were retried. @default [] */
  readonly retries?: readonly number[];
}

/**
 * Rejects with `JOB_NOT_FOUND` and `JOB_EXPIRED`, with `BAD_REQUEST` for a job that still runs, was left,
 * or is not a crawl, and with `STORAGE` when it is damaged.
 */
async function readEarlierCrawl(store: Store, id: string, now: number): Promise<EarlierCrawl> {
  const manifest = await readManifest(store, id);
  refuseExpired(manifest, now);
  if (manifest.verb !== 'crawl') throw wrongJob(`job ${id} is a batch; give the id of a crawl`);
  if (manifest.state === 'scraping') {
    throw wrongJob(`job ${id} has not ended; wait for it, or end it with client.jobs.resume()`);
  }
  const values = new JobStore(store, id);
  const { end, parts } = await readEnd(values, id);
  const rounds = await readRetries(values, () => undefined);
  const retries = rounds.map(({ number }) => number);
  const documents: string[] = [];
  for await (const { outcomes = [] } of parts()) {
    for (const { state, url } of outcomes) if (state === 'completed') documents.push(url);
  }
  return { options: manifest.options, documents, warnings: end.warnings, retries };
}

function wrongJob(message: string): ValidationError {
  return new ValidationError('crawl', [{ path: ['since'], message: `since: ${message}` }]);
}
