/** html: the cleaned page. */
import type { Format } from './format.ts';
import { inertHtml } from './inert-html.ts';

/**
 * The content as HTML, without the body tag; what is no tree as preformatted text. Nothing in it
 * runs: no scripts, handlers, or URLs other than those of pages, messages and images.
 */
export const html: Format<'html', string, undefined> = {
  name: 'html',
  needs: 'content',
  run(page) {
    if (page.kind === 'html') return withoutControls(inertHtml(page.root)).trim();
    const text = page.source === '' ? page.markdown : page.source;
    return `<pre>${escapeText(withoutControls(text))}</pre>`;
  },
};

/** They mean nothing in HTML, and make it look like binary data. */
function withoutControls(text: string): string {
  return text.replace(/[\0-\x08\x0b\x0e-\x1f\x7f]/g, '');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
