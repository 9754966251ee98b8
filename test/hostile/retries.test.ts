/** Failures that pass, failures that stay, and sites that do not let everybody in. */
import {
  type Behaviour,
  challenge,
  flaky,
  reset,
  status,
} from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** Behaves badly a number of times, then answers. */
const afterwards = (failures: number, behaviour: Behaviour): Behaviour => {
  let left = failures;
  return (exchange) => {
    if (left-- > 0) return behaviour(exchange);
    exchange.response.writeHead(200, { 'content-type': 'text/html' }).end('<p>There</p>');
    return undefined;
  };
};

/** What is scraped in the end, and how many requests it took. */
function attempts(
  name: string,
  behaviour: Behaviour,
  value: readonly [outcome: unknown, requests: number],
  options: Scenario['options'] = {},
): Scenario {
  return {
    name,
    site: { '/': behaviour },
    act: async ({ client, site }) => {
      const outcome: unknown = await client
        .scrape(site.url('/'), options)
        .then(({ markdown, metadata }) =>
          metadata.statusCode === 200 ? markdown : metadata.statusCode,
        )
        .catch((error: unknown) => (error as { code?: string }).code);
      return [outcome, site.log.length];
    },
    expect: { value },
  };
}

runScenarios([
  attempts('a server error that passes is tried again', afterwards(1, status({ code: 503 })), [
    'There',
    2,
  ]),
  attempts('a reset that passes is tried again', afterwards(1, reset()), ['There', 2]),
  attempts('a failure that stays is tried three times', status({ code: 500 }), [500, 3]),
  attempts('a reset that stays is tried three times', reset(), ['CONNECTION_RESET', 3]),
  attempts(
    'a failure is tried once where no retries are wanted',
    afterwards(1, status({ code: 503 })),
    [503, 1],
    { retries: 0 },
  ),
  attempts(
    'retries are as many as the caller says',
    afterwards(3, status({ code: 502 })),
    ['There', 4],
    { retries: 3 },
  ),
  attempts('404 is final', status({ code: 404 }), [404, 1]),
  attempts('410 is final', status({ code: 410 }), [410, 1]),
  attempts('400 is final', status({ code: 400 }), [400, 1]),
  attempts('501 is final', status({ code: 501 }), [501, 1]),
  attempts(
    'a server that asks to wait 0 seconds is asked again',
    afterwards(1, status({ code: 429, retryAfter: 0 })),
    ['There', 2],
    { proxy: 'basic' },
  ),
  attempts(
    'a server that asks to wait a second is given it',
    afterwards(1, status({ code: 503, retryAfter: 1 })),
    ['There', 2],
  ),
  attempts(
    'a server that asks to wait longer than there is time is not asked again',
    afterwards(1, status({ code: 503, retryAfter: 3600 })),
    [503, 1],
  ),
  attempts(
    'a Retry-After in the past is no wait',
    afterwards(1, status({ code: 503, retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' })),
    ['There', 2],
  ),
  attempts(
    'a Retry-After that makes no sense is no wait',
    afterwards(1, status({ code: 503, retryAfter: '-5 parsecs' })),
    ['There', 2],
  ),
  attempts(
    'a Retry-After of a million years is not waited for',
    afterwards(1, status({ code: 503, retryAfter: 31_556_952_000_000 })),
    [503, 1],
  ),
  {
    name: 'a wait that is longer than there is time is told',
    site: { '/': status({ code: 503, retryAfter: 3600 }) },
    options: { retries: 2 },
    expect: {
      document: { markdown: '503 Service Unavailable', statusCode: 503, warning: /wait 3600 s/ },
    },
  },
  {
    name: 'a challenge page is no document',
    site: { '/': challenge() },
    options: { proxy: 'basic' },
    expect: {
      code: 'BLOCKED_BY_SITE',
      message: /challenge page of Cloudflare.*Try proxy: 'stealth'/,
    },
  },
  {
    name: 'a refusal without a word is no document',
    site: { '/': { status: 403 } },
    options: { proxy: 'basic' },
    expect: {
      code: 'BLOCKED_BY_SITE',
      message: /with status 403 and no content.*Try proxy: 'stealth'/,
    },
  },
  {
    name: 'a refusal with a word is a document',
    site: { '/': { status: 403, body: '<p>Members only.</p>' } },
    options: { proxy: 'basic' },
    expect: {
      document: {
        markdown: 'Members only.',
        statusCode: 403,
        metadata: { error: '403 Forbidden' },
      },
    },
  },
  {
    name: 'a page about challenges is a page',
    site: {
      '/': '<p>The <code>cf-mitigated</code> header and g-recaptcha.</p><div class="g-recaptcha"></div>',
    },
    expect: { document: { markdown: 'The `cf-mitigated` header and g-recaptcha.' } },
  },
  {
    name: 'a site that fails does not hold up another one',
    site: { '*': status({ code: 503, retryAfter: 60 }) },
    other: { '/': '<p>Fast</p>' },
    act: async ({ client, site, other }) => {
      const slow = Array.from({ length: 5 }, (_, at) =>
        client.scrape(site.url(`/${at}`), { timeout: 3000 }).catch(() => undefined),
      );
      const started = performance.now();
      const { markdown } = await client.scrape(other.url('/'));
      const soon = performance.now() - started < 2500;
      await Promise.all(slow);
      return [markdown, soon];
    },
    expect: { value: ['Fast', true] },
  },
  {
    name: 'closing the client ends the wait between two attempts',
    site: { '/': flaky({ failures: 9 }) },
    act: async ({ client, site }) => {
      const outcome = client
        .scrape(site.url('/'), { retries: 9 })
        .catch((error: unknown) => (error as { code?: string }).code);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await client.close();
      return await outcome;
    },
    expect: { value: 'CANCELLED' },
  },
  {
    name: 'a deadline ends the attempts',
    site: { '/': reset() },
    options: { retries: 10, timeout: 1000 },
    expect: { code: 'CONNECTION_RESET', message: /Try again later/ },
  },
]);
