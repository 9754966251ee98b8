// PDFs: how many words agree with those of pdftotext (package poppler-utils), for files that others made.
// `node bench/pdf-words.mjs [--differences] folder or file.pdf …`. Compared are words of letters and
// numbers, each as often as it stands in the file. Running heads, which we leave out, are set off: lines at
// the ends of pdftotext's pages that are on several pages, or are a number alone.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, PagewrightError } from 'pagewright';

const maxPages = 40;
const given = process.argv.slice(2);
const showsDifferences = given.includes('--differences');
const files = given
  .filter((path) => !path.startsWith('--'))
  .flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .filter((name) => name.endsWith('.pdf'))
          .map((name) => join(path, name))
      : [path],
  );

const client = createClient();
console.log('| file | pages | words | agree | ms a page |\n| --- | ---: | ---: | ---: | ---: |');
for (const file of files) {
  try {
    await report(file);
  } catch (error) {
    const reason = error instanceof PagewrightError ? error.code : String(error);
    console.log(`| ${file} | ${reason} | | | |`);
  }
}
await client.close();

async function report(file) {
  const start = performance.now();
  const { html, metadata } = await client.parse(readFileSync(file), {
    url: 'https://tidewater.test/a.pdf',
    formats: ['html'],
    parsers: [{ type: 'pdf', maxPages }],
    timeout: 600_000,
  });
  const wall = performance.now() - start;
  const pages = metadata.numPages ?? 1;
  const text = execFileSync('pdftotext', ['-l', String(pages), file, '-'], {
    maxBuffer: 1e9,
    encoding: 'utf8',
  });
  const ours = countOf(wordsOf(textOf(html)));
  const theirs = countOf(wordsOf(text));
  for (const [word, count] of countOf(wordsOf(runningHeads(text)))) {
    const missing = (theirs.get(word) ?? 0) - (ours.get(word) ?? 0);
    if (missing > 0) theirs.set(word, theirs.get(word) - Math.min(missing, count));
  }
  const both = sum([...theirs].map(([word, count]) => Math.min(count, ours.get(word) ?? 0)));
  const total = Math.max(sum(ours.values()), sum(theirs.values()));
  const share = ((100 * both) / total).toFixed(2);
  const name = file.split('/').at(-1);
  console.log(`| ${name} | ${pages} | ${total} | ${share} % | ${(wall / pages).toFixed(0)} |`);
  if (showsDifferences) {
    console.log(`  missing: ${beyond(theirs, ours)}\n  more: ${beyond(ours, theirs)}`);
  }
}

/** Blocks end words; looks and links do not. */
function textOf(html) {
  return html
    .replace(/<(?:br|\/?(?:p|h\d|li|ul|ol|t[a-z]+|pre|figure|blockquote))\b[^>]*>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:lt|gt|nbsp|quot|#39);/g, ' ')
    .replaceAll('&amp;', '&');
}

function wordsOf(text) {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The lines at the ends of pages that repeat; numbers in them may differ. */
function runningHeads(text) {
  const edges = text.split('\f').map((page) => {
    const lines = page.split('\n').filter((line) => line.trim() !== '');
    return lines.length < 12 ? lines : [...lines.slice(0, 6), ...lines.slice(-6)];
  });
  const pattern = (line) => line.trim().toLowerCase().replace(/\d+/g, '#');
  const counts = countOf(edges.flatMap((lines) => [...new Set(lines.map(pattern))]));
  return edges
    .flat()
    .filter((line) => (counts.get(pattern(line)) ?? 0) > 1 || /^\s*[\divxlc]+\s*$/i.test(line))
    .join('\n');
}

function countOf(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sum(numbers) {
  return [...numbers].reduce((total, one) => total + one, 0);
}

/** What the first has more often, the most frequent first. */
function beyond(first, second) {
  return [...first]
    .map(([word, count]) => [word, count - (second.get(word) ?? 0)])
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 15)
    .map((one) => one.join(' '))
    .join(', ');
}
