import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const text = (html: string): string => markdownOf(html, { onlyMainContent: false });

test.each([
  ['<p class="flex gap-[5px]"><span>$63.75</span><span>Members</span></p>', '$63.75 Members'],
  [
    '<div style="display:flex;gap:4px"><b>Tested by</b><span>Wren Ashby</span></div>',
    '**Tested by** Wren Ashby',
  ],
  [
    '<p class="d-flex justify-content-between"><span>Weight</span><span>19kg</span></p>',
    'Weight 19kg',
  ],
  [
    '<div class="inline-flex space-x-2"><a href="/a">One</a><a href="/b">Two</a></div>',
    '[One](https://site.test/a) [Two](https://site.test/b)',
  ],
  ['<p class="md:grid"><span>3</span><span>reviews</span></p>', '3 reviews'],
  ['<p><span class="k">Farbe:</span><span>Rot</span></p>', 'Farbe: Rot'],
  ['<p class="flex gap-1"><time>2026</time><strong>Harbour</strong></p>', '2026 **Harbour**'],
])('items of a flexible box stand apart: %s', (html, markdown) => {
  expect(text(html)).toBe(markdown);
});

test.each([
  ['<ul><li><span>Weight</span><span>19 kg</span></li></ul>', '- Weight 19 kg'],
  ['<ul><li><b>Width</b><span>80 cm</span></li></ul>', '- **Width** 80 cm'],
  ['<div><strong>Made in</strong><span>Norway</span></div>', '**Made in** Norway'],
  ['<div><span>Age group</span><span>Adults</span></div>', 'Age group Adults'],
  ['<p><span>Couleur:</span><span>Rouge</span></p>', 'Couleur: Rouge'],
])('a name and its value stand apart: %s', (html, markdown) => {
  expect(text(html)).toBe(markdown);
});

test.each([
  ['<h2 class="flex"><span>H</span><span>e</span><span>y</span></h2>', '## Hey'],
  ['<p class="flex"><span>$</span><span>63</span><span>.75</span></p>', '$63.75'],
  ['<p><span class="a">You</span><span class="b">Tube</span></p>', 'YouTube'],
  ['<pre class="flex"><code><span>a</span><span>b1</span></code></pre>', '```\nab1\n```'],
])('parts of one word stay together: %s', (html, markdown) => {
  expect(text(html)).toBe(markdown);
});
