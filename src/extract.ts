/** extract(): data that fits a schema, from one or many pages. */
import { ExtractError, PagewrightError } from './errors.ts';
import type { PageExtraction } from './formats/json/index.ts';
import { mergeExtractions } from './formats/json/merge.ts';
import { type LeafOrigin, mergeProvenance } from './formats/json/provenance/merge-provenance.ts';
import type { Provenance, QuotedPage } from './formats/json/provenance/provenance.ts';
import { verifies } from './formats/json/provenance/provenance-options.ts';
import type { CompiledSchema } from './formats/json/schema.ts';
import type { Extraction } from './jobs/extract-job.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import { failureOf } from './jobs/page-failure.ts';
import { mapSite } from './map.ts';
import type { PageFailure } from './model/job.ts';
import type { Ticket } from './model/pace.ts';
import type { ExtractSettings, ExtractTarget } from './options/extract-options.ts';
import type { Parts } from './parts.ts';
import { runPipeline } from './pipeline.ts';
import { pathScope } from './url/path-scope.ts';

/** What one page gave. */
type Reading =
  | {
      readonly extraction: PageExtraction;
      readonly provenance: Provenance | undefined;
      readonly removed: readonly string[];
      readonly credits: number;
    }
  | { readonly error: unknown };

/** The work of an extraction. */
export async function runExtract(
  parts: Parts,
  settings: ExtractSettings,
  signal: AbortSignal,
): Promise<Extraction<unknown>> {
  const schema = await settings.schema;
  const { urls, warnings } = await resolveTargets(parts, settings, signal);
  const read: { url: string; extraction: PageExtraction }[] = [];
  const proven = new Map<string, Provenance>();
  const errors: PageFailure[] = [];
  let firstError: unknown;
  let creditsUsed = 0;
  const queue = [...urls];

  await runOrdered<string, Reading>({
    concurrency: settings.maxConcurrency,
    signal,
    mayStart: () => true,
    next: () => Promise.resolve(queue.shift()),
    takesSlots: true,
    run: (url, ticket) =>
      readPage(parts, settings, schema, { url, ticket, signal }).catch((error: unknown) => ({
        error,
      })),
    commit: (url, reading) => {
      if ('error' in reading) {
        firstError ??= reading.error;
        errors.push(failureOf({ url }, reading.error, parts.clock.now()));
      } else {
        creditsUsed += reading.credits;
        read.push({ url, extraction: reading.extraction });
        if (reading.provenance !== undefined) proven.set(url, reading.provenance);
        if (reading.removed.length > 0) warnings.add(leftOut(url, reading.removed));
      }
      return Promise.resolve();
    },
  });
  signal.throwIfAborted();
  if (read.length === 0 && firstError !== undefined) throw firstError;

  const origins = new Map<string, readonly LeafOrigin[]>();
  const merged = mergeExtractions(read, schema.jsonSchema, origins);
  const found = Object.keys(merged.sources).length;
  if (found === 0) throw nothingFound(urls);
  const checked = await schema.validate(merged.value);
  if ('issues' in checked) {
    throw new ExtractError(
      `The data found on ${urls.length} page(s) does not fit the schema: ` +
        `${checked.issues.map((issue) => issue.message).join('; ')}. ` +
        'Add x-selector to these properties, or make them optional.',
      checked.issues,
    );
  }
  const notFound = missingEverywhere(read.map(({ extraction }) => extraction));
  const warning = [...warnings].join(' ');
  return {
    data: checked.value,
    sources: merged.sources,
    conflicts: merged.conflicts,
    notFound,
    errors,
    creditsUsed,
    ...(settings.provenance ? { provenance: mergeProvenance(origins, proven) } : {}),
    ...(warning === '' ? {} : { warning }),
  };
}

