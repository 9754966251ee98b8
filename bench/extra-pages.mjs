/** Pages beside the suites of the quality bench: those of readability's tests, and Chinese ones. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseHtml } from '../build/html/parse.js';

/** Each with its HTML, the text of the article, and the metadata that readability's own tests expect. */
export function* readabilityPages(folder) {
  const all = join(folder, 'extra', 'readability');
  for (const id of readdirSync(all)) {
    const read = (name) => readHtml(join(all, id, `${name}.html.gz`));
    if (!existsSync(join(all, id, 'source.html.gz'))) continue;
    const metadata = JSON.parse(readFileSync(join(all, id, 'expected-metadata.json'), 'utf8'));
    yield { id, html: read('source'), main: textOf(read('expected')), metadata };
  }
}

/** Each with its HTML, the text of the article, author and date. */
export function* chinesePages(folder) {
  const all = join(folder, 'extra', 'chinese');
  for (const file of readdirSync(all).filter((name) => name.endsWith('.json'))) {
    const id = file.slice(0, -'.json'.length);
    const { main, ...metadata } = JSON.parse(readFileSync(join(all, file), 'utf8'));
    yield { id, html: readHtml(join(all, `${id}.html.gz`)), main, metadata };
  }
}

/** With a line for each block. */
function textOf(html) {
  const lines = html.replace(/<(?:br|p|div|li|h\d|tr|td|th|pre|blockquote|figcaption)\b/gi, '\n$&');
  return parseHtml(lines, { nodes: 1_000_000, depth: 512 }).body.textContent ?? '';
}

/** The stored pages are in UTF-8 or in the encoding that they name. */
export function readHtml(path) {
  const bytes = gunzipSync(readFileSync(path));
  const start = bytes.subarray(0, 4096).toString('latin1');
  const encoding = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ?? 'windows-1252';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(/utf-?8/i.test(encoding) ? 'windows-1252' : encoding).decode(bytes);
  }
}
