/** What a client can do: the verbs with their types. */
import type { Format } from '../formats/format.ts';
import type { Document, FormatInput } from '../formats/index.ts';
import type { Recipe } from '../formats/json/recipes/recipe.ts';
import type { InferSchema, SchemaInput } from '../formats/json/schema.ts';
import type { BatchJob } from '../jobs/batch-job.ts';
import type { ExtractJob } from '../jobs/extract-job.ts';
import type { Job } from '../jobs/job.ts';
import type { MapResult } from '../map.ts';
import type { PageVersion } from '../formats/change-tracking/read-history.ts';
import type { BatchOptions } from '../options/batch-options.ts';
import type { ChangesOptions } from '../options/changes-options.ts';
import type { CrawlOptions } from '../options/crawl-options.ts';
import type { DerivedCrawlOptions } from '../options/derived-crawl-options.ts';
import type { ExtractOptions } from '../options/extract-options.ts';
import type { MapOptions } from '../options/map-options.ts';
import type { PreviewOptions } from '../options/preview-options.ts';
import type { ResumeOptions } from '../options/resume-options.ts';
import type { ScrapeOptions } from '../options/scrape-options.ts';
import type { ContentDescription, HtmlInput } from '../options/scrape-target.ts';
import type { CrawlPlan } from '../plan.ts';
import type { StoredJob } from './stored-jobs.ts';

