import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineFormat, memoryStore } from 'pagewright';
import { writeReport } from 'pagewright/export';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { reportSink } from '../../../src/entries/export/report/write-report.ts';
import { ReportRows, displayText } from '../../../src/entries/export/report/report-data.ts';
import { thumbnailOf } from '../../../src/entries/export/report/thumbnail.ts';
import { writePng } from '../../../src/content/formats/change-tracking/compare-pictures.ts';
import { bytesOf, colorAt, sizeOf } from '../../support/picture.ts';
import { emptyFolder, page } from './documents.ts';
import {
  hostileTitles,
  quietClient,
  readReport,
  reportedCrawl,
  rowsOf,
  serveReportedSite,
} from './reported-site.ts';

const newFile = (): string => join(emptyFolder(), 'report.html');

describe('the report of a crawl', () => {
  test('has a row for each URL with what the job knows of it', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const job = client.crawl(site.origin, reportedCrawl);
    const file = newFile();
    expect(await writeReport(job, file)).toBe(7);
    const report = await readReport(file);
    const { completed, failed, skipped, usage, creditsUsed } = job.progress;
    expect(report.job).toMatchObject({ completed, failed, skipped, usage, creditsUsed });
    expect({ completed, failed, skipped }).toEqual({ completed: 7, failed: 1, skipped: 4 });
    expect(report.skippedByReason).toEqual(job.skippedByReason());
    expect(report.unlisted).toEqual({ pages: 0, failed: 0, skipped: 0 });

    const rows = rowsOf(report);
    expect(rows.size).toBe(completed + failed + skipped);
    expect(rows.get('/docs/pilots')).toMatchObject({
      state: 'page',
      title: 'Harbour pilots',
      statusCode: 200,
      depth: 1,
      parent: `${site.origin}/`,
    });
    expect(rows.get('/docs/pilots')?.bytes).toBeGreaterThan(300);
    expect(rows.get('/docs/pilots')?.durationMs).toBeGreaterThanOrEqual(0);
    expect(rows.get('/gone')).toMatchObject({
      state: 'failed',
      code: 'HTTP_STATUS',
      statusCode: 404,
      keptHtml: job.errors()[0]?.kept?.html?.key,
      keptScreenshot: undefined,
    });
    expect(rows.get('/gone')?.keptHtml).toContain(job.id);
    expect(rows.get('/gone')?.durationMs).toBeGreaterThanOrEqual(0);
    expect(rows.get('/docs/tides-again')).toMatchObject({
      state: 'skipped',
      code: 'DUPLICATE_CONTENT',
      note: `${site.origin}/docs/tides`,
    });
    expect(rows.get('/private/x')).toMatchObject({ code: 'EXCLUDE', note: '/private/' });
  });

  test('shows no secret, and no text as markup', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const file = newFile();
    await writeReport(client.crawl(site.origin, reportedCrawl), file);
    const report = await readReport(file);
    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(report.job.options).toMatchObject({
      scrapeOptions: { headers: { Authorization: '(secret)' } },
    });
    const rows = rowsOf(report);
    expect(rows.get('/bad/lines?token=***')?.title).toBe('one two three');
    expect(rows.get('/bad/bidi')?.title).toBe('abcgpj.exe');
    expect(rows.get('/bad/image')?.title).toBe(hostileTitles.image);
    expect(readFileSync(file, 'utf8')).not.toContain('onerror');
  });

  test('has the counts and the pages although no document was kept', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const job = client.crawl(site.origin, { ...reportedCrawl, keepDocuments: false });
    await job;
    const file = newFile();
    expect(await writeReport(job, file)).toBe(7);
    const rows = rowsOf(await readReport(file));
    expect(rows.size).toBe(12);
    expect(rows.get('/docs/pilots')).toMatchObject({ state: 'page', parent: `${site.origin}/` });
    expect(rows.get('/docs/pilots')?.bytes).toBeGreaterThan(300);
  });

  test('lists as many URLs as it may, and says how many more there are', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const file = newFile();
    await writeReport(client.crawl(site.origin, reportedCrawl), file, { limit: 3, title: 'Mine' });
    const report = await readReport(file);
    expect(report.rows.state).toHaveLength(3 + 1 + 3);
    expect(report.unlisted).toEqual({ pages: 4, failed: 0, skipped: 1 });
    expect(report.title).toBe('Mine');
  });

  test('that another client reads from the store is the same', async () => {
    await using site = await serveReportedSite();
    const storage = memoryStore();
    await using client = quietClient(storage);
    const job = client.crawl(site.origin, reportedCrawl);
    const [one, other] = [newFile(), newFile()];
    await writeReport(job, one);
    await using reader = quietClient(storage);
    expect(await writeReport(reader.jobs.get(job.id), other)).toBe(7);
    const { writtenAt: _, ...first } = await readReport(one);
    const { writtenAt: __, ...second } = await readReport(other);
    expect(second).toEqual(first);
  });

  test('that goes on after a loop was left has the pages of both', async () => {
    await using site = await serveReportedSite();
    const storage = memoryStore();
    let id: string;
    {
      await using client = quietClient(storage);
      const job = client.crawl(site.origin, { ...reportedCrawl, maxConcurrency: 1 });
      ({ id } = job);
      let taken = 0;
      for await (const _ of job) if ((taken += 1) === 3) break;
    }
    await using client = quietClient(storage);
    const file = newFile();
    const again = { scrapeOptions: reportedCrawl.scrapeOptions };
    expect(await writeReport(client.jobs.resume(id, again), file)).toBe(7);
    const rows = rowsOf(await readReport(file));
    expect([...rows.values()].filter(({ title }) => title !== undefined)).toHaveLength(7);
  });
});

