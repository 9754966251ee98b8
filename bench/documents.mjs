// PDFs: milliseconds a page and peak memory beside pdftotext and the plain text of unpdf.
// Each reading is a process of its own: `node bench/documents.mjs [file.pdf …]`.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const folder = fileURLToPath(new URL('../fixtures/files/pdf/', import.meta.url));

const readers = {
  /** To markdown, as `parse()` does it: on a thread. */
  async pagewright(body) {
    const { createClient } = await import('pagewright');
    const client = createClient();
    try {
      const { metadata } = await client.parse(body, {
        url: 'https://tidewater.test/a.pdf',
        formats: ['markdown'],
        timeout: 600_000,
      });
      return metadata.numPages;
    } finally {
      await client.close();
    }
  },
  /** Text without any structure. */
  async unpdf(body) {
    const { extractText } = await import('unpdf');
    return (await extractText(new Uint8Array(body))).totalPages;
  },
};

const [reader, path = ''] = process.argv.slice(2);
if (reader !== undefined && Object.hasOwn(readers, reader)) {
  const body = readFileSync(path);
  const start = performance.now();
  const pages = await readers[reader](body);
  const wall = performance.now() - start;
  const { maxRSS } = process.resourceUsage();
  console.log(JSON.stringify({ pages, wall, memory: maxRSS / 1024 }));
} else {
  const given = process.argv.slice(2);
  const files =
    given.length > 0
      ? given
      : readdirSync(folder)
          .filter((name) => /^(?:two-columns|tables|running|chromium|libre).*\.pdf$/.test(name))
          .map((name) => folder + name);
  console.log(
    '| file | pages | reader | ms a page | peak MB |\n| --- | ---: | --- | ---: | ---: |',
  );
  for (const file of files) report(file);
}

function report(file) {
  const name = file.split('/').at(-1);
  let pages = 0;
  for (const one of Object.keys(readers)) {
    const run = spawnSync(process.execPath, [self, one, file], { encoding: 'utf8' });
    if (run.status !== 0) {
      console.log(`| ${name} | | ${one} | failed | |`);
      continue;
    }
    const measured = JSON.parse(run.stdout);
    pages = measured.pages;
    line(name, pages, one, measured.wall, measured.memory.toFixed(0));
  }
  try {
    const start = performance.now();
    execFileSync('pdftotext', [file, '-'], { stdio: ['ignore', 'ignore', 'ignore'] });
    line(name, pages, 'pdftotext', performance.now() - start, '');
  } catch {
    console.log(`| ${name} | | pdftotext | not installed | |`);
  }
}

function line(name, pages, reader, wall, memory) {
  console.log(`| ${name} | ${pages} | ${reader} | ${(wall / pages).toFixed(1)} | ${memory} |`);
}
