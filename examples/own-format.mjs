// A format of your own: one object, and its value is on the document, typed.
import { createClient, defineFormat, fixturesEngine } from 'pagewright';

const headings = defineFormat({
  name: 'headings',
  needs: 'content',
  run: (page) =>
    page.kind === 'html'
      ? [...page.root.querySelectorAll('h1, h2')].map((heading) => heading.textContent?.trim())
      : [],
});

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
await using client = createClient({ engines: [site] });

const page = await client.scrape('https://tidewater.test/docs/concepts/', {
  formats: [headings],
});
console.log(page.headings);
