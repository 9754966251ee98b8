// Main content, code, headings, tables and titles on about 220 pages of documentation of 38 generators,
// from packages of Debian, against the main content that each generator marks.
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '../../dist/index.js';
import { loadPages } from './pages.mjs';
import { scorePage } from './score.mjs';

const { values: options } = parseArgs({
  options: {
    /** Generators, separated by commas. */
    only: { type: 'string' },
    /** A folder for the markdown of the pages that are not held out, and what it lacks. */
    dump: { type: 'string' },
  },
});
const measures = ['f1', 'code', 'language', 'headings', 'cells', 'title'];
const pages = loadPages({ only: options.only?.split(',') });
const client = createClient();
const rows = [];
const started = performance.now();
for (const page of pages) {
  const { markdown } = await client.scrape({ html: page.html, url: page.url });
  const scores = scorePage(markdown, page);
  rows.push({ ...page, scores });
  if (options.dump !== undefined && !page.isHeldOut) dump(page, markdown, scores);
}
await client.close();

const dev = rows.filter((row) => !row.isHeldOut);
const heldOut = rows.filter((row) => row.isHeldOut);
console.log(`| | pages | ${measures.join(' | ')} |`);
console.log(`|---|---:|${measures.map(() => '---:|').join('')}`);
for (const generator of new Set(rows.map((row) => row.generator))) {
  print(
    generator,
    rows.filter((row) => row.generator === generator),
  );
}
print('dev', dev);
print('held out', heldOut);
print('all', rows);
console.log(`\n${Math.round((performance.now() - started) / rows.length)} ms a page`);

function print(name, some) {
  const values = measures.map((measure) => {
    const right = some.reduce((sum, { scores }) => sum + scores[measure][0], 0);
    const wanted = some.reduce((sum, { scores }) => sum + scores[measure][1], 0);
    return wanted === 0 ? '' : (right / wanted).toFixed(3);
  });
  console.log(`| ${name} | ${some.length} | ${values.join(' | ')} |`);
}

function dump({ generator, url, truth, main }, markdown, { outcome, ...scores }) {
  mkdirSync(options.dump, { recursive: true });
  const name = `${generator}-${new URL(url).pathname.replaceAll(/[^\w.-]+/g, '_')}`;
  const given = { headings: new Set(outcome.headings), cells: new Set(outcome.cells) };
  const codes = new Map(outcome.codes.map((code) => [code.text, code.language]));
  const lacks = {
    url,
    scores,
    title: { wanted: truth.title, first: outcome.headings[0] },
    headings: truth.headings.filter((text) => !given.headings.has(text)),
    cells: truth.cells.filter((text) => !given.cells.has(text)),
    codes: truth.codes.filter(({ text }) => !codes.has(text)),
    languages: truth.codes
      .filter(
        ({ text, language }) => codes.has(text) && language !== '' && codes.get(text) !== language,
      )
      .map(({ text, language }) => `${language}, not ${codes.get(text)}: ${text.slice(0, 60)}`),
  };
  writeFileSync(join(options.dump, `${name}.md`), markdown);
  writeFileSync(join(options.dump, `${name}.truth.txt`), main.replaceAll(/\s*\n\s*/g, '\n'));
  writeFileSync(join(options.dump, `${name}.json`), JSON.stringify(lacks, null, 1));
}
