/** Lazy images of the main content over HTTP, in the markup of the libraries that load them. */
import { createClient } from 'pagewright';
import { describe, expect, test } from 'vitest';

const words = [
  'The harbour was built in 1842 to shelter the herring fleet from the north wind, and it still does.',
  'Two piers close the basin; the longer one carries the light, which was automated in the spring of 1987.',
  'Fishermen say that the entrance silts up after every autumn storm, so a dredger comes twice a year.',
];
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

function article(markup: string): string {
  const [first, second, last] = words;
  return `<!doctype html><html lang="en"><title>The harbour</title><body><main><article><h1>The harbour</h1>
    <p>${first}</p><p>${second}</p>${markup}<p>${last}</p></article></main></body></html>`;
}

/** The images, and the images and texts that markdown shows between the paragraphs. */
async function read(markup: string): Promise<{ images: string; shown: string }> {
  await using client = createClient();
  const { images, markdown } = await client.scrape(
    { html: article(markup), url: 'https://site.test/harbour' },
    { formats: ['images', 'markdown'] },
  );
  const own = (text: string): string => text.replaceAll('https://site.test', '');
  const lines = own(markdown).split('\n').slice(1);
  const shown = lines.filter((line) => line !== '' && !words.includes(line));
  return { images: images.map(own).join(' '), shown: shown.join(' ') };
}

