/** What a page gives over HTTP and in a browser is the same: lazy images, consent dialogs, diagrams. */
import { type Client, createClient, type ScrapeOptions } from 'pagewright';
import { serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rareTest } from '../support/deep.ts';

const words = [
  'The harbour was built in 1842 to shelter the herring fleet from the north wind, and it still does.',
  'Two piers close the basin; the longer one carries the light, which was automated in the spring of 1987.',
  'Fishermen say that the entrance silts up after every autumn storm, so a dredger comes twice a year.',
];
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

function article(markup: string, outside = ''): string {
  const [first, second, last] = words;
  return `<!doctype html><html lang="en"><title>The harbour</title><body><main><article><h1>The harbour</h1>
    <p>${first}</p><p>${second}</p>${markup}<p>${last}</p></article></main>${outside}</body></html>`;
}

let client: Client;
beforeAll(() => {
  client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
});
afterAll(() => client.close());

/** What both give of a page; URLs without their origin. */
async function both(
  page: string,
  options: Pick<ScrapeOptions, 'blockAds' | 'onlyMainContent'> = {},
): Promise<{ plain: Result; rendered: Result }> {
  await using site = await serve({ '/harbour': page });
  const read = async (engine: 'http' | 'browser'): Promise<Result> => {
    const formats = ['markdown', 'images', 'html'] as const;
    const url = site.url('/harbour');
    const document = await client.scrape(url, { ...options, formats: [...formats], engine });
    const own = (text: string): string => text.replaceAll(site.origin, '');
    const { markdown, images, html } = document;
    return { markdown: own(markdown), images: images.map(own), html: own(html) };
  };
  return { plain: await read('http'), rendered: await read('browser') };
}

interface Result {
  readonly markdown: string;
  readonly images: readonly string[];
  readonly html: string;
}

describe('lazy images', { timeout: 60_000 }, () => {
  const gap = '<p>A word.</p><div style="height: 3000px"></div>';
  const markup = `
    <img class="lazy" src="${dot}" data-src="/near.jpg" data-srcset="/near-800.jpg 800w" alt="Near">
    <picture><source data-srcset="/near.webp"><img class="lazy" src="/blank.gif" data-src="/picture.jpg" alt="Picture"></picture>
    <div class="lazy" data-bg="/background.jpg"><p>Before a picture.</p></div>
    ${gap}
    <img class="lazy" loading="lazy" src="${dot}" data-src="/far.jpg" alt="Far">
    <span><img class="lazy" src="/img/placeholder.svg" data-lazy-src="/farther.jpg" alt="Farther"><noscript><img src="/farther.jpg" alt="Farther"></noscript></span>
    <div class="lazy" data-bg="/far-background.jpg"><p>Behind the words.</p></div>`;
  const loader = `<script>
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        for (const one of target.parentElement.querySelectorAll('source[data-srcset]')) {
          one.srcset = one.dataset.srcset;
          one.removeAttribute('data-srcset');
        }
        if (target.dataset.bg) target.style.backgroundImage = 'url(' + target.dataset.bg + ')';
        if (target.dataset.srcset) target.srcset = target.dataset.srcset;
        const src = target.dataset.src || target.dataset.lazySrc;
        if (src) target.src = src;
        for (const name of ['src', 'srcset', 'lazySrc', 'bg']) delete target.dataset[name];
        target.className = 'loaded';
      }
    });
    for (const one of document.querySelectorAll('.lazy')) observer.observe(one);
  </script>`;

  rareTest('are the same, those out of sight too', async () => {
    const { plain, rendered } = await both(article(markup, loader));
    // The script has run, for what is in sight only.
    expect(rendered.html).toMatch(/class="loaded"[\s\S]*class="lazy"/);
    expect(plain.html).not.toContain('class="loaded"');
    expect(rendered.images).toEqual(plain.images);
    expect(rendered.markdown).toBe(plain.markdown);
    expect(plain.images).toEqual([
      '/near.jpg',
      '/near-800.jpg',
      '/near.webp',
      '/picture.jpg',
      '/background.jpg',
      '/far.jpg',
      '/farther.jpg',
      '/far-background.jpg',
    ]);
    const shown = ['Near', 'Picture', 'Far', 'Farther'].map((alt) => `![${alt}](`);
    for (const image of shown) expect(plain.markdown).toContain(image);
  });
});

describe('consent dialogs', { timeout: 60_000 }, () => {
  const question = 'We use cookies and similar tools on this site.';
  const dialog = `<div role="dialog" aria-modal="true" style="position: fixed; bottom: 0; background: #fff">
    <h2>Your privacy</h2><p>${question}</p><button>Accept all</button><button>Reject all</button></div>`;

  test.each([true, false])('are left out of both, onlyMainContent: %s', async (onlyMainContent) => {
    const { plain, rendered } = await both(article('', dialog), { onlyMainContent });
    expect(plain.markdown).not.toMatch(/cookies|privacy|Accept/);
    expect(plain.markdown).toContain(words[2]);
    expect(rendered.markdown).toBe(plain.markdown);
  });

  test('stay in both with blockAds: false', async () => {
    const options = { onlyMainContent: false, blockAds: false };
    const { plain, rendered } = await both(article('', dialog), options);
    expect(plain.markdown).toContain(question);
    expect(rendered.markdown).toBe(plain.markdown);
  });

  test('stay in both where a page about cookies shows them', async () => {
    const page = `<!doctype html><html lang="en"><title>Cookie banners</title><main><h1>Cookie banners</h1>
      ${words.map((line) => `<p>${line}</p>`).join('')}${dialog}<p>That was one of them.</p></main>`;
    const { plain, rendered } = await both(page, { onlyMainContent: false });
    expect(plain.markdown).toContain(question);
    expect(rendered.markdown).toBe(plain.markdown);
  });
});

rareTest('labels of diagrams are the same text in both', { timeout: 60_000 }, async () => {
  const label = (x: number, y: number, text: string): string =>
    `<g transform="translate(${x}, ${y})"><foreignObject width="90" height="24"><div xmlns="http://www.w3.org/1999/xhtml"><span class="nodeLabel"><p>${text}</p></span></div></foreignObject></g>`;
  const diagram = `<div class="mermaid"><svg viewBox="0 0 400 200" role="graphics-document document"><g>${label(100, 120, 'Sell it')}${label(100, 20, 'Catch the herring')}${label(10, 70, 'Salt it')}</g></svg></div>`;
  const { plain, rendered } = await both(article(diagram));
  expect(plain.markdown).toContain('Catch the herring\n\nSalt it\n\nSell it\n\nFishermen');
  expect(rendered.markdown).toBe(plain.markdown);
});
