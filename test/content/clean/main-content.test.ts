import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanPage } from '../../../src/content/clean/index.ts';
import { mostExpected } from '../../../src/content/clean/main-content/choose.ts';
import {
  compileTrees,
  unpackModel,
} from '../../../src/content/clean/main-content/decision-trees.ts';
import { FeatureRow, readFeatures } from '../../../src/content/clean/main-content/features.ts';
import { model as packed } from '../../../src/content/clean/main-content/model.ts';
import { readPageFacts } from '../../../src/content/clean/main-content/page-facts.ts';
import { readParagraphs } from '../../../src/content/clean/main-content/paragraphs.ts';
import { blockLines, defaults, htmlPage } from './page.ts';

const sentences = [
  'The harbour was built in 1842 to shelter the herring fleet from the north wind, and it still does.',
  'Two piers close the basin; the longer one carries the light, which was automated in the spring of 1987.',
  'Fishermen say that the entrance silts up after every autumn storm, so a dredger comes twice a year.',
  'Since the cannery closed, most berths are let to small yachts, and the quay has become a promenade.',
];

const article = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `<p>${sentences[index % 4] ?? ''} ${index}.</p>`,
  ).join('');

function linesOf(html: string): string[] {
  const page = htmlPage(html);
  cleanPage(page, defaults);
  return blockLines(page.root);
}

const model = unpackModel(packed);

const eighths = [0, 1, 2, 3, 4, 5, 6, 7];

/** From question to question, as the model says it. */
function sumByWalking(values: readonly number[]): number {
  let sum = 0;
  for (let tree = 0; tree < model.values.length / 8; tree++) {
    let at = 0;
    while (at < 7) {
      const value = values[model.featureOf[7 * tree + at] ?? 0] ?? 0;
      at = 2 * at + (value >= (model.thresholds[7 * tree + at] ?? 0) ? 2 : 1);
    }
    sum += model.values[8 * tree + at - 7] ?? 0;
  }
  return sum / 2 ** 15;
}

describe('the model', () => {
  it('asks for features that exist, and every tree has seven questions and eight values', () => {
    const { root, document, source, url } = htmlPage(`<body>${article(3)}</body>`);
    const page = readParagraphs(root, readPageFacts(document, source, url));
    const row = new FeatureRow();
    for (const paragraph of page.paragraphs) readFeatures(row, paragraph, page);
    expect(new Set(row.names).size).toBe(row.names.length);
    for (const name of model.features) expect(row.names).toContain(name);
    expect(model.featureOf.length / 7).toBe(model.values.length / 8);
    expect(model.thresholds).toHaveLength(model.featureOf.length);
    expect(Math.max(...model.featureOf)).toBeLessThan(model.features.length);
  });

  it('adds up the values that the answers lead to', () => {
    // Feature 0 at least 5? Then feature 1 at least 1? Then feature 0 at least 9?
    const tree = { asked: [0, 0, 1, 0, 0, 0, 0], thresholds: [5, 2, 1, 1, 3, 0, 9] };
    const sumOfTrees = compileTrees({
      features: ['length', 'depth'],
      featureOf: Uint8Array.from([...tree.asked, ...tree.asked]),
      thresholds: Float32Array.from([...tree.thresholds, ...tree.thresholds]),
      values: Int16Array.from([...eighths, ...eighths], (eighth) => (eighth * 2 ** 15) / 8),
    });
    expect(sumOfTrees([0, 0])).toBe(0);
    expect(sumOfTrees([9, 1])).toBe(14 / 8);
    expect(sumOfTrees([5, 1])).toBe(12 / 8);
    expect(sumOfTrees([5, 0])).toBe(10 / 8);
    expect(sumOfTrees([NaN, NaN])).toBe(0);
  });

  it('gives the same sum whatever it was asked before', () => {
    const asked = fc.array(
      fc.integer({ min: -2, max: 2000 }).map((number) => number / 100),
      {
        minLength: model.features.length,
        maxLength: model.features.length,
      },
    );
    const again = compileTrees(model);
    fc.assert(
      fc.property(asked, (values) => {
        expect(again(values)).toBe(compileTrees(model)(values));
        expect(again(values)).toBe(sumByWalking(values));
      }),
      { numRuns: 20 },
    );
  });
});

