// The speed bench's peer: crawl() of its site to markdown, streamed, by the built package.
// The bench tells by environment variables what to crawl, and reads the last line.
const { createClient } = await import(new URL('index.js', process.env.PAGEWRIGHT_DIST).href);

const { START_URL, PAGES, CONC } = process.env;
// The peers keep nothing either.
const client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
const job = client.crawl(START_URL, {
  limit: Number(PAGES) + 10,
  maxConcurrency: Number(CONC),
  keepDocuments: false,
});
let pages = 0;
let characters = 0;
const memory = {};
for await (const { markdown } of job) {
  pages += 1;
  characters += markdown.length;
  if (pages % 1000 === 0) memory[pages] = Math.round(process.memoryUsage.rss() / 2 ** 20);
}
await client.close();
console.log(JSON.stringify({ pages, md_bytes: characters, extra: { rss_mb_at: memory } }));
