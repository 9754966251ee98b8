/** Crawls that end once their query is answered. */
import { createClient } from 'pagewright';
import { describe, expect, it } from 'vitest';
import {
  type AnswerSite,
  documentationSite,
  shopSite,
  townSite,
} from '../support/answer-sites.ts';
import { helpCentreSite, universitySite } from '../support/answer-check-sites.ts';
import { memoryWeb } from '../support/memory-web.ts';

const sites: Readonly<Record<string, () => AnswerSite>> = { documentationSite, shopSite, townSite, universitySite, helpCentreSite };

describe.each(Object.entries(sites))('%s', (_, make) => {
  const site = make();
  it.each(site.questions)('$query', async ({ query, answers }) => {
    const web = memoryWeb((url) => site.pages[new URL(url).pathname]);
    await using client = createClient({ engines: [web] });
    const job = await client.crawl('http://site.test/', {
      strategy: { type: 'bestFirst', query, until: 'answered' },
      scrapeOptions: { formats: [] },
    });
    const read = job.data.map(({ metadata }) => new URL(metadata.sourceURL).pathname);
console.log('@@', query,'|', Object.keys(site.pages).length, read.length, job.stop?.coverage, JSON.stringify(job.stop?.passages.map(({url})=>new URL(url).pathname)), answers.map((some)=>read.findIndex((r)=>some.includes(r))));
    const missed = answers.filter((some) => !some.some((path) => read.includes(path)));
    expect(missed).toEqual([]);
  });
});