/** The verbs, bound to one configuration. `Custom` are the formats registered with the client. */
export interface Client<Custom extends readonly Format[] = readonly []> extends AsyncDisposable {
  /**
   * One page to a document with exactly the formats asked for, plus metadata.
   *
   * A response with a body is a document whatever its status; no response, or a page that cannot
   * be read, rejects with a `PagewrightError`. `{ html, url }` is read without any request.
   *
   * @example const { markdown } = await scrape('https://example.com');
   */
  scrape<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    target: string | URL | HtmlInput,
    options?: ScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * Content that you already hold, through the same pipeline: no socket is opened.
   *
   * @example const { markdown } = await parse(await readFile('page.html'), { contentType: 'text/html' });
   */
  parse<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    content: Uint8Array | ArrayBuffer | string,
    options?: ContentDescription & ScrapeOptions<Inputs, Custom>,
  ): Promise<Document<Inputs, Custom>>;

  /**
   * The pages of a site, as a job that starts at once: await it for everything, iterate it for
   * pages as they come. Wrong options throw at once.
   *
   * @example for await (const page of crawl('https://example.com/docs/', { limit: 50 })) { … }
   */
  crawl<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    url: string | URL,
    options?: CrawlOptions<Inputs, Custom>,
  ): Job<Document<Inputs, Custom>>;

  /**
   * Which pages `crawl` would keep with these options, in its order, and what it would leave out and
   * why. Pages are fetched for their links, since nothing else tells which pages there are; no formats
   * are made, nothing is stored, no webhook is called. `budget` counts what planning uses.
   *
   * @example const { pages, skipped } = await plan('https://example.com/docs/', { limit: 50 });
   */
  plan<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    url: string | URL,
    options?: CrawlOptions<Inputs, Custom>,
  ): Promise<CrawlPlan>;

  /**
   * The pages of a list of URLs, as a job that starts at once: its documents are in the order of the
   * list, whatever the timing. A page that fails is among the job's `errors()`, what is no URL among its
   * `invalidURLs`; a URL that is given twice is one document. Wrong options throw at once.
   *
   * @example const { data } = await batchScrape(['https://example.com/a', 'https://example.com/b']);
   */
  batchScrape<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    urls: readonly (string | URL)[],
    options?: BatchOptions<Inputs, Custom>,
  ): BatchJob<Document<Inputs, Custom>>;

  /**
   * The options of a crawl that the client's model makes of a sentence, which `crawl(url, { prompt })`
   * would use: the site's URLs are looked at (its start page, robots.txt and sitemaps are fetched), no
   * page is crawled. Rejects with `MODEL_REQUIRED` without a model, with `MODEL_FAILED` when it makes
   * none of the sentence.
   *
   * @example
   * const options = await client.previewCrawl('https://example.com', 'the API docs, 50 pages at most');
   * const job = client.crawl('https://example.com', options);
   */
  previewCrawl(
    url: string | URL,
    prompt: string,
    options?: PreviewOptions,
  ): Promise<DerivedCrawlOptions>;

  /**
   * The URLs of a site, from its sitemaps, feeds and links, without reading every page.
   *
   * @example const { links } = await map('https://example.com', { limit: 500 });
   */
  map(url: string | URL, options?: MapOptions): Promise<MapResult>;

  /**
   * Data that fits a schema, a prompt or both, from one or many pages. Without a model it is found by
   * selectors in the schema, JSON-LD, microdata, RDFa, OpenGraph, tables and definition lists; the model
   * of `createClient({ model })` reads the pages' text. Nothing is made up.
   *
   * @example const { data } = await extract({ urls: ['https://example.com/lamp'], schema: z.object({ name: z.string(), price: z.number() }) });
   */
  extract<
    const Schema extends SchemaInput | undefined = undefined,
    const Proven extends boolean = false,
  >(
    options: ExtractOptions<Schema, Custom, Proven>,
  ): ExtractJob<Schema extends SchemaInput ? InferSchema<Schema> : unknown, Proven>;

  /**
   * The versions of a page that change tracking has seen, the oldest first, from the client's `storage`.
   * Rejects with `STORAGE` when they cannot be read.
   *
   * @example const [newest] = (await client.changes('https://example.com/terms')).reverse();
   */
  changes(url: string | URL, options?: ChangesOptions): Promise<PageVersion[]>;

  /**
   * The recipes that were learned with `recipe: 'learn'` and are in the client's `storage`, of one page's
   * host or of all: plain JSON to review, commit and hand over as `recipe`.
   *
   * @example await writeFile('recipes.json', JSON.stringify(await client.recipes(), null, 2));
   */
  recipes(url?: string | URL): Promise<Recipe[]>;

  /** Removes a recipe from the client's `storage`; false when there is none of that `id`. */
  removeRecipe(id: string): Promise<boolean>;

  /**
   * Goes on with a crawl or batch of the client's `storage`, whichever process began it: pages that it has
   * are not fetched again, documents are the same. One that has ended is opened with its results. A loop
   * goes on behind the last document that a loop was done with; `await` gives all. Rejects when it is
   * awaited or read: `JOB_NOT_FOUND`, `JOB_EXPIRED`, `BAD_REQUEST` for options that differ or are missing,
   * `STORAGE` when another process runs it. The formats are those of the job: name them for their types.
   *
   * @example for await (const page of client.resume<['markdown', 'links']>(id)) { … }
   */
  resume<const Inputs extends readonly FormatInput<Custom>[] = readonly ['markdown']>(
    id: string,
    options?: ResumeOptions<Inputs, Custom>,
  ): Job<Document<Inputs, Custom>> | BatchJob<Document<Inputs, Custom>>;

  /** The crawls and batches of the client's `storage` that have not expired, the oldest first. */
  storedJobs(): Promise<StoredJob[]>;

  /**
   * A crawl, batch or extraction of this client by its id. A batch is the one that has `add`, an extraction
   * the one without `explain`. Throws `JOB_NOT_FOUND`, and `JOB_EXPIRED` when its results are gone:
   * `jobRetention` after its end.
   */
  job(id: string): ClientJob<Custom>;
  /** All crawls, batches and extractions of this client that have not expired, the oldest first. */
  jobs(): ClientJob<Custom>[];
  /**
   * Ends what runs and releases every socket and thread; nothing of the client keeps the process alive.
   * Jobs in a `storage` can be resumed.
   */
  close(): Promise<void>;
}

/** The formats of its documents, or the type of its data, are known only where the job was started. */
type ClientJob<Custom extends readonly Format[]> =
  | Job<Document<readonly FormatInput<Custom>[], Custom>>
  | BatchJob<Document<readonly FormatInput<Custom>[], Custom>>
  | ExtractJob<unknown, boolean>;
