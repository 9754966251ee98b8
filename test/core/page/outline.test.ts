import { describe, expect, it } from 'vitest';
import { roughContent } from '../../../src/core/page/content-text.ts';
import { findLinks, readOutline } from '../../../src/core/page/outline.ts';
import { htmlPage, textPage } from '../../support/page.ts';

const sentence = 'The harbour at Birch Point was dredged twice and the ferries run on time again. ';
const outline = (source: string, wishes = {}): ReturnType<typeof readOutline> => {
  const page = htmlPage(source);
  return readOutline(page, findLinks(page, 1000), wishes);
};

describe('the rough content of a page', () => {
  it('is what is not a menu, a footer, a form, a link or a box beside it', () => {
    const page = htmlPage(`
      <header>Head</header><nav>Menu</nav><div class="site-sidebar">Side</div>
      <div id="content"><h1>Title</h1><p>Words <b>of</b> it <a href="/x">elsewhere</a></p>
      <form>Search</form><script>var code</script><div class="share-buttons">Share</div></div>
      <aside>Beside</aside><div role="contentinfo">Foot</div><footer>Foot</footer>`);
    expect(roughContent(page).split(/\s+/).filter(Boolean)).toEqual(['Title', 'Words', 'of', 'it']);
  });

  it('is what is in the main element, where there is one', () => {
    const page = htmlPage(
      '<div>Before</div><main class="nav-open"><p>Inside</p></main><div>After</div>',
    );
    expect(roughContent(page).trim()).toBe('Inside');
  });

  it('is all of a text', () => {
    expect(roughContent(textPage('plain words'))).toBe('plain words');
  });

  it('takes no longer for a deep or a wide page', () => {
    const wide = htmlPage('<p class="menu-item">x</p><p>y</p>'.repeat(20_000));
    expect(roughContent(wide).match(/y/g)).toHaveLength(20_000);
  });
});

describe('the outline of a page', () => {
  it('has no near hash unless it is asked for', () => {
    const source = `<main>${sentence.repeat(8)}</main>`;
    expect(outline(source).nearHash).toBeUndefined();
    expect(outline(source, { nearHash: true }).nearHash).toMatch(/^[0-9a-f]{64}$/);
    expect(outline('<main>Short.</main>', { nearHash: true }).nearHash).toBeUndefined();
  });

  it('is near for the same text with another menu and other links', () => {
    const page = (menu: string): string =>
      `<nav>${menu}</nav><article><h1>Harbour</h1><p>${sentence.repeat(8)}</p></article><footer>${menu}</footer>`;
    const [one, other] = ['Home News', 'Start Shop Contact and a lot more'].map(
      (menu) => outline(page(menu), { nearHash: true }).nearHash,
    );
    expect(one).toBeDefined();
    expect(other).toBe(one);
  });

  it.each<[string, string | undefined, string]>([
    ['a title', 'page not found', '<title>Page not found – Birch</title><p>Sorry.</p>'],
    ['a heading', 'nothing found', '<title>Birch</title><h1>Nothing found</h1><p>Sorry.</p>'],
    [
      'many links beside it',
      'page not found',
      `<h1>Page not found</h1>${'<a href="/x">another long link</a> '.repeat(200)}`,
    ],
    ['a page about it', undefined, `<h1>404 Not Found</h1><p>${sentence.repeat(20)}</p>`],
    ['a page that is there', undefined, '<title>Harbour</title><h1>Harbour</h1>'],
    ['a second heading', undefined, '<h1>Harbour</h1><h1>Not found</h1>'],
  ])('says that there is nothing: %s', (_, phrase, source) => {
    expect(outline(source).missing).toBe(phrase);
  });

  it('leaves it to the status where that says so itself', () => {
    const page = { ...htmlPage('<h1>Page not found</h1>'), statusCode: 404 };
    expect(readOutline(page, findLinks(page, 10)).missing).toBeUndefined();
  });

  it('compares the content only of pages that may have the id of a session', () => {
    const source = '<title>Harbour</title><main>Words</main><a href="/x?key=1">x</a>';
    const at = (url: string): string | undefined => {
      const page = { ...htmlPage(source), url };
      return readOutline(page, findLinks(page, 10)).contentHash;
    };
    expect(at('http://example.test/docs/page')).toBeUndefined();
    expect(at('http://example.test/docs/page?key=a8f39b2c77d1')).toBeDefined();
    expect(at('http://example.test/docs/page?key=5d01b2c77d1e')).toBe(
      at('http://example.test/s/a8f39b2c77d1/docs/page'),
    );
  });
});
