// A scanned PDF to markdown: pages without text are read by their pictures, on this machine.
import { readFile } from 'node:fs/promises';
import { createClient, tesseractOcr } from 'pagewright';

// Needs `npm install tesseract.js @tesseract.js-data/eng`.
const client = createClient({ ocr: tesseractOcr() });

// `scrape()` and `crawl()` read scans in the same way.
const scan = await readFile('fixtures/files/scans/mixed.pdf');
const { markdown, metadata } = await client.parse(scan, {
  contentType: 'application/pdf',
  url: 'https://tidewater.test/minutes.pdf',
});

const { numPages, ocrPages, ocrConfidence } = metadata;
console.log(`Page ${ocrPages} of ${numPages} is a scan; confidence ${ocrConfidence}`);
console.log(markdown);

await client.close();
