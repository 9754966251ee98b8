// Crawlee's CheerioCrawler as it comes, with turndown for the markdown.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concurrency, load, origin, report } from './peer.mjs';

const [{ CheerioCrawler, Configuration, log }, { default: Turndown }] = await load(
  '@crawlee/cheerio',
  'turndown',
);
const folder = mkdtempSync(join(tmpdir(), 'pagewright-crawlee-'));
// Its request queue is kept in files under the working directory.
process.chdir(folder);
log.setLevel(log.LEVELS.ERROR);
const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
const done = { pages: 0, characters: 0 };
const crawler = new CheerioCrawler(
  {
    maxConcurrency: concurrency,
    respectRobotsTxtFile: true,
    async requestHandler({ $, enqueueLinks }) {
      done.pages += 1;
      done.characters += turndown.turndown($('main').html() ?? '').length;
      await enqueueLinks();
    },
  },
  new Configuration(),
);
await crawler.run([`${origin}/`]);
process.chdir(tmpdir());
rmSync(folder, { recursive: true });
report(done);