/** A URL that ends in `/*` becomes the pages below it. */
async function resolveTargets(
  parts: Parts,
  settings: ExtractSettings,
  signal: AbortSignal,
): Promise<{ urls: string[]; warnings: Set<string> }> {
  const urls = new Set<string>();
  const warnings = new Set<string>();
  for (const target of settings.targets) {
    if (!target.below) {
      urls.add(target.url);
      continue;
    }
    const { links, warning } = await mapBelow(parts, settings, target, signal);
    for (const url of links) urls.add(url);
    if (warning !== undefined) warnings.add(warning);
  }
  return { urls: [...urls], warnings };
}

async function mapBelow(
  parts: Parts,
  settings: ExtractSettings,
  target: ExtractTarget,
  signal: AbortSignal,
): Promise<{ links: string[]; warning?: string | undefined }> {
  const covers = pathScope(new URL(target.url));
  const { links, warning } = await mapSite(parts, {
    url: target.url,
    limit: settings.limit,
    sitemap: settings.ignoreSitemap ? 'skip' : 'include',
    includeSubdomains: settings.includeSubdomains,
    ignoreQueryParameters: false,
    include: [{ source: `${target.url}*`, matches: covers }],
    exclude: [],
    allowExternalLinks: false,
    maxDiscoveryDepth: undefined,
    search: undefined,
    pageSettings: () => settings.page,
    timeout: 60_000,
    signal,
  });
  const open = links.filter(({ blockedByRobots }) => blockedByRobots !== true);
  return { links: open.map(({ url }) => url), warning };
}

async function readPage(
  parts: Parts,
  settings: ExtractSettings,
  schema: CompiledSchema,
  { url, ticket, signal }: { url: string; ticket: Ticket; signal: AbortSignal },
): Promise<Reading> {
  const pace = { job: settings, ticket };
  // Before the page's own time begins, and without a slot until the host is ready.
  using turn = await parts.hosts.turn(url, { ...pace, signal });
  const { document, reading } = await runPipeline(
    parts,
    { ...settings.page, sourceUrl: url, url, pace: { ...pace, turn }, visitor: settings, signal },
    { schema: schema.jsonSchema },
  );
  const { extraction } = reading;
  const { statusCode, error, creditsUsed } = document.metadata;
  if (statusCode >= 400 || extraction === undefined) {
    throw new PagewrightError(
      'UNSUPPORTED_CONTENT',
      `${url} answered ${error ?? statusCode}: nothing is taken from an error page.`,
      { url },
    );
  }
  const markdown = document['markdown'];
  const { provenance, removed, ...proven } = await provePage(extraction, schema, settings, {
    url,
    markdown: typeof markdown === 'string' ? markdown : '',
    language: document.metadata.language,
  });
  return { ...proven, provenance, removed, credits: creditsUsed };
}

/** Each page's own values are looked up on it, before the pages are merged. */
async function provePage(
  extraction: PageExtraction,
  { jsonSchema }: CompiledSchema,
  settings: ExtractSettings,
  page: QuotedPage,
): Promise<
  Pick<Extract<Reading, { extraction: unknown }>, 'extraction' | 'provenance' | 'removed'>
> {
  if (!verifies(settings)) return { extraction, provenance: undefined, removed: [] };
  const { proveExtraction } = await import('./formats/json/provenance/prove-extraction.ts');
  return proveExtraction(extraction, jsonSchema, page, settings.unverified);
}

function leftOut(url: string, removed: readonly string[]): string {
  const more = removed.length > 20 ? ` and ${removed.length - 20} more` : '';
  return `Not verified on ${url}, and left out: ${removed.slice(0, 20).join(', ')}${more}.`;
}

function missingEverywhere(extractions: readonly PageExtraction[]): string[] {
  const [first, ...rest] = extractions.map(({ notFound }) => notFound);
  return (first ?? []).filter((path) => rest.every((paths) => paths.includes(path)));
}

function nothingFound(urls: readonly string[]): ExtractError {
  return new ExtractError(
    `Nothing of the schema was found on ${urls.slice(0, 3).join(', ')}${urls.length > 3 ? ', …' : ''}. ` +
      'Add x-selector to its properties, or name them as the page does.',
    [],
  );
}