describe('a report is written', () => {
  test('of a job that failed, with its error', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const job = client.crawl(`${site.origin}/gone`, reportedCrawl);
    const file = newFile();
    expect(await writeReport(job, file)).toBe(0);
    const { job: facts } = await readReport(file);
    expect(facts).toMatchObject({ status: 'failed', failed: 1 });
    expect(facts.error).toContain('404');
  });

  test('of a batch, by the URLs as they were given', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const urls = ['/docs/pilots#top', '/gone', '/docs/pilots'].map((path) => site.origin + path);
    const file = newFile();
    await writeReport(client.batchScrape(urls, { retries: 0 }), file);
    const report = await readReport(file);
    expect(report.job).toMatchObject({ verb: 'batchScrape', completed: 1, failed: 1, skipped: 1 });
    expect(report.rows.state.toSorted()).toEqual([0, 1, 2]);
  });

  test('of an extraction', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const job = client.extract({
      urls: [`${site.origin}/docs/pilots`, `${site.origin}/gone`],
      schema: z.object({ title: z.string().meta({ 'x-selector': 'title' }) }),
    });
    const file = newFile();
    expect(await writeReport(job, file)).toBe(1);
    const report = await readReport(file);
    expect(report.job).toMatchObject({ verb: 'extract', completed: 1, failed: 1 });
    expect(rowsOf(report).get('/gone')).toMatchObject({ state: 'failed' });
  });

  test('beside other outputs, from the documents that pass', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const job = client.crawl(site.origin, { ...reportedCrawl, keepDocuments: false });
    const file = newFile();
    const sink = await reportSink(job, file);
    for await (const document of job) await sink.write(document);
    await sink.finish();
    expect(rowsOf(await readReport(file)).get('/docs/tides')).toMatchObject({ title: 'Tides' });
  });

  test('whole or not at all', async () => {
    await using site = await serveReportedSite();
    await using client = quietClient();
    const file = newFile();
    writeFileSync(file, 'before');
    const job = client.crawl(site.origin, reportedCrawl);
    await job;
    await job.drop();
    await expect(writeReport(job, file)).rejects.toMatchObject({ code: 'JOB_EXPIRED' });
    expect(readFileSync(file, 'utf8')).toBe('before');
    const missing = join(file, 'below', 'report.html');
    await expect(writeReport(job, missing)).rejects.toMatchObject({ code: 'STORAGE' });
    const unknown = client.jobs.resume('unknown');
    await expect(writeReport(unknown, file)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    expect(existsSync(missing)).toBe(false);
  });

  test('with options that are known only', async () => {
    await using client = quietClient();
    const job = client.batchScrape([]);
    const options = { limits: 3 } as object;
    await expect(writeReport(job, newFile(), options)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await job;
  });
});