describe('lazy images', () => {
  const cases: readonly [library: string, markup: string, images: string, shown: string][] = [
    [
      'lazysizes, its small image stays until it has run',
      `<img class="lazyload" src="/small.jpg" data-srcset="/a-400.jpg 400w, /a-800.jpg 800w" data-sizes="auto" alt="A">
       <div class="lazyload" data-bgset="/b-1.jpg [--small] | /b-2.jpg 1x, /b-4.jpg 2x"></div>`,
      '/a-800.jpg /a-400.jpg /b-1.jpg /b-2.jpg /b-4.jpg',
      '![A](/a-800.jpg)',
    ],
    [
      'lozad, which makes the image of a picture itself',
      `<img class="lozad" data-src="/a.png" alt="A">
       <picture class="lozad" data-alt="C"><source srcset="/c.webp" media="(min-width: 1280px)"></picture>
       <div class="lozad" data-background-image-set="url('/bg.jpg') 1x, url('/bg-2.jpg') 2x"></div>`,
      '/a.png /c.webp /bg.jpg /bg-2.jpg',
      '![A](/a.png) ![C](/c.webp)',
    ],
    [
      'vanilla-lazyload',
      `<picture><source media="(min-width: 1200px)" data-srcset="/p-1200.jpg"><img alt="P" class="lazy" data-src="/p.jpg"></picture>
       <div class="lazy" data-bg="/bg.jpg" data-bg-hidpi="/bg-2.jpg"></div>
       <div class="lazy" data-bg-multi="url(/m.jpg), linear-gradient(#fff, #ccc)"></div>`,
      '/p-1200.jpg /p.jpg /bg.jpg /bg-2.jpg /m.jpg',
      '![P](/p.jpg)',
    ],
    [
      'WordPress with Jetpack, a3 and WP Rocket',
      `<img src="${dot}" class="jetpack-lazy-image" data-lazy-src="/j.jpg" data-lazy-srcset="/j-800.jpg 800w" srcset="${dot}" alt="J"><noscript><img src="/j.jpg" alt="J"></noscript>
       <img class="lazy-hidden" src="/plugins/a3/lazy_placeholder.gif" data-lazy-type="image" data-src="/a3.jpg" srcset="" data-srcset="/a3.jpg 800w" alt="L"><noscript><img src="/a3.jpg" alt="L"></noscript>
       <div class="rocket-lazyload" data-bg="url(/r.jpg)"></div>`,
      '/j.jpg /j-800.jpg /a3.jpg /r.jpg',
      '![J](/j.jpg) ![L](/a3.jpg)',
    ],
    [
      'Medium, whose blurred small images stay in the page',
      `<figure><div><img src="/max/60/1*abc.jpeg?q=20" width="60" height="40"><canvas></canvas><img data-src="/max/1600/1*abc.jpeg" alt="A"><noscript><img src="/max/1600/1*abc.jpeg" alt="A"></noscript></div></figure>
       <figure><div><div><img alt="" src="/max/60/1*def.png?q=20" width="700" height="400"></div><img alt="" width="700" height="400"><noscript><img alt="D" src="/max/1400/1*def.png" width="700" height="400"></noscript></div></figure>`,
      '/max/1600/1*abc.jpeg /max/1400/1*def.png',
      '![A](/max/1600/1*abc.jpeg) ![D](/max/1400/1*def.png)',
    ],
    [
      'a small image behind the large one, which may be another',
      `<span><img alt="A" width="700"><noscript><img src="/large/abc.jpeg" alt="A"></noscript><img src="/small/abc.jpeg"></span>
       <img data-src="/after.jpg" alt="B">`,
      '/large/abc.jpeg /small/abc.jpeg /after.jpg',
      '![A](/large/abc.jpeg)![](/small/abc.jpeg) ![B](/after.jpg)',
    ],
    [
      'Shopify, where widths are put into a template',
      `<img class="lazyload" src="/a_300x300.jpg?v=1" data-src="/a_{width}x.jpg?v=1" data-widths="[180, 720]" alt="A">
       <img class="lazyload" data-src="/b_{width}x.jpg" alt="B"><noscript><img src="/b_1024x.jpg" alt="B"></noscript>
       <img class="lazyload" data-src="/c_{width}x.jpg" alt="C">`,
      '/a_720x.jpg?v=1 /a_180x.jpg?v=1 /b_1024x.jpg',
      '![A](/a_720x.jpg?v=1) ![B](/b_1024x.jpg) C',
    ],
    [
      'Squarespace',
      `<div><noscript><img src="/a.jpg" alt="A"></noscript><img data-src="/a.jpg" data-image="/a.jpg" data-image-dimensions="2500x1667" alt="A"></div>
       <div><img data-image="/content/b?format=1500w" data-image-resolution="1000w" alt="B"></div>`,
      '/a.jpg /content/b?format=1500w',
      '![A](/a.jpg) ![B](/content/b?format=1500w)',
    ],
    [
      'Next.js',
      `<span><img alt="A" src="${dot}" data-nimg="responsive"><noscript><img alt="A" src="/_next/image?url=%2Fa.jpg&amp;w=1080" srcSet="/_next/image?url=%2Fa.jpg&amp;w=640 640w" loading="lazy"></noscript></span>`,
      '/_next/image?url=%2Fa.jpg&w=1080 /_next/image?url=%2Fa.jpg&w=640',
      '![A](/_next/image?url=%2Fa.jpg&w=1080)',
    ],
    [
      'Gatsby',
      `<div class="gatsby-image-wrapper"><img aria-hidden="true" src="data:image/jpeg;base64,${'/9j2'.repeat(200)}" alt=""><picture><source type="image/webp" data-srcset="/a.webp 800w"><img data-main-image="" loading="lazy" data-src="/a.jpg" alt="A"></picture><noscript><picture><source type="image/webp" srcSet="/a.webp 800w"><img src="/a.jpg" alt="A"></picture></noscript></div>`,
      '/a.webp /a.jpg',
      '![A](/a.jpg)',
    ],
    [
      'AMP',
      `<amp-img src="/a.jpg" width="640" height="457" layout="responsive" alt="A"><noscript><img src="/a.jpg" alt="A"></noscript></amp-img>
       <amp-anim src="/b.gif" width="400" height="300" alt="B"><amp-img placeholder src="/still.jpg" width="400" height="300"></amp-img></amp-anim>`,
      '/a.jpg /b.gif',
      '![A](/a.jpg) ![B](/b.gif)',
    ],
    [
      'sliders, bLazy and jQuery plugins',
      `<img data-flickity-lazyload="/a.jpg" alt="A"><img data-lazy-load="/b?x=1" alt="B">
       <img class="b-lazy" src="${dot}" data-src="/c.jpg|/c-2.jpg" alt="C"><img loading="lazy" src="/img/blank.gif" data-img-url="/d?id=3" alt="D">
       <div class="lazy" data-original="/e.jpg"></div>`,
      '/a.jpg /b?x=1 /c.jpg /d?id=3 /e.jpg',
      '![A](/a.jpg)![B](/b?x=1) ![C](/c.jpg)![D](/d?id=3)',
    ],
    [
      'placeholders alone, and what is none though it is called so',
      `<p><img src="/blank.gif" alt="B"> <img src="/1x1.trans.gif"> <img src="/img/lazy-load.png?v=2"> <img src="${dot}"></p>
       <p><img src="/img/google-pixel.jpg" alt="A phone"> <img src="/loading-dock.png" alt="A dock"></p>
       <div data-bg="dark" data-background="0.5" data-image="rgba(0,0,0,.5)" data-bg-img="12"></div>`,
      '/img/google-pixel.jpg /loading-dock.png',
      '![A phone](/img/google-pixel.jpg) ![A dock](/loading-dock.png)',
    ],
  ];
  test.each(cases)('of %s', async (_, markup, images, shown) => {
    expect(await read(markup)).toEqual({ images, shown });
  });
});
