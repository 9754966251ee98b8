import { expect, test } from 'vitest';
import { markdownOf } from '../page.ts';

const title = '<h1>The harbour opens again</h1>';
const text =
  '<p>The old harbour was closed for eleven months while the walls were repaired, and most of the boats moved to the river.</p><p>When the gates opened again, nobody expected that so many people would come to see the first ship arrive.</p>'.repeat(
    4,
  );
const menu = '<nav><a href="/a">Products</a> <a href="/b">Company</a></nav>';

test.each([
  ['an image after an article', `<article>${title}${text}<img src="/x.jpg" alt="Quay"></article>`],
  ['an image before it', `<article><img src="/x.jpg" alt="Quay">${title}${text}</article>`],
  [
    'a hero in main',
    `<main><div class="hero"><img src="/x.jpg"></div><div>${title}${text}</div></main>`,
  ],
  [
    'a gallery',
    `<article>${title}${text}<div class="gallery"><figure><img src="/x.jpg"></figure></div></article>`,
  ],
  ['a frame', `<article>${title}${text}<iframe src="https://video.test/x.jpg"></iframe></article>`],
  ['a video', `<main>${title}${text}<video controls><source src="/x.jpg"></video></main>`],
  ['a sound', `<article>${title}${text}<audio src="/x.jpg"></audio></article>`],
  ['a formula', `<article>${title}${text}<p><math alttext="x.jpg"><mi>x</mi></math></p></article>`],
  [
    'an image in a box of text without names',
    `<div>${menu}</div><div>${title}${text}<p><img src="/x.jpg"></p></div>`,
  ],
  ['an image in the body', `<body>${title}${text}<img src="/x.jpg"></body>`],
  [
    'an image inlined',
    `<article>${title}${text}<img alt="Quay in x.jpg" src="data:image/png;base64,${'A'.repeat(900)}"></article>`,
  ],
  ['a short page', `<h1>T</h1><p>Text.</p><img src="/x.jpg">`],
])('stays: %s', (_, html) => {
  expect(markdownOf(html)).toContain('x.jpg');
});

test.each([
  [
    'a logo in a header',
    `<header><a href="/"><img src="/x.jpg" alt="Harbour"></a>${menu}</header><main>${title}${text}</main>`,
  ],
  ['a logo in the body', `<body><img src="/x.jpg" class="logo">${title}${text}</body>`],
  ['a banner in a box of the body', `<body><div><img src="/x.jpg"></div>${title}${text}</body>`],
  [
    'a box for sharing',
    `<article>${title}${text}<div class="share"><img src="/x.jpg"></div></article>`,
  ],
  [
    'a card that leads on',
    `<article>${title}${text}<div class="card"><a href="/n"><img src="/x.jpg"></a><a href="/n">Next one of our stories</a></div></article>`,
  ],
  ['a footer', `<main>${title}${text}</main><footer><img src="/x.jpg"><p>Harbour Ltd</p></footer>`],
])('goes: %s', (_, html) => {
  expect(markdownOf(html)).not.toContain('x.jpg');
});