describe('texts in a report', () => {
  test.each([
    ['https://anna:hunter2@site.test/a', 'https://site.test/a'],
    ['GET http://anna@site.test/ failed', 'GET http://site.test/ failed'],
    ['https://site.test/?page=2&api_key=abc&x=1', 'https://site.test/?page=2&api_key=***&x=1'],
    ['https://site.test/#access_token=abc', 'https://site.test/#access_token=***'],
    ['https://s3.test/a?X-Amz-Signature=abc', 'https://s3.test/a?X-Amz-Signature=***'],
    ['write to anna@site.test', 'write to anna@site.test'],
    ['a\u0000b\u202ec\nd', 'a b c d'],
  ])('%j is shown as %j', (given, shown) => {
    expect(displayText(given, 100)).toBe(shown);
  });

  test('are cut, and each is held once', () => {
    const rows = new ReportRows();
    for (const url of ['https://site.test/1', 'https://site.test/2']) {
      rows.add({ state: 'page', url, title: 'x'.repeat(1_000_000) });
    }
    const titles = rows.columns.title.map((index) => rows.texts[index]);
    expect(titles[0]).toHaveLength(300);
    expect(titles[0]).toMatch(/^x+…$/);
    expect(rows.texts).toHaveLength(3);
  });
});

describe('screenshots', () => {
  const noise = (at: number): number => Math.imul(at ^ (at >>> 7), 2_654_435_761) >>> 24;
  /** Noise, which does not become small by itself, above a red half. */
  const screenshot = async (): Promise<string> => {
    const [width, height] = [1280, 800];
    const bytes = new Uint8Array(width * height * 4).map((_, at) =>
      at % 4 === 3 ? 255 : at >= width * 400 * 4 ? (at % 4 === 0 ? 255 : 0) : noise(at),
    );
    const png = await writePng({ width, height, bytes });
    return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  };

  test('are made small', async () => {
    const png = bytesOf(await thumbnailOf(await screenshot()));
    expect(sizeOf(png)).toEqual([320, 200]);
    expect(colorAt(png, 160, 150)).toBe('#ff0000');
  });

  test('are left out where they cannot be, or must not be shown', async () => {
    const large = Buffer.alloc(100_000).toString('base64');
    expect(await thumbnailOf(`data:image/jpeg;base64,${large}`)).toBeUndefined();
    expect(await thumbnailOf(`data:image/png;base64,${large}`)).toBeUndefined();
    expect(await thumbnailOf('https://site.test/shot.png')).toBeUndefined();
    expect(await thumbnailOf('data:image/svg+xml;base64,AAAA')).toBeUndefined();
  });

  test('are those of the documents', async () => {
    await using site = await serveReportedSite();
    const image = await screenshot();
    const shown = defineFormat({ name: 'screenshots', needs: 'content', run: () => image });
    await using client = quietClient();
    const job = client.crawl(site.origin, {
      ...reportedCrawl,
      limit: 1,
      scrapeOptions: { formats: [shown] },
    });
    const [file, without] = [newFile(), newFile()];
    const sink = await reportSink(job, file);
    const other = await reportSink(job, without, { screenshots: 'skip' });
    for await (const { metadata } of job) {
      for (const one of [sink, other]) await one.write(page(metadata.url, { screenshot: image }));
    }
    await sink.finish();
    await other.finish();
    const report = await readReport(file);
    expect(report.screenshots.map(([row]) => row)).toEqual([0]);
    expect(sizeOf(bytesOf(report.screenshots[0]?.[1]))).toEqual([320, 200]);
    expect(await readReport(without)).toMatchObject({ screenshots: [], screenshotsLeftOut: 0 });
  });
});
