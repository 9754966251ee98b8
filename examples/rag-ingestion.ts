// From a site to a small search index: crawl, cut into passages, embed, look up.
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

interface Passage {
  readonly text: string;
  /** Leads to the heading above the passage. */
  readonly anchor: string;
  readonly headings: string;
  readonly vector: readonly number[];
}

// Stands in for an embedding model: counts words. Put the call of yours here.
function embed(text: string): number[] {
  const vector = new Array<number>(4096).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
    let hash = 0;
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % vector.length;
    vector[hash] = 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });

/** By the id of the passage, which it has again in the next crawl. */
const index = new Map<string, Passage>();
const job = client.crawl('https://lantern.test/docs/', {
  scrapeOptions: { formats: [{ type: 'chunks', maxTokens: 150 }] },
});
for await (const { chunks } of job) {
  for (const { id, text, anchor, headingPath } of chunks) {
    const headings = headingPath.join(' > ');
    const vector = embed(`${headings} ${text}`);
    index.set(id, { text, anchor, headings, vector });
  }
}
console.log(`${index.size} passages of ${job.progress.completed} pages`);

for (const question of ['How long is the longest fade?', 'Which package is for Debian?']) {
  const asked = embed(question);
  const score = ({ vector }: Passage): number =>
    vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0);
  const [best] = [...index.values()].sort((a, b) => score(b) - score(a));
  console.log(`\n${question}\n  ${best?.headings}\n  ${best?.anchor}`);
}

await client.close();
