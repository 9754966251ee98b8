/** Pages of documentation whose generators tell what their main content is. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generators } from './generators.mjs';
import { unpacked } from './packages.mjs';
import { readTruth } from './truth.mjs';

/**
 * The pages of `list.json`: `[{ generator, url, html, isHeldOut, main, truth }]`. `main` is the text of
 * the main content, `truth` what `truth.mjs` read from it. Every second page of a generator is held out:
 * nobody looks at those.
 */
export function loadPages({ only = undefined } = {}) {
  const list = JSON.parse(readFileSync(new URL('list.json', import.meta.url), 'utf8'));
  const counts = new Map();
  const pages = [];
  for (const source of list) {
    if (only !== undefined && !only.includes(source.generator)) continue;
    const root = join(unpacked(source), source.folder);
    for (const path of source.pages) {
      const count = counts.get(source.generator) ?? 0;
      counts.set(source.generator, count + 1);
      if (!existsSync(join(root, path))) {
        console.error(`documentation: ${source.package} has no ${path} any longer`);
        continue;
      }
      const html = readFileSync(join(root, path), 'utf8');
      const truth = readTruth(html, path, generators[source.generator]);
      pages.push({
        generator: source.generator,
        url: `https://${source.package.replaceAll(/[^a-z\d.]+/g, '-')}.test/${encodeURI(path)}`,
        html,
        isHeldOut: count % 2 === 1,
        main: truth.text,
        truth,
      });
    }
  }
  return pages;
}
