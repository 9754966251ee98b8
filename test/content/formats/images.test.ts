import { expect, test } from 'vitest';
import { images } from '../../../src/content/formats/images.ts';
import { context, htmlPage, textPage } from '../../support/page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const run = (source: string): unknown =>
  (images.run(htmlPage(source), undefined, context) as string[]).map((url) =>
    url.replace('http://example.test', ''),
  );

test('images of the head come first, then those of the content in document order', () => {
  expect(
    run(`<html><head>
      <meta property="og:image" content="/og.png"><meta property="og:image:width" content="640">
      <meta name="twitter:image" content="/twitter.png"><meta itemprop="image" content="/item.png">
      <link rel="shortcut icon" href="/favicon.ico"><link rel="apple-touch-icon" href="/touch.png">
      <link rel="image_src" href="/src.png"><link rel="stylesheet" href="/style.css">
    </head><body>
      <div style="background-image: url('/bg one.png'), url(/bg2.png)">
        <img src="/a.png" srcset="/a-1.png 1x, /a-2,wide.png 2x">
        <picture><source srcset="/p.webp 640w, /p-2.webp 1280w"><img src="/p.png"></picture>
      </div>
      <video poster="/poster.jpg"><source src="/film.mp4"></video>
      <input type="image" src="/button.png"><input type="text" src="/no.png">
      <svg><image href="/svg.png"></image></svg>
      <div data-bg="/lazy-bg.png"></div>
    </body></html>`),
  ).toEqual(
    (
      '/og.png /twitter.png /item.png /favicon.ico /touch.png /src.png ' +
      '/bg%20one.png /bg2.png /a.png /a-1.png /a-2,wide.png /p.webp /p-2.webp /p.png ' +
      '/poster.jpg /button.png /svg.png /lazy-bg.png'
    ).split(' '),
  );
});

test('icons, emoji, portraits and pixels are no images of the content', () => {
  expect(
    run(`<img src="/a.png" width="32" height="24"><img src="/b.png" width="16px" height="16px">
         <img src="/icons/mail.svg"><img src="/img/social-sprite.png"><img class="emoji" src="/1f600.svg">
         <img src="https://secure.gravatar.test/avatar/abc?s=48" class="avatar avatar-48">
         <img src="/tracking/pixel.gif?id=1" width="1" height="1">
         <img src="data:image/svg+xml,%3Csvg/%3E">
         <img src="/icons/large.png" width="256" height="256"><img src="/iconic-places.jpg">
         <img src="/photo.jpg" width="640"><img src="/wide.png" width="600" height="20">`),
  ).toEqual(['/icons/large.png', '/iconic-places.jpg', '/photo.jpg', '/wide.png']);
});

test('lazy images are found, placeholders and templates are not', () => {
  expect(
    run(`<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/a.png">
         <img data-srcset="/b.png 1x, /b-2.png 2x"><img data-original="/c.png">
         <img data-src="{{ image.url }}"><img src=""><img>`),
  ).toEqual(['/a.png', '/b.png', '/b-2.png', '/c.png']);
});

test('backgrounds in styles and old attributes are found, names of colours are not', () => {
  expect(
    run(`<body background="/body.png"><table background="/table.png"><tr><td background="/td.png">x</table>
      <div style="--hero: url(/hero.png); mask-image: url('/mask.svg')"></div>
      <div data-bg="dark" data-background="primary"></div><div data-bg="url(/lazy.png)"></div>
      <div data-background="deep/lazy.webp"></div><img src="#"><img src=" #none "></body>`),
  ).toEqual(
    '/body.png /table.png /td.png /hero.png /mask.svg /lazy.png /docs/deep/lazy.webp'.split(' '),
  );
});

test('objects and embeds that are images are found', () => {
  expect(
    run(`<object type="image/svg+xml" data="/drawing.svg"></object><embed type="image/png" src="/e.png">
      <object type="application/pdf" data="/file.pdf"></object><object data="/unknown"></object>`),
  ).toEqual(['/drawing.svg', '/e.png']);
});

test('each image is there once, with an absolute URL', () => {
  expect(run('<img src="a.png"><img src="/docs/a.png"><img src="//cdn.test/b.png">')).toEqual([
    '/docs/a.png',
    'http://cdn.test/b.png',
  ]);
});

test('styles of any length are read once', () => {
  const started = cpuTime();
  run(`<p style="background:${'url('.repeat(100_000)}">`);
  run(`<p style="background:${`url(${' '.repeat(50)}`.repeat(20_000)}">`);
  run(`<p style="background:${"url('a".repeat(100_000)}">`);
  expect(cpuTime() - started).toBeLessThan(1_000);
  expect(run('<p style="color:red;clip-path:url(#c);background:none">')).toEqual([]);
});

test('text has no images', () => {
  expect(images.run(textPage('![a](http://example.test/a.png)'), undefined, context)).toEqual([]);
});

test('an inlined image that cleaning removed is no URL', () => {
  expect(run('<img src="<Base64-Image-Removed>" alt="x"><img src="/a.png">')).toEqual(['/a.png']);
});
