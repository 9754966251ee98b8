// Markdown by turndown: your own rules, on the cleaned page with absolute URLs.
import { createClient, fixturesEngine, turndownMarkdown } from 'pagewright';
import TurndownService from 'turndown';

const turndown = new TurndownService({ headingStyle: 'atx', bulletListMarker: '-' });
turndown.addRule('keyboard', { filter: 'kbd', replacement: (text) => `[[${text}]]` });

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
const client = createClient({ engines: [site], formats: [turndownMarkdown(turndown)] });

const { markdown } = await client.scrape('https://tidewater.test/docs/guides/retention.html');
console.log(markdown.split('\n').slice(0, 6).join('\n'));

await client.close();
