/** A crawl whose options a model derives from a sentence: crawl({ prompt }), plan(), previewCrawl(). */
import { type Client, type ClientOptions, createClient, fileStore } from 'pagewright';
import { linkedSite, type ScriptedAnswer, scriptedModel } from 'pagewright/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FixtureServer, serve } from '../../src/entries/testing/serve.ts';

const { site } = linkedSite({ pages: 40, sections: 4, sitemap: true });

async function open(options: ClientOptions): Promise<{ client: Client; server: FixtureServer }> {
  const server = await serve(site);
  const client = createClient({
    network: { allow: ['127.0.0.0/8'] },
    ...options,
  }) as unknown as Client;
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, server };
}

const sections = (urls: readonly string[]): Set<string> =>
  new Set(urls.map((url) => new URL(url).pathname.split('/')[1] ?? ''));

describe('a crawl with a prompt', () => {
  it('takes the options that the model makes of it, and says which', async () => {
    const model = scriptedModel([{ includePaths: ['^/section-2/'], limit: 5, excludePaths: null }]);
    const { client, server } = await open({ model });
    const { data, warning } = await client.crawl(server.url('/'), {
      prompt: 'five of section two',
    });
    expect(data).toHaveLength(5);
    expect(sections(data.map(({ metadata }) => metadata.url))).toEqual(new Set(['section-2']));
    expect(warning).toContain(
      'The prompt was read as {"includePaths":["^/section-2/"],"limit":5}.',
    );
    const [request] = model.requests;
    expect(request?.prompt).toContain('"five of section two"');
    expect(request?.prompt).toMatch(/"http:\/\/127\.0\.0\.1:\d+\/section-2\/page-\d+"/);
    expect(request?.schema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('shows the model the URLs that the page options give, also those of a default', async () => {
    const { server } = await open({});
    const asked = (): (string | undefined)[] =>
      server.log.map(({ headers }) => headers['x-token']).filter((token) => token !== undefined);
    const headers = { 'X-Token': 't-1' };
    const one = await open({ model: scriptedModel([{ limit: 1 }]) });
    await one.client.crawl(server.url('/'), { prompt: 'one', scrapeOptions: { headers } });
    // The map, and the page.
    expect(asked()).toHaveLength(2);
    const other = await open({
      model: scriptedModel([{ limit: 1 }]),
      defaults: { scrape: { headers } },
    });
    await other.client.previewCrawl(server.url('/'), 'one');
    expect(asked()).toHaveLength(3);
  });

  it('is overruled by what the caller says by options', async () => {
    const { client, server } = await open({
      model: scriptedModel([{ limit: 30, sitemap: 'only' }]),
    });
    const { data } = await client.crawl(server.url('/'), { prompt: 'thirty pages', limit: 3 });
    expect(data).toHaveLength(3);
  });

  it.each<[string, ScriptedAnswer, RegExp]>([
    ['a pattern that is none', { includePaths: ['('] }, /includePaths/],
    [
      'an option that a sentence cannot give',
      { webhook: 'http://127.0.0.1:2/' },
      /no option "webhook"/,
    ],
    ['prose', 'I would take the documentation.', /not a JSON object/],
    ['a limit below 1', { limit: 0 }, /limit/],
  ])('asks once more after %s', async (_, wrong, problem) => {
    const model = scriptedModel([wrong, 'Here it is:\n```json\n{ "limit": 2 }\n```']);
    const { client, server } = await open({ model });
    const { data } = await client.crawl(server.url('/'), { prompt: 'two pages' });
    expect(data).toHaveLength(2);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.prompt).toMatch(problem);
  });

  it('fails with MODEL_FAILED when the second answer is of no use either, and fetches no page', async () => {
    const model = scriptedModel(['no', 'nor now']);
    const { client, server } = await open({ model });
    const job = client.crawl(server.url('/section-1/page-4'), {
      prompt: 'two pages',
      sitemap: 'skip',
    });
    await expect(job).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/scripted derived no crawl options .* includePaths/) as string,
    });
    expect(model.requests).toHaveLength(2);
    expect(server.log.filter(({ url }) => url.startsWith('/section'))).toHaveLength(1);
  });

  it('fails with what the model fails with', async () => {
    const { client, server } = await open({ model: scriptedModel([new Error('out of order')]) });
    await expect(client.crawl(server.url('/'), { prompt: 'two' })).rejects.toThrow('out of order');
  });

  it.each<[string, unknown]>([
    ['an empty one', ' '],
    ['one of 10,001 characters', 'x'.repeat(10_001)],
    ['a number', 5],
  ])('%s is refused at once', async (_, prompt) => {
    const model = scriptedModel([{}]);
    const { client, server } = await open({ model });
    expect(() => client.crawl(server.url('/'), { prompt: prompt as string })).toThrow(/prompt/);
    for (const wrong of [prompt, undefined]) {
      await expect(client.previewCrawl(server.url('/'), wrong as string)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    expect(model.requests).toEqual([]);
  });

  it('without a model is MODEL_REQUIRED at once', async () => {
    const { client, server } = await open({});
    expect(() => client.crawl(server.url('/'), { prompt: 'two pages' })).toThrow(
      expect.objectContaining({ code: 'MODEL_REQUIRED' }) as Error,
    );
    const asked = [
      client.previewCrawl(server.url('/'), 'two'),
      client.plan(server.url('/'), { prompt: 'two' }),
    ];
    for (const one of asked) await expect(one).rejects.toMatchObject({ code: 'MODEL_REQUIRED' });
    expect(server.log).toEqual([]);
  });

  it('of a stored job is read once, however often the job goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-prompt-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const model = scriptedModel([{ limit: 20 }, { limit: 1 }]);
    const { client, server } = await open({ model, storage: fileStore(folder) });
    const job = client.crawl(server.url('/'), { prompt: 'twenty', maxConcurrency: 1 });
    let seen = 0;
    for await (const _ of job) if ((seen += 1) === 3) break;
    await client.close();
    await job.settled();
    const other = createClient({
      model,
      storage: fileStore(folder),
      network: { allow: ['127.0.0.0/8'] },
    });
    onTestFinished(() => other.close());
    const { data } = await other.jobs.resume(job.id);
    expect(data).toHaveLength(20);
    expect(model.requests).toHaveLength(1);
  });
});

describe('what a prompt would do', () => {
  it('is told by previewCrawl() without a crawl', async () => {
    const options = { includePaths: ['^/section-3/'], limit: 7, crawlEntireDomain: true };
    const { client, server } = await open({ model: scriptedModel([options]) });
    await expect(client.previewCrawl(server.url('/'), 'section three')).resolves.toEqual(options);
    expect(server.log.filter(({ url }) => url.includes('section'))).toEqual([]);
  });

  it('is told by plan(), page by page', async () => {
    const { client, server } = await open({
      model: scriptedModel([{ includePaths: ['^/section-3/'] }]),
    });
    const { pages } = await client.plan(server.url('/'), { prompt: 'section three' });
    expect(sections(pages.map(({ url }) => url))).toEqual(new Set(['section-3']));
    expect(pages).toHaveLength(10);
  });

  it('ends with the caller’s signal', async () => {
    const { client, server } = await open({ model: scriptedModel([{}]) });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(client.previewCrawl(server.url('/'), 'all', { signal })).rejects.toMatchObject({
      code: 'CANCELLED',
      cause: { message: 'enough' },
    });
  });
});
