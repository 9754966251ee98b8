// A scanned PDF to markdown: pages without text are read by their pictures, on this machine.
import { readFile } from 'node:fs/promises';
import { createClient } from 'pagewright';
import { tesseractOcr } from 'pagewright/ocr';
import { needs } from './needs.ts';

needs('tesseract.js', '@tesseract.js-data/eng');

const client = createClient({ ocr: tesseractOcr() });

// `scrape()` and `crawl()` read scans in the same way.
const scan = await readFile(new URL('sites/notice.pdf', import.meta.url));
const { markdown, metadata } = await client.parse(scan, {
  contentType: 'application/pdf',
  url: 'https://lantern.test/notice.pdf',
});

const { numPages, ocrPages, ocrConfidence } = metadata;
console.log('scanned pages:', ocrPages, 'of', numPages, 'confidence:', ocrConfidence);
console.log(markdown);

await client.close();
