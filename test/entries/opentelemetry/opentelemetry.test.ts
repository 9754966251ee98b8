/** Spans and metrics, with the SDK of OpenTelemetry. */
import { context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createClient } from 'pagewright';
import { instrumentPagewright } from 'pagewright/opentelemetry';
import {
  flaky,
  hang,
  latency,
  linkedSite,
  redirectTo,
  scriptedModel,
  serve,
  status,
} from 'pagewright/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const options = { network: { allow: ['127.0.0.1'] }, logger: { warn: () => undefined } };
const article = '<title>A</title><main><p>Hello, all of you who read this.</p></main>';

/** An SDK that keeps everything in memory, and how to read it. */
function openSdk(sampler?: Sampler) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    ...(sampler === undefined ? {} : { sampler }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const stop = instrumentPagewright({ tracerProvider, meterProvider });
  return {
    stop,
    tracer: tracerProvider.getTracer('test'),
    spans: () => exporter.getFinishedSpans(),
    named: (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name),
    parentOf: (span: ReadableSpan | undefined) =>
      exporter
        .getFinishedSpans()
        .find((one) => one.spanContext().spanId === span?.parentSpanContext?.spanId),
    /** Points by metric: attributes and value, of a histogram its count. */
    async metrics(): Promise<Record<string, (readonly [object, number])[]>> {
      await meterProvider.forceFlush();
      const scopes = metricExporter.getMetrics().at(-1)?.scopeMetrics ?? [];
      return Object.fromEntries(
        scopes.flatMap(({ metrics }) =>
          metrics.map(({ descriptor, dataPoints }) => [
            descriptor.name,
            dataPoints.map(({ attributes, value }) => [
              attributes,
              typeof value === 'number' ? value : value.count,
            ]),
          ]),
        ),
      );
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop();
      await tracerProvider.shutdown();
      await meterProvider.shutdown();
    },
  };
}

const manager = new AsyncLocalStorageContextManager();

