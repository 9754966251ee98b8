/** The quality bench's adapter: HTML to the markdown of its main content, from the built package. */
import { cleanPage } from '../dist/clean/index.js';
import { toMarkdown } from '../dist/formats/markdown/index.js';
import { parseHtml } from '../dist/html/parse.js';

const options = {
  onlyMainContent: true,
  includeTags: [],
  excludeTags: [],
  removeBase64Images: true,
  blockAds: true,
};

export async function extract({ html, url }) {
  const document = parseHtml(html, { nodes: 1_000_000, depth: 512 });
  const baseUrl = resolve(document.head.querySelector('base[href]')?.getAttribute('href'), url);
  const page = {
    kind: 'html',
    url,
    baseUrl,
    statusCode: 200,
    mediaType: 'text/html',
    source: html,
    warnings: [],
    document,
    root: document.body,
  };
  cleanPage(page, options);
  return { markdown: toMarkdown(page.root, { baseUrl }) };
}

function resolve(href, url) {
  try {
    return new URL(href ?? '', url).href;
  } catch {
    return url;
  }
}
