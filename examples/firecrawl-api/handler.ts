// The HTTP API of Firecrawl v2, as one function from a request to its response, over a client of pagewright.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Firecrawl, type PageClient, SdkError } from 'pagewright/firecrawl';

export interface ApiOptions {
  /** Its network policy, limits, model, search engine and storage are those of all callers. */
  readonly client: PageClient;
  /** The keys of the callers. Each of them sees its own jobs only. */
  readonly keys: readonly string[];
  /** The address in links, such as https://pages.example.com. @default that of the request */
  readonly publicUrl?: string | undefined;
  /** Calls and jobs that one key may have at a time. @default 20 */
  readonly maxActive?: number;
  /** Bytes of a request's body. @default 20_000_000 */
  readonly maxBytes?: number;
}

export function firecrawlApi(options: ApiOptions): (request: Request) => Promise<Response> {
  const { client, keys, publicUrl, maxActive = 20, maxBytes = 20_000_000 } = options;
  if (keys.length === 0 || keys.some((key) => key.length < 16)) {
    throw new TypeError('keys: expected at least one key, of 16 characters or more');
  }
  const accounts = keys.map((key) => openAccount(client, key));

  const answer = async (request: Request): Promise<object> => {
    const { method, headers, signal } = request;
    const account = accountOf(accounts, headers);
    const { origin, pathname, searchParams: query } = new URL(request.url);
    const [id = ''] = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(pathname) ?? [];
    const name = `${method} ${id === '' ? pathname : pathname.replace(id, ':id')}`;
    const [run, names = ''] = (Object.hasOwn(routes, name) ? routes[name] : undefined) ?? [];
    if (run === undefined) throw new SdkError(`${name} is not served here.`, 404, 'NOT_FOUND');
    const link = (path: string): string => new URL(path, publicUrl ?? origin).href;
    const call = { app: account.app, id, query, headers, signal, link };
    if (method !== 'POST') return run({ ...call, given: {} });
    if (account.active >= maxActive) {
      const message = `This key has ${maxActive} calls and jobs: wait until one of them has ended.`;
      throw new SdkError(message, 429, 'RATE_LIMITED');
    }
    account.active += 1;
    try {
      const given = await parametersOf(request, maxBytes);
      refuseUnknown(given, names);
      return await run({ ...call, given });
    } finally {
      account.active -= 1;
    }
  };
  return (request) =>
    answer(request).then((result) => Response.json({ success: true, ...result }), failure);
}

// The calls.

/** Parameters of a body: the class checks their values. */
type Given = Readonly<Record<string, never>>;

/** A request that was let in. */
interface Call extends Pick<Request, 'headers' | 'signal'> {
  readonly app: Firecrawl;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly given: Given;
  link(path: string): string;
}

/** A call, and the parameters that it takes. Further options of pagewright could load modules, or read jobs of others. */
type Route = readonly [run: (call: Call) => Promise<object>, names?: string];

const everywhere = 'origin integration auditMetadata threatProtection domainTools toolDetail';
const page = `formats headers includeTags excludeTags onlyMainContent timeout waitFor mobile parsers actions location
  skipTlsVerification removeBase64Images fastMode useMock blockAds proxy maxAge minAge storeInCache lockdown redactPII`;
const ofJobs = 'webhook ignoreInvalidURLs maxConcurrency zeroDataRetention';

const routes: Readonly<Record<string, Route>> = {
  ...jobRoutes('crawl'),
  ...jobRoutes('batch/scrape'),
  'POST /v2/scrape': [
    async ({ app, given: { url = '', ...options }, signal }) => {
      return { data: await app.scrape(url, { ...options, signal }) };
    },
    `url zeroDataRetention ${page}`,
  ],
  'POST /v2/parse': [
    async ({ app, given: { file = { data: '', filename: '' }, ...options }, signal }) => {
      return { data: await app.parse(file, { ...options, signal }) };
    },
    `file zeroDataRetention ${page}`,
  ],
  'POST /v2/crawl': [
    async ({ app, given: { url = '', ...options }, link }) => {
      const { id } = await app.startCrawl(url, options);
      return { id, url: link(`/v2/crawl/${id}`) };
    },
    `url prompt excludePaths includePaths maxDiscoveryDepth sitemap ignoreQueryParameters deduplicateSimilarURLs limit
     crawlEntireDomain allowExternalLinks allowSubdomains ignoreRobotsTxt robotsUserAgent delay regexOnFullURL
     scrapeOptions ${ofJobs}`,
  ],
  'GET /v2/crawl/active': [({ app }) => app.getActiveCrawls()],
  'POST /v2/crawl/params-preview': [
    async ({ app, given: { url = '', prompt = '' } }) => {
      return { data: await app.crawlParamsPreview(url, prompt) };
    },
    'url prompt',
  ],
  'POST /v2/batch/scrape': [
    async ({ app, given: { urls = [], ...options }, headers, link }) => {
      const idempotencyKey = headers.get('x-idempotency-key') ?? undefined;
      const batch = await app.startBatchScrape(urls, { ...options, idempotencyKey });
      return { ...batch, url: link(`/v2/batch/scrape/${batch.id}`) };
    },
    `urls appendToId ${ofJobs} ${page}`,
  ],
  'POST /v2/map': [
    ({ app, given: { url = '', ...options }, signal }) => app.map(url, { ...options, signal }),
    'url search sitemap includeSubdomains ignoreQueryParameters limit timeout location',
  ],
  'POST /v2/search': [
    async ({ app, given: { query = '', ...options }, signal }) => {
      const { warning, ...data } = await app.search(query, { ...options, signal });
      return { data, warning };
    },
    `query sources categories includeDomains excludeDomains limit tbs location country ignoreInvalidURLs timeout
     highlights enterprise scrapeOptions`,
  ],
  'POST /v2/extract': [
    ({ app, given }) => app.startExtract(given),
    `urls prompt schema systemPrompt allowExternalLinks enableWebSearch showSources agent scrapeOptions webhook
     ignoreInvalidURLs`,
  ],
  'GET /v2/extract/:id': [({ app, id }) => app.getExtractStatus(id)],
};

