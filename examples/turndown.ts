// Markdown by turndown: your own rules, on the cleaned page with absolute URLs.
import { createClient, turndownMarkdown } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('turndown');
const { default: TurndownService } = await import('turndown');

const turndown = new TurndownService({ headingStyle: 'atx', bulletListMarker: '-' });
turndown.addRule('code', { filter: 'code', replacement: (text) => `[[${text}]]` });

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site], formats: [turndownMarkdown(turndown)] });

const { markdown } = await client.scrape('https://lantern.test/docs/guides/schedules.html');
console.log(markdown);

await client.close();
