// How much of 40 pages the extractor without a model gives as a person reads it, by template.
import { parseArgs } from 'node:util';
import { extractFromPage } from '../build/content/formats/json.js';
import { parseHtml } from '../build/content/html/parse.js';
import { countPages, structuredPages } from './structured-pages.mjs';

const { values: options } = parseArgs({
  options: { problems: { type: 'boolean', default: false } },
});
const pages = structuredPages();
const templates = [...new Set(pages.map(({ template }) => template))];

console.log(
  row(['template', 'pages', 'leaves', 'right', 'missing', 'wrong', '% right', '% wrong']),
);
for (const template of templates) {
  await print(
    template,
    pages.filter((page) => page.template === template),
  );
}
await print(
  'looked at',
  pages.filter((page) => !page.isHeldOut),
);
await print(
  'held out',
  pages.filter((page) => page.isHeldOut),
);
const total = await print('all', pages);
if (options.problems) for (const problem of total.problems) console.log(problem);
if (total.right < 0.9 * total.leaves || total.wrong > 0.01 * total.leaves) {
  console.error('Targets: at least 90 % right and at most 1 % wrong.');
  process.exitCode = 1;
}

/**
 * @param {string} name
 * @param {import('./structured-pages.d.mts').StructuredPage[]} some
 */
async function print(name, some) {
  const counts = await countPages(some, extract);
  const { leaves, right, missing, wrong } = counts;
  const share = (/** @type {number} */ part) => ((100 * part) / leaves).toFixed(1);
  console.log(row([name, some.length, leaves, right, missing, wrong, share(right), share(wrong)]));
  return counts;
}

/** @param {import('./structured-pages.d.mts').StructuredPage} page */
async function extract({ url, html, schema }) {
  const document = parseHtml(html, { nodes: 100_000, depth: 512 });
  const page = {
    kind: /** @type {const} */ ('html'),
    url,
    baseUrl: url,
    statusCode: 200,
    mediaType: 'text/html',
    source: html,
    warnings: [],
    document,
    root: document.body,
  };
  return (await extractFromPage(page, schema)).value;
}

/** @param {readonly (string | number)[]} cells */
function row(cells) {
  return cells
    .map((cell, x) => (x === 0 ? String(cell).padEnd(12) : String(cell).padStart(9)))
    .join('');
}
