/** createClient(): one isolated set of parts with the verbs bound to it; and the default client. */
import { randomInt } from 'node:crypto';
import { BoundClient } from './client/bound-client.ts';
import type { Client } from './client/client.ts';
import { quietLogger } from './client/quiet-logger.ts';
import { identifier } from './cache/identity.ts';
import { openCache } from './cache/open-cache.ts';
import { browserEngine } from './engines/browser.ts';
import { httpEngine } from './engines/http.ts';
import { openModelNetwork } from './engines/http/model-network.ts';
import { openPoster } from './engines/http/post.ts';
import { stealthEngine } from './engines/stealth.ts';
import { HostHealth } from './fetching/host-health.ts';
import type { Format } from './formats/format.ts';
import { RecipeBook } from './formats/json/recipes/recipe-book.ts';
import { hookLists } from './hooks/hook-lists.ts';
import { createModel } from './llm/create-model.ts';
import { costsFrom } from './model/costs.ts';
import { defaultLimits } from './network/limits.ts';
import { createNetworkPolicy } from './network/policy.ts';
import { clientEngines } from './options/client-engines.ts';
import { defaultConcurrency } from './options/concurrency.ts';
import { type ClientOptions, parseClientOptions } from './options/client-options.ts';
import type { Parts } from './parts.ts';
import { ThreadsOnDemand } from './reading/threads-on-demand.ts';
import { readOcr } from './ocr/read-ocr.ts';
import { createProxy } from './proxies/create-proxy.ts';
import { checkedStore } from './storage/checked-store.ts';
import { memoryRequestQueue } from './storage/memory-request-queue.ts';
import { memoryStore } from './storage/memory-store.ts';
import { openVault } from './storage/vault.ts';

export type { Client };

/** Milliseconds that results are kept unless the caller says otherwise. */
const defaultRetention = 24 * 60 * 60 * 1000;

/** The User-Agent header unless the caller sets one. */
const defaultUserAgent = 'Mozilla/5.0 (compatible; pagewright/0.1)';

/** Makes a client that shares nothing with any other. */
export function createClient<const Custom extends readonly Format[] = readonly []>(
  options: ClientOptions<Custom> = {},
): Client<Custom> {
  const checked = parseClientOptions(options);
  const closing = new AbortController();
  const userAgent = checked.userAgent ?? defaultUserAgent;
  const storage = checked.storage && checkedStore(checked.storage);
  const store = storage ?? memoryStore();
  const vault = checked.secret === undefined ? undefined : openVault(checked.secret);
  const policy = createNetworkPolicy(checked.network);
  const logger = quietLogger(
    checked.logger ?? {
      warn: (message) => process.emitWarning(message, 'PagewrightWarning'),
    },
  );
  const ownEngines = [
    httpEngine({ policy, userAgent, tls: checked.tls }),
    stealthEngine({ policy, client: checked.stealth ?? 'got-scraping', tls: checked.tls }),
    ...(checked.browser === false
      ? []
      : [
          browserEngine({
            ...checked.browser,
            ...{ policy, userAgent: checked.userAgent, store, vault },
            isTrusted: checked.network?.trustBrowser === true,
            warn: (sentence) => logger.warn(sentence),
          }),
        ]),
  ];
  const clock = checked.clock ?? { now: Date.now, random: secureRandom };
  const limits = { ...defaultLimits, ...checked.limits };
  const { headerBytes } = limits;
  const concurrency = {
    maxConcurrency: checked.maxConcurrency ?? defaultConcurrency.maxConcurrency,
    maxConcurrencyPerHost:
      checked.maxConcurrencyPerHost ?? defaultConcurrency.maxConcurrencyPerHost,
  };
  const posting = { policy, userAgent, tls: checked.tls, headerBytes };
  const ocr = checked.ocr === undefined ? undefined : readOcr(checked.ocr);
  const modelNetwork = openModelNetwork(posting, clock);
  const engines = clientEngines(checked.engines, ownEngines);
  const names = engines.map(({ name }) => name);
  const parts: Parts = {
    engines,
    cache: openCache(checked.cache, {
      ...{ storage, now: () => clock.now() },
      isRendering: (name) =>
        engines.find((engine) => engine.name === name)?.can.has('render') === true,
      scope: [userAgent, names, checked.network, checked.stealth, clientCertificate(checked.tls)],
    }),
    parsers: checked.parsers ?? [],
    formats: checked.formats ?? [],
    actions: checked.actions ?? [],
    store,
    keepsJobs: checked.storage !== undefined,
    requestQueue: checked.requestQueue ?? (() => memoryRequestQueue()),
    limits,
    openPoster: () => openPoster(posting),
    userAgent,
    logger,
    threads: new ThreadsOnDemand((sentence) => logger.warn(sentence)),
    clock,
    model: checked.model === undefined ? undefined : createModel(checked.model, modelNetwork),
    ocr,
    costs: costsFrom(checked.costs),
    proxy:
      checked.proxy === undefined
        ? undefined
        : createProxy(checked.proxy, { now: () => clock.now() }),
    vault,
    identify: identifier(checked.secret, clientCertificate(checked.tls)),
    recipes: new RecipeBook(store, clock),
    assets: checked.assets,
    hooks: hookLists(checked.hooks),
    hosts: new HostHealth(undefined, concurrency),
    concurrency,
    signal: closing.signal,
  };
  const retention = checked.jobRetention ?? defaultRetention;
  return new BoundClient(
    parts,
    [
      ...ownEngines,
      modelNetwork,
      { dispose: async () => ocr?.close?.() },
      // Last: what ends before may still be stored.
      { dispose: async () => storage?.release?.() },
    ],
    closing,
    retention,
  ) as unknown as Client<Custom>;
}

/** What servers know the client by; authorities say nothing of it. */
function clientCertificate(tls: ClientOptions['tls']): unknown {
  return tls?.cert === undefined && tls?.pfx === undefined ? undefined : [tls.cert, tls.pfx];
}

/** Ids must not be guessed. */
function secureRandom(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}

let shared: Client | undefined;

/** The client of the top-level verbs, made at their first use: no configuration, public addresses only. */
function defaultClient(): Client {
  return (shared ??= createClient());
}

/** `scrape` of the default client; see {@link Client}. */
export const scrape: Client['scrape'] = (target, options) =>
  defaultClient().scrape(target, options);

/** `parse` of the default client; see {@link Client}. */
export const parse: Client['parse'] = (content, options) => defaultClient().parse(content, options);

/** `crawl` of the default client; see {@link Client}. */
export const crawl: Client['crawl'] = (url, options) => defaultClient().crawl(url, options);

/** `plan` of the default client; see {@link Client}. */
export const plan: Client['plan'] = (url, options) => defaultClient().plan(url, options);

/** `previewCrawl` of the default client, which has no model; see {@link Client}. */
export const previewCrawl: Client['previewCrawl'] = (url, prompt, options) =>
  defaultClient().previewCrawl(url, prompt, options);

/** `batchScrape` of the default client; see {@link Client}. */
export const batchScrape: Client['batchScrape'] = (urls, options) =>
  defaultClient().batchScrape(urls, options);

/** `map` of the default client; see {@link Client}. */
export const map: Client['map'] = (url, options) => defaultClient().map(url, options);

/** `extract` of the default client; see {@link Client}. */
export const extract: Client['extract'] = (options) => defaultClient().extract(options);