function jobRoutes(kind: 'crawl' | 'batch/scrape'): Record<string, Route> {
  const status: Route[0] = async ({ app, id, query, link }) => {
    const [skip, limit] = [Number(query.get('skip')), Number(query.get('limit') ?? 100)];
    if (!(skip >= 0 && limit >= 1 && [skip, limit].every(Number.isSafeInteger))) {
      throw new SdkError('skip and limit: expected integers from 0 and 1', 400, 'BAD_REQUEST');
    }
    const part = await app.getCrawlStatus(id, { autoPaginate: false, skip });
    const data = part.data.slice(0, limit);
    // Without further documents, a job that runs is asked for its status again, and not for the next ones.
    const hasNext = data.length < part.data.length || (part.next !== null && data.length > 0);
    const next = link(`/v2/${kind}/${id}?skip=${skip + data.length}&limit=${limit}`);
    return { ...part, data, next: hasNext ? next : undefined };
  };
  const cancel: Route[0] = async ({ app, id }) => {
    const isCancelled = await app.cancelCrawl(id);
    return { status: isCancelled ? 'cancelled' : (await app.getCrawlStatus(id)).status };
  };
  return {
    [`GET /v2/${kind}/:id`]: [status],
    [`DELETE /v2/${kind}/:id`]: [cancel],
    [`GET /v2/${kind}/:id/errors`]: [({ app, id }) => app.getCrawlErrors(id)],
  };
}

type Account = ReturnType<typeof openAccount>;

/** The app of a key works on a client that knows the jobs of that key alone; `active` counts what has not ended. */
function openAccount(client: PageClient, key: string) {
  const jobs = new Set<string>();
  const own = <Job extends { readonly id: string; delivered(): Promise<void> }>(job: Job): Job => {
    jobs.add(job.id);
    const [oldest = ''] = jobs;
    if (jobs.size > 10_000) jobs.delete(oldest);
    account.active += 1;
    void job.delivered().then(() => (account.active -= 1));
    return job;
  };
  const ofKey: PageClient = {
    scrape: (...given) => client.scrape(...given),
    parse: (...given) => client.parse(...given),
    map: (...given) => client.map(...given),
    search: (...given) => client.search(...given),
    previewCrawl: (...given) => client.previewCrawl(...given),
    crawl: (...given) => own(client.crawl(...given)),
    batchScrape: (...given) => own(client.batchScrape(...given)),
    extract: (...given) => own(client.extract(...given)),
    jobs: {
      get(id) {
        if (jobs.has(id)) return client.jobs.get(id);
        throw new SdkError(`There is no job ${id}.`, 404, 'JOB_NOT_FOUND');
      },
      list: async () => (await client.jobs.list()).filter(({ id }) => jobs.has(id)),
    },
    close: () => Promise.resolve(),
  };
  const account = { digest: digestOf(key), app: new Firecrawl({ client: ofKey }), active: 0 };
  return account;
}

function accountOf(accounts: readonly Account[], headers: Headers): Account {
  const [, key = ''] = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const digest = digestOf(key);
  // All are compared, in constant time: it tells nothing of the keys.
  const [account] = accounts.filter((one) => timingSafeEqual(one.digest, digest));
  if (account !== undefined) return account;
  throw new SdkError('Unauthorized: send a key, Authorization: Bearer <key>.', 401, 'UNAUTHORIZED');
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** JSON, or a form with a file. */
async function parametersOf({ body, headers }: Request, maxBytes: number): Promise<Given> {
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  for await (const chunk of body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new SdkError(`The body exceeds ${maxBytes} bytes.`, 413, 'BODY_TOO_LARGE');
    chunks.push(chunk);
  }
  const type = headers.get('content-type') ?? '';
  const read = new Response(Buffer.concat(chunks), { headers: { 'content-type': type } });
  try {
    if (!type.startsWith('multipart/form-data')) return { ...((await read.json()) as Given) };
    const form = await read.formData();
    const [data, options] = [form.get('file') as File, form.get('options') as string | null];
    const file = { data, filename: data.name } as never;
    return { ...(JSON.parse(options ?? '{}') as Given), file };
  } catch {
    const message = 'The body is neither a JSON object nor a form with a file and options.';
    throw new SdkError(message, 400, 'BAD_REQUEST_INVALID_JSON');
  }
}

function refuseUnknown(given: Given, names: string): void {
  const unknown = (values: object, known: string): string[] =>
    Object.keys(values).filter((name) => !`${known} ${everywhere}`.split(/\s+/).includes(name));
  const nested = Object(given['scrapeOptions']) as object;
  const [name] = [...unknown(given, names), ...unknown(nested, page)];
  if (name === undefined) return;
  const message = `Unrecognized key in the body: ${name}`;
  throw new SdkError(message, 400, 'BAD_REQUEST', [{ path: [name], message }]);
}

function failure(error: unknown): Response {
  const isKnown = error instanceof SdkError;
  const known = isKnown ? error : new SdkError('Something failed; the log says what.');
  if (!isKnown) console.error(error);
  const { status: meant = 500, code = 'UNKNOWN_ERROR', details, message } = known;
  // A parameter that is not available here is a mistake of the request.
  const status = meant === 501 ? 400 : meant;
  const headers = new Headers();
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (status === 429) headers.set('retry-after', '5');
  return Response.json({ success: false, error: message, code, details }, { status, headers });
}
