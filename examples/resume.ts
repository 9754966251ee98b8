// A crawl that outlives its process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, fileStore } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

// In a program of yours this is a folder that stays.
const folder = await mkdtemp(join(tmpdir(), 'resume-'));
const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const open = () => createClient({ storage: fileStore(folder), engines: [site] });

// The first process stops after three pages.
const first = open();
const begun = first.crawl('https://lantern.test/docs/');
for await (const page of begun) {
  console.log('first ', page.metadata.url);
  if (begun.progress.completed >= 3) break;
}
await first.close();

// Another one goes on with it.
const second = open();
const [stored] = await second.jobs.list();
const job = second.jobs.resume(stored?.id ?? begun.id);
for await (const page of job) console.log('second', page.metadata.url);
const { status, completed } = await job;
console.log(status, completed, 'pages');

await second.close();
await rm(folder, { recursive: true });
