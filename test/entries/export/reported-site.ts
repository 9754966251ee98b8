/** A site with everything that a report shows, and the data of a report. */
import { readFileSync } from 'node:fs';
import { type Client, createClient, type CrawlOptions, type Store } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { openReport } from '../../../src/entries/export/report/in-page/open-report.ts';
import type { TextColumn } from '../../../src/entries/export/report/in-page/report-rows.ts';
import type { ReportData, ReportRow } from '../../../src/entries/export/report/report-data.ts';

/** Titles that would do harm as markup, or turn the text around them. */
export const hostileTitles = {
  script: '</script><script>window.hurt=1</script>',
  image: '<img src=x onerror="window.hurt=2">',
  lines: 'one\u2028two\u2029three',
  bidi: 'abc\u202egpj.exe',
} as const;

const html = (title: string, body: string): { headers: Record<string, string>; body: string } => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><title>${title.replaceAll('<', '&lt;')}</title><main>${body}</main>`,
});
const text = (about: string): string =>
  `<p>${`All about ${about}, at some length. `.repeat(20)}</p>`;
const links = (...paths: readonly string[]): string =>
  paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

/** Six pages, one of them missing, a duplicate, links that are left out. */
export function serveReportedSite(): Promise<FixtureServer> {
  const page = (title: string, body: string) => () => html(title, body);
  return serve({
    '/': page(
      'Harbour guide',
      text('harbours') +
        links(
          '/docs/pilots',
          '/docs/tides',
          '/docs/tides-again',
          '/gone',
          '/private/x',
          '/logo.zip',
        ) +
        links('/bad/script', '/bad/image', '/bad/lines?token=hunter2', '/bad/bidi') +
        links('https://elsewhere.test/'),
    ),
    '/docs/pilots': page('Harbour pilots', text('pilots')),
    '/gone': () => ({ status: 404, ...html('Gone', text('nothing')) }),
    '/docs/tides': page('Tides', text('tides')),
    '/docs/tides-again': page('Tides', text('tides')),
    '/bad/script': page(hostileTitles.script, text('scripts')),
    '/bad/image': page(hostileTitles.image, text('images')),
    '/bad/lines?token=hunter2': page(hostileTitles.lines, text('lines')),
    '/bad/bidi': page(hostileTitles.bidi, text('letters')),
  });
}

export const reportedCrawl: CrawlOptions = {
  sitemap: 'skip',
  limit: 50,
  keepFailures: true,
  excludePaths: ['/private/'],
  scrapeOptions: { retries: 0, headers: { Authorization: 'Bearer hunter2' } },
};

export function quietClient(storage?: Store): Client {
  return createClient({
    cache: false,
    network: { allow: ['127.0.0.1'] },
    logger: { warn: () => undefined },
    ...(storage === undefined ? {} : { storage }),
  });
}

/** The data in the file of a report. */
export function readReport(file: string): Promise<ReportData> {
  const [, packed = ''] = /id="data">([\w+/=]*)</.exec(readFileSync(file, 'utf8')) ?? [];
  return openReport(packed);
}

/** Facts of the rows of a report, by path. */
export function rowsOf({ rows, texts }: ReportData): Map<string, ReportRow> {
  const states = ['page', 'failed', 'skipped'] as const;
  const textAt = (name: TextColumn, row: number) => texts[rows[name][row] ?? -1];
  return new Map(
    rows.state.map((state, row) => {
      const url = textAt('url', row) ?? '';
      const facts: ReportRow = {
        state: states[state] ?? 'page',
        url,
        title: textAt('title', row),
        code: textAt('code', row),
        note: textAt('note', row),
        parent: textAt('parent', row),
        statusCode: rows.statusCode[row],
        durationMs: rows.durationMs[row],
        bytes: rows.bytes[row],
        depth: rows.depth[row],
        keptHtml: textAt('keptHtml', row),
        keptScreenshot: textAt('keptScreenshot', row),
      };
      return [url.replace(/^http:\/\/127[^/]+/, ''), facts];
    }),
  );
}
