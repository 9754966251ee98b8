/** The visit of one page in an extraction, concurrent with others. */
import type { RecipeReport } from '../../extract/recipes/recipe.ts';
import type { CompiledSchema } from '../../extract/schema/compile-schema.ts';
import {
  json,
  jsonUses,
  noFindings,
  proveData,
  type ProvenData,
  readData,
} from '../../content/formats/json.ts';
import type { ModelUsage } from '../../extract/llm/model.ts';
import type { FetchMetadata } from '../model/document.ts';
import type { TaskPermit } from '../model/pace.ts';
import { headersForHop, plainHeaders, sharesHeaders } from '../http/network/credentials.ts';
import type { ExtractSettings } from '../options/extract-options.ts';
import type { PageSettings } from '../options/scrape-options.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import type { JobControl } from './job-status.ts';
import { httpStatusError } from './page-failure.ts';
import {
  type FailedVisit,
  fetchInJob,
  type PageUsage,
  type PageVisit,
  restoreOrFetch,
  type SentPage,
  usageOf,
  type VisitedPage,
  visitInJob,
  type VisitSetting,
} from './page-visit.ts';

/** The data of one page, and its cost. */
export interface PageOutcome extends PageUsage, ProvenData {
  /** Whether the page is a stored copy, and from when. */
  readonly age: Pick<FetchMetadata, 'cacheState' | 'cachedAt'>;
  readonly credits: number;
  readonly recipe: RecipeReport | undefined;
  /** Warnings about the page, if another process has visited it. */
  readonly warnings?: readonly string[];
}

/** The state shared by the visits of one extraction. */
export interface ExtractVisits extends VisitSetting {
  readonly job: VisitSetting['job'] & Pick<JobControl<unknown>, 'id' | 'warn'>;
  readonly settings: ExtractSettings;
  readonly schema: CompiledSchema | undefined;
  /** True for an extraction of a single page. */
  readonly isWhole: boolean;
  readonly use: (usage: ModelUsage) => void;
}

/** Never rejects. Must be called in page order. */
export async function visitExtractPage(
  work: ExtractVisits,
  url: string,
  permit: TaskPermit,
): Promise<PageOutcome | FailedVisit> {
  return visitInJob<PageOutcome | FailedVisit>(work, { url, permit }, async (visit) => {
    if (!work.job.journal.isStored) return fetchAndExtract(work, visit);
    const visited = await visitStored(work, visit);
    if (!('page' in visited)) {
      if (visited.usage !== undefined) work.job.use(visited.usage);
      return visited;
    }
    for (const warning of visited.page.warnings ?? []) work.job.warn(warning);
    return visited.page;
  });
}

/** The outcome of the page is stored with its visit; there is no document. */
export function visitStored(
  work: ExtractVisits,
  visit: PageVisit,
): Promise<VisitedPage<PageOutcome> | FailedVisit> {
  const { settings, isWhole, job } = work;
  const sent = (): SentPage => ({
    jobId: job.id,
    page: { isWhole },
    needsModel: settings.choice.asksModel,
    request: { ...pageSettings(settings, visit.url), pace: { job: settings } },
  });
  return restoreOrFetch<PageOutcome>(work, visit, sent, async () => {
    const warnings: string[] = [];
    const warn = (sentence: string): void => void warnings.push(sentence);
    const page = {
      ...(await fetchAndExtract({ ...work, job: { ...job, warn } }, visit)),
      warnings,
    };
    const document = { metadata: { creditsUsed: page.credits } } as PlainDocument;
    return { page, document: () => Promise.resolve(document) };
  });
}

/** Rejects when the page fails, or is an error page. */
async function fetchAndExtract(work: ExtractVisits, visit: PageVisit): Promise<PageOutcome> {
  const { settings, schema, isWhole, job } = work;
  const { provenance, unverified, onPartial } = settings;
  const { url } = visit;
  const asked = {
    ...pageSettings(settings, url),
    sourceUrl: url,
    url,
    pace: { job: settings },
    visitor: settings,
    refusalsArePages: true,
  };
  return fetchInJob(work, visit, asked, async (page, request) => {
    const usage = usageOf(page.snapshot);
    const { requests, received: bytes, browserMs } = usage;
    job.use({ requests, bytes, browserMs });
    const { statusCode, url: finalUrl } = page.snapshot;
    if (statusCode >= 400) {
      throw httpStatusError(url, { statusCode, finalUrl }, 'No data is taken from an error page.');
    }
    const { extraction } = noFindings;
    let data: ProvenData & Pick<PageOutcome, 'recipe'> = {
      extraction,
      provenance: undefined,
      removed: [],
      recipe: undefined,
    };
    const options = { ...settings.choice, schema, provenance, unverified };
    const format: typeof json = {
      ...json,
      // Not validated: the data of all pages is merged first.
      finish: async (_, __, given) => {
        const warn = (sentence: string): void => job.warn(`${url}: ${sentence}`);
        const context = { ...given, url, warn, use: work.use };
        const read = await readData(options, context, { isWhole, onPartial });
        const proven = await proveData(read.extraction, options, context);
        data = { ...proven, recipe: read.report };
      },
    };
    const { document } = await page.read({
      formats: [...request.formats, { format, options, uses: jsonUses(options) }],
      finishesHooked: true,
    });
    const { creditsUsed: credits, cacheState, cachedAt } = document.metadata;
    const age = {
      ...(cacheState === undefined ? {} : { cacheState }),
      ...(cachedAt === undefined ? {} : { cachedAt }),
    };
    return { ...usage, ...data, age, credits };
  });
}

/** The settings of one page. On origins that the caller did not name it is requested without the caller's headers. */
export function pageSettings({ page, targets }: ExtractSettings, url: string): PageSettings {
  const { headers, redirectCredentials: scope = 'same-origin' } = page;
  if (targets.some((target) => target.url === url)) return page;
  const to = new URL(url);
  const sites = targets.filter(({ below }) => below).map((target) => new URL(target.url));
  const from = sites.find((site) => sharesHeaders(site, to, scope));
  const sent = from ? headersForHop(headers, from, to, scope) : plainHeaders(headers);
  return { ...page, headers: sent };
}
