// A format of your own: one object, and its value is on the document, typed.
import { createClient, defineFormat, fixturesEngine } from 'pagewright';

const wordCount = defineFormat({
  name: 'wordCount',
  needs: 'content',
  run: (page) =>
    page.kind === 'html' ? (page.root.textContent ?? '').trim().split(/\s+/).length : 0,
});

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site] });

const page = await client.scrape('https://tidewater.test/docs/concepts/', {
  formats: [wordCount],
});
console.log(page.metadata.title, page.wordCount);

await client.close();
