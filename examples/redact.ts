// Personal data is taken out of pages before anything else sees them: e-mail addresses, and names by a function.
import { createClient, type RedactFunction } from 'pagewright';

const colleagues: RedactFunction = (text) =>
  [...text.matchAll(/Maya Brandt|Ilse Kern/g)].map(({ 0: name, index }) => ({
    type: 'colleague',
    start: index,
    end: index + name.length,
  }));

const html = `<title>Contact</title><h1>Contact</h1>
<p>Ask Maya Brandt (<a href="mailto:maya@lantern.test">maya@lantern.test</a>), or call +44 20 7946 0958.</p>`;
const client = createClient();
const { markdown, metadata } = await client.scrape(
  { html, url: 'https://lantern.test/contact' },
  { redact: ['email', 'phone', colleagues] },
);
console.log(markdown);
console.log(metadata.redactions);
await client.close();