describe('mostExpected', () => {
  const candidate = fc.record({
    length: fc.integer({ min: 1, max: 500 }),
    probability: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
  });

  it('takes the likeliest, as many as no other number of them is expected to be better', () => {
    fc.assert(
      fc.property(fc.array(candidate, { minLength: 1, maxLength: 30 }), (candidates) => {
        const wanted = candidates.reduce((sum, one) => sum + one.length * one.probability, 0);
        const scoreOf = (taken: typeof candidates): number => {
          const right = taken.reduce((sum, one) => sum + one.length * one.probability, 0);
          return (2 * right) / (taken.reduce((sum, one) => sum + one.length, 0) + wanted);
        };
        const sorted = candidates.toSorted((one, other) => other.probability - one.probability);
        const best = mostExpected(candidates);
        expect(best).toEqual(sorted.slice(0, best.length));
        for (let count = 1; count <= sorted.length; count++) {
          expect(scoreOf(best)).toBeGreaterThanOrEqual(scoreOf(sorted.slice(0, count)) - 1e-9);
        }
      }),
    );
  });

  it('takes more where nothing is sure', () => {
    const unsure = [0.5, 0.4, 0.3].map((probability) => ({ length: 10, probability }));
    const sure = [0.99, 0.4, 0.01].map((probability) => ({ length: 10, probability }));
    expect(mostExpected(unsure)).toHaveLength(3);
    expect(mostExpected(sure)).toHaveLength(1);
  });
});

