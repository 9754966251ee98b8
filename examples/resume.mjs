// A crawl that outlives its process: run it, stop it with Ctrl-C, run it again.
// node examples/resume.mjs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore, fixturesEngine } from 'pagewright';

// In a program of yours this is a folder that stays.
const folder = await mkdtemp(join(tmpdir(), 'pagewright-resume-'));
const storage = fileStore(folder);
const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const open = () => createClient({ storage, engines: [site] });

// The first process is stopped after three pages.
const first = open();
const begun = first.crawl('https://tidewater.test/docs/');
for await (const page of begun) {
  console.log('first ', page.metadata.url);
  if (begun.progress.completed >= 3) break;
}
await first.close();

// Another one goes on with it.
const second = open();
const [stored] = await second.storedJobs();
const job = second.resume(stored?.id ?? begun.id);
for await (const page of job) console.log('second', page.metadata.url);
const { status, completed, createdAt } = await job;
console.log(status, completed, 'pages, begun', createdAt);
await second.close();
await rm(folder, { recursive: true });
