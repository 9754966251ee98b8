import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text =
  '<h1>Tern mouse</h1><h2>Description</h2><p>The Tern is a mouse that is held as one holds a hand, and takes the strain off the forearm.</p>';

test.each([
  [
    'a heading with a button',
    '<h2><button aria-controls="p1">GONE</button></h2><div id="p1"></div>',
  ],
  ['a heading in Bootstrap', '<h3 data-bs-target="#p1">GONE</h3><div id="p1"><div> </div></div>'],
  [
    'a button without a heading',
    '<div><button aria-expanded="false" aria-controls="p1">GONE and not filled</button><div id="p1"></div></div>',
  ],
  [
    'tabs without panels',
    '<div class="tabs"><div><strong>GONE</strong></div><div>GONE women</div><div>All GONE</div></div>',
  ],
  [
    'tabs by role',
    '<ul role="tablist"><li><a role="tab" href="#">GONE</a></li><li><a role="tab" href="#">GONE</a></li></ul>',
  ],
  [
    'tabs of empty panels',
    '<ul class="nav-tabs"><li><a href="#p1">GONE</a></li><li><a href="#p2">GONE</a></li></ul><div id="p1"></div><div id="p2"></div>',
  ],
  ['a bar of filters', '<div class="product-tabs"><span>GONE</span><span>GONE too</span></div>'],
])('labels without content go: %s', (_, html) => {
  for (const onlyMainContent of [true, false]) {
    const markdown = markdownOf(`<main>${text}${html}</main>`, { onlyMainContent });
    expect(markdown).not.toContain('GONE');
    expect(markdown).toContain('## Description');
  }
});

test.each([
  [
    'panels of one shape after the bar',
    '<div class="tabs"><a>Care</a><a>Size</a></div><div class="p">Wash by hand.</div><div class="p">Long.</div>',
  ],
  [
    'panels in the box after it',
    '<ul class="tab-nav"><li>Care</li><li>Size</li></ul><div><div>Wash by hand.</div><div>Long.</div></div>',
  ],
  [
    'a heading with its text',
    '<h2><button aria-controls="p1">Care</button></h2><div id="p1">Wash by hand.</div>',
  ],
  [
    'a heading that links to an empty anchor',
    '<a id="care"></a><h2><a href="#care">Care</a></h2><p>Wash by hand.</p>',
  ],
  [
    'links to other pages',
    '<div class="tabs"><a href="/care">Care</a><a href="/size">Wash by hand.</a></div>',
  ],
])('labels of content stay: %s', (_, html) => {
  const markdown = markdownOf(`<main>${text}${html}</main>`, { onlyMainContent: false });
  expect(markdown).toContain('Care');
  expect(markdown.indexOf('Wash')).toBeGreaterThan(markdown.indexOf('Care'));
});