describe.each(['with', 'without'])('%s a context manager', (which) => {
  beforeEach(() => {
    if (which === 'with') context.setGlobalContextManager(manager.enable());
  });
  afterEach(() => context.disable());

  test('a scrape is a page with its requests, retries and redirects', async () => {
    await using server = await serve(
      { '/': article },
      {
        behaviours: {
          '/': flaky({ failures: 1, status: 500 }),
          '/moved': redirectTo({ location: '/' }),
        },
      },
    );
    await using client = createClient(options);
    await using sdk = openSdk();
    await client.scrape(server.url('/moved'));
    const [page] = sdk.named('pagewright.page');
    const [first, second] = sdk.named('GET');
    expect(sdk.spans()).toHaveLength(3);
    expect([sdk.parentOf(first), sdk.parentOf(second), sdk.parentOf(page)]).toEqual([
      page,
      page,
      undefined,
    ]);
    const { port } = new URL(server.url('/'));
    expect(first?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'url.full': server.url('/moved'),
      'pagewright.final_url': server.url('/'),
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'http.response.status_code': 500,
      'error.type': '500',
      'pagewright.requests': 2,
    });
    expect(first?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(second?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'http.request.resend_count': 1,
    });
    expect(second?.attributes).not.toHaveProperty('error.type');
    expect(page?.status.code).toBe(SpanStatusCode.UNSET);
    expect(page?.attributes).toMatchObject({
      'url.full': server.url('/moved'),
      'http.response.status_code': 200,
      'pagewright.cache': 'miss',
      'pagewright.engine': 'http',
      'pagewright.credits': 1,
    });
    expect(page?.events.map(({ name, attributes }) => [name, attributes?.['error.type']])).toEqual([
      ['pagewright.retry', '500'],
    ]);
  });

  test('each request of a crawl is a child of its own page, and each page of the job', async () => {
    const { site, paths } = linkedSite({ pages: 60, links: 5 });
    await using server = await serve(site, { behaviours: { '*': latency({ max: 20 }) } });
    await using client = createClient(options);
    await using sdk = openSdk();
    const crawl = (): Promise<unknown> =>
      Promise.resolve(
        client.crawl(server.url('/'), { sitemap: 'skip', scrapeOptions: { maxAge: 0 } }),
      );
    await Promise.all([crawl(), crawl()]);
    const jobs = sdk.named('pagewright.job');
    const pages = sdk.named('pagewright.page');
    expect(jobs).toHaveLength(2);
    expect(pages).toHaveLength(2 * paths.length);
    for (const page of pages) {
      const job = sdk.parentOf(page);
      expect(job?.name).toBe('pagewright.job');
      expect(job?.attributes['pagewright.job.id']).toBe(page.attributes['pagewright.job.id']);
    }
    const fetched = sdk.named('GET').filter(({ attributes }) => attributes['pagewright.job.id']);
    expect(fetched).toHaveLength(pages.length);
    for (const request of fetched) {
      const page = sdk.parentOf(request);
      expect(page?.name).toBe('pagewright.page');
      expect(page?.attributes['url.full']).toBe(request.attributes['url.full']);
      expect(page?.spanContext().traceId).toBe(sdk.parentOf(page)?.spanContext().traceId);
    }
    for (const job of jobs) {
      expect(job.attributes).toMatchObject({
        'pagewright.job.verb': 'crawl',
        'pagewright.job.status': 'completed',
        'pagewright.job.completed': paths.length,
        'pagewright.job.failed': 0,
      });
    }
  });

  test('a failure has its code, a 404 is an error as for HTTP clients, a cancelled job is none', async () => {
    await using server = await serve(
      {},
      { behaviours: { '/404': status({ code: 404 }), '/slow': hang() } },
    );
    await using client = createClient(options);
    await using sdk = openSdk();
    await client.scrape(server.url('/404'));
    await expect(client.scrape('http://127.0.0.1:2/', { retries: 0 })).rejects.toThrow();
    const job = client.batchScrape([server.url('/slow')]);
    await expect.poll(() => job.active).toEqual([server.url('/slow')]);
    job.cancel();
    await job.settled();
    const ends = sdk
      .spans()
      .map(({ name, status: { code }, attributes }) => [
        name,
        attributes['error.type'],
        code === SpanStatusCode.ERROR,
      ]);
    expect(ends).toEqual([
      ['GET', '404', true],
      ['pagewright.page', '404', true],
      ['GET', 'CONNECTION_REFUSED', true],
      ['pagewright.page', 'CONNECTION_REFUSED', true],
      ['GET', 'CANCELLED', false],
      ['pagewright.page', 'CANCELLED', false],
      ['pagewright.job', undefined, false],
    ]);
    expect(sdk.named('pagewright.job')[0]?.attributes['pagewright.job.status']).toBe('cancelled');
    const [, refused] = sdk.named('pagewright.page');
    expect(refused?.status.message).toContain('127.0.0.1:2');
  });

  test('a call of the model is a child of its page', async () => {
    const model = scriptedModel(['A summary.'], { name: 'gpt' });
    await using client = createClient({ ...options, model });
    await using sdk = openSdk();
    await client.parse(article, { formats: ['summary'] });
    const [call] = sdk.named('chat gpt');
    expect(sdk.parentOf(call)?.name).toBe('pagewright.page');
    expect(call?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt',
      'gen_ai.usage.output_tokens': expect.any(Number) as number,
    });
  });
});