describe('main content', () => {
  it('is the same on every run', () => {
    const html = `<body><ul><li><a href="/">Home</a></ul><h1>T</h1>${article(20)}</body>`;
    expect(linesOf(html)).toEqual(linesOf(html));
  });

  it('has the whole of a long article', () => {
    const lines = linesOf(`<body><main><h1>Harbours</h1>${article(400)}</main></body>`);
    expect(lines).toHaveLength(401);
  });

  it('leaves out what surrounds an article without landmarks', () => {
    const menu =
      '<div class="m"><a href="/a">One</a> <a href="/b">Two</a> <a href="/c">Three</a></div>';
    const more = `<div class="x"><h3>Related stories</h3><ul>${'<li><a href="/s">Another story about a harbour</a></li>'.repeat(6)}</ul></div>`;
    const lines = linesOf(`<body>${menu}<div><h1>Harbours</h1>${article(16)}</div>${more}</body>`);
    expect(lines).toHaveLength(17);
    expect(lines.join(' ')).not.toMatch(/Three|Another story|Related/);
  });

  it('is found in languages without spaces', () => {
    const text =
      '港口建于一八四二年，为的是让鲱鱼船队躲避北风，至今仍然如此。两座防波堤环抱着港池。';
    const menu =
      '<ul><li><a href="/">首页</a><li><a href="/n">新闻</a><li><a href="/k">联系我们</a></ul>';
    const lines = linesOf(
      `<body>${menu}<div><h1>港口</h1>${`<p>${text}</p>`.repeat(12)}</div></body>`,
    );
    expect(lines).toHaveLength(13);
  });

  it.each([
    ['navigation that nobody closed', `<body><nav><a href="/">Home</a>${article(12)}`],
    ['a footer that holds everything', `<body><footer>${article(12)}</footer></body>`],
    ['one paragraph', `<body><p>${sentences[0] ?? ''}</p></body>`],
    ['links only', '<body><p><a href="/a">One</a></p><p><a href="/b">Two</a></p></body>'],
    ['a label', '<body><div>Gone</div></body>'],
    ['text without elements', '<body>Gone</body>'],
  ])('is never empty: %s', (_, html) => {
    expect(linesOf(html).join('')).not.toBe('');
  });

  it('keeps pictures in the text, with a caption or without, and drops logos around it', () => {
    const page = htmlPage(`<body><div><img src="/logo.png"></div><div><h1>Harbours</h1>${article(8)}
      <figure><img src="/a.png"><figcaption>Photo: A. Person</figcaption></figure>${article(8)}
      <p><img src="/b.png"></p>${article(4)}</div><div><img src="/partner.png"></div></body>`);
    cleanPage(page, defaults);
    const sources = [...page.root.querySelectorAll('img')].map((image) =>
      image.getAttribute('src'),
    );
    expect(sources.map((source) => source?.replace(/.*\//, ''))).toEqual(['a.png', 'b.png']);
  });

  it.each([
    ['is the content of a short discussion', '{"@type":"QAPage"}', true],
    ['stands beside a short text', '{}', false],
  ])('a comment %s', (_, structured, isKept) => {
    const lines = linesOf(`<head><script type="application/ld+json">${structured}</script></head>
      <body><main><h1>Mooring</h1>${article(3)}
      <div class="comment"><p>Go past the quay, and come back with the wind on your bow.</p></div></main></body>`);
    expect(lines.join('\n').includes('Go past the quay')).toBe(isKept);
  });

  it.each([
    ['go', '"@type":"Article"', 'comments', false],
    ['stay where the page is a discussion', '"@type":"QAPage"', 'comments', true],
    ['are not meant by a paper that discusses', '"@type":"Article"', 'discussion', true],
  ])('comments below an article %s', (_, type, name, isKept) => {
    const lines = linesOf(`<head><script type="application/ld+json">{${type}}</script></head>
      <body><main><h1>Harbours</h1>${article(16)}
      <section id="${name}"><h2>${name}</h2>${article(24).replaceAll('harbour', 'port')}</section></main></body>`);
    expect(lines.join('\n').includes('The port was built')).toBe(isKept);
  });

  it('keeps footnotes where one is referred to, and their place only there', () => {
    const notes =
      '<div class="footnotes"><ol><li id="fn1">Heights are above chart datum. <a href="#r1">↩</a></li></ol></div>';
    const withNote = `<p>The tide is high.<sup id="r1"><a href="#fn1">1</a></sup></p>`;
    const lines = linesOf(
      `<body><main><h1>Tides</h1>${article(9)}${withNote}${notes}</main></body>`,
    );
    expect(lines.join('\n')).toMatch(/Heights are above chart datum/);
  });
});

describe('a page of help for screen readers', () => {
  it('has no content', () => {
    const page = htmlPage('<body><a href="#main">Skip to content</a><div id="main"></div></body>');
    cleanPage(page, defaults);
    expect(page.root.textContent).toBe('');
    expect(page.warnings).toEqual([]);
  });

  it('has content where a sentence follows', () => {
    const page = htmlPage('<body><a href="#main">Skip to content</a><p>Short text.</p></body>');
    cleanPage(page, defaults);
    expect(page.root.textContent).toBe('Short text.');
    expect(page.warnings).toEqual([]);
  });
});

describe('the comments of a forum', () => {
  const posts = '<p>The harbour was built in 1842, and it still shelters the fleet.</p>'.repeat(20);
  const body = `<main><h1>Boats</h1>${posts}</main><section class="comments">${posts.replaceAll('1842', '1843')}</section>`;
  const article = `<html><head><meta property="og:type" content="article"></head><body>${body}</body></html>`;

  it.each([
    ['https://site.test/forum/boats', true],
    ['https://community.site.test/boats', true],
    ['https://site.test/t/boats/12', true],
    ['https://site.test/viewtopic.php?t=1', true],
    ['https://www.boatforum.test/boats', true],
    ['https://site.test/topic/12-boats', true],
    ['https://site.test/topics/boats', false],
    ['https://site.test/news/forum-of-boats', false],
  ])('are content at %s: %s', (url, isContent) => {
    const page = htmlPage(article, url);
    cleanPage(page, defaults);
    expect((page.root.textContent ?? '').includes('1843')).toBe(isContent);
  });
});
