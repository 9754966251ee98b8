// The pages of fixtures/pages/json with what a person read from them, and how much of it was given.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { countLeaves, noLeaves } from './leaf-counts.mjs';

/** @typedef {import('./structured-pages.d.mts').StructuredPage} StructuredPage */

const folder = new URL('../fixtures/pages/json/', import.meta.url);

/** Pages that were not looked at while the extractor was made: two of the five of each template. */
const heldOut = new Set(['4', '5']);

/** @returns {StructuredPage[]} */
export function structuredPages() {
  return readdirSync(folder).flatMap((template) => {
    const own = new URL(`${template}/`, folder);
    return readdirSync(own, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => {
        const place = new URL(`${name}/`, own);
        const schema = existsSync(new URL('schema.json', place)) ? place : own;
        return {
          template,
          name,
          isHeldOut: heldOut.has(name),
          url: `https://fixture.test/${template}/${name}`,
          html: readFileSync(new URL('page.html', place), 'utf8'),
          schema: JSON.parse(readFileSync(new URL('schema.json', schema), 'utf8')),
          gold: JSON.parse(readFileSync(new URL('gold.json', place), 'utf8')),
        };
      });
  });
}

/**
 * @param {readonly StructuredPage[]} pages
 * @param {(page: StructuredPage) => Promise<unknown>} extract
 */
export async function countPages(pages, extract) {
  const counts = noLeaves();
  for (const page of pages) {
    const own = noLeaves();
    countLeaves(page.gold, await extract(page), own);
    counts.leaves += own.leaves;
    counts.right += own.right;
    counts.missing += own.missing;
    counts.wrong += own.wrong;
    for (const problem of own.problems) {
      counts.problems.push(`${page.template}/${page.name}: ${problem}`);
    }
  }
  return counts;
}