describe('the active span of OpenTelemetry', () => {
  beforeEach(() => void context.setGlobalContextManager(manager.enable()));
  afterEach(() => context.disable());

  test('of the caller is the parent of its job, and a page that of the spans of hooks', async () => {
    await using server = await serve({ '/': article, '/inner': article });
    let span: Span | undefined;
    await using client = createClient(options);
    await using sdk = openSdk();
    const hooked = client.extend({
      hooks: {
        beforeRequest: async ({ url }) => {
          if (url !== server.url('/')) return;
          await sdk.tracer.startActiveSpan('mine', async (mine) => {
            await client.scrape(server.url('/inner'));
            mine.end();
          });
        },
      },
    });
    await sdk.tracer.startActiveSpan('outer', async (outer) => {
      span = outer;
      await hooked.batchScrape([server.url('/')]);
      expect(trace.getActiveSpan()).toBe(outer);
      outer.end();
    });
    await hooked.close();
    const [inner, page] = sdk.named('pagewright.page');
    const job = sdk.parentOf(page);
    expect(inner?.attributes['url.full']).toBe(server.url('/inner'));
    expect(sdk.parentOf(inner)?.name).toBe('mine');
    expect(sdk.parentOf(sdk.parentOf(inner))).toBe(page);
    expect(job?.name).toBe('pagewright.job');
    expect(job?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
  });

  test('goes to no site: no trace header is sent', async () => {
    const headers: string[] = [];
    await using server = await serve(
      { '/': article },
      {
        behaviours: {
          '/': async ({ request, page, send }) => {
            headers.push(...Object.keys(request.headers));
            send(await page());
          },
        },
      },
    );
    await using client = createClient(options);
    await using sdk = openSdk();
    await client.scrape(server.url('/'));
    expect(sdk.spans()).toHaveLength(2);
    expect(headers).toContain('user-agent');
    expect(headers.join()).not.toMatch(/traceparent|tracestate|baggage|b3/);
  });
});

test('metrics count requests, retries, pages, jobs and tokens', async () => {
  await using server = await serve(
    { '/': article, '/b': `${article}<p>B</p>` },
    { behaviours: { '/': flaky({ failures: 1, status: 500 }), '/none': status({ code: 404 }) } },
  );
  const model = scriptedModel((_, index) => (index === 0 ? new Error('down') : 'Words.'), {
    name: 'gpt',
  });
  await using client = createClient({ ...options, model });
  await using sdk = openSdk();
  const urls = ['/', '/b', '/none'].map((path) => server.url(path));
  const running = client.batchScrape(urls);
  await running;
  await client.scrape(server.url('/b'));
  for (let call = 0; call < 2; call += 1) {
    await client.parse(article, { formats: ['summary'] }).catch(() => undefined);
  }
  const hung = await serve({}, { behaviours: { '/': hang() } });
  const open = client.batchScrape([hung.url('/')]);
  await expect.poll(() => open.active).toHaveLength(1);
  const http = { 'pagewright.engine': 'http' };
  const get = { ...http, 'http.request.method': 'GET' };
  const miss = { ...http, 'pagewright.cache': 'miss', 'http.response.status_code': 200 };
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt' };
  const metrics = await sdk.metrics();
  const answers = sdk.named('chat gpt').length - 1;
  expect(answers).toBeGreaterThan(0);
  expect(metrics['pagewright.request.duration']).toEqual(
    expect.arrayContaining([
      [{ ...get, 'http.response.status_code': 500, 'error.type': '500' }, 1],
      [{ ...get, 'http.response.status_code': 200 }, 2],
      [{ ...get, 'http.response.status_code': 404, 'error.type': '404' }, 1],
    ]),
  );
  expect(metrics['pagewright.request.bytes']).toEqual([[http, expect.any(Number)]]);
  expect(metrics['pagewright.retries']).toEqual([
    [{ ...http, 'pagewright.retry.kind': 'retry', 'error.type': '500' }, 1],
  ]);
  expect(metrics['pagewright.page.duration']).toEqual(
    expect.arrayContaining([
      [miss, 2],
      [{ ...miss, 'pagewright.cache': 'hit' }, 1],
      [{ ...miss, 'http.response.status_code': 404, 'error.type': '404' }, 1],
    ]),
  );
  expect(metrics['pagewright.job.duration']).toEqual([
    [{ 'pagewright.job.verb': 'batchScrape', 'pagewright.job.status': 'completed' }, 1],
  ]);
  expect(metrics['pagewright.jobs.running']).toEqual([[{}, 1]]);
  expect(metrics['gen_ai.client.operation.duration']).toEqual([
    [{ ...chat, 'error.type': 'MODEL_FAILED' }, 1],
    [chat, answers],
  ]);
  expect(metrics['gen_ai.client.token.usage']).toEqual([
    [{ ...chat, 'gen_ai.token.type': 'input' }, answers],
    [{ ...chat, 'gen_ai.token.type': 'output' }, answers],
  ]);
  // What runs on is not counted any more, and its spans end.
  expect(sdk.named('pagewright.job')).toHaveLength(1);
  sdk.stop();
  expect(sdk.named('pagewright.job')).toHaveLength(2);
  expect((await sdk.metrics())['pagewright.jobs.running']).toEqual([[{}, 0]]);
  const before = sdk.spans().length;
  open.cancel();
  await open.settled();
  await client.scrape(server.url('/b'));
  expect(sdk.spans()).toHaveLength(before);
  await hung.close();
});

test('a sampler that drops all has no spans, and its pages are as before', async () => {
  await using server = await serve({ '/': article });
  await using client = createClient(options);
  await using sdk = openSdk(new AlwaysOffSampler());
  expect((await client.batchScrape([server.url('/')])).data[0]?.markdown).toContain('Hello');
  expect(sdk.spans()).toEqual([]);
});

test('an option that is none is refused', () => {
  const wrong = { tracerProvider: {}, meter: 1 } as object;
  expect(() => instrumentPagewright(wrong)).toThrow(/tracerProvider: expected a TracerProvider/);
});
