import { describe, expect, test } from 'vitest';
import { cleanPage } from '../../../../src/content/clean/index.ts';
import { blockLines, defaults, htmlPage } from '../page.ts';

const sentence =
  'The harbour was closed for eleven months while its walls were repaired, and the boats lay in the river.';
const prose = (count: number): string => `<p>${sentence}</p>`.repeat(count);
const frame = (content: string): string =>
  `<html><head><title>Gate | Harbour</title></head><body><nav><ul><li><a href="/a">Lamps</a></li><li><a href="/b">Desks</a></li></ul></nav>${content}<footer><p>© 2026 Harbour</p></footer></body></html>`;

function lines(content: string, url?: string): string[] {
  const page = htmlPage(frame(content), url);
  cleanPage(page, defaults);
  return blockLines(page.root);
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a list that a kept line announces', () => {
  const item = (at: number): string =>
    at % 3 === 1 ? `<li>Barn ${at}</li>` : `<li><a href="https://o.test/${at}">Pier ${at}</a></li>`;
  const list = `<ul>${range(7).map(item).join('')}</ul>`;
  test.each([
    ['a paragraph', `<p>${sentence} These are:</p>${list}`],
    ['bold words', `<p>${sentence}</p><p><b>Places:</b></p><div>${list}</div>`],
    ['a wide colon', `<p>${sentence}</p><p>場所：</p>${list}`],
    ['a sentence that goes on', `<div><p>${sentence} I know</p>${list}<p>and no other.</p></div>`],
    ['an ordered list', `<p>${sentence} In order:</p>${list.replaceAll('ul>', 'ol>')}`],
  ])('stays whole: %s', (_, start) => {
    const kept = lines(`<main>${prose(9)}${start}${prose(9)}</main>`);
    expect(kept.filter((line) => /^(?:Barn|Pier) \d$/.test(line))).toHaveLength(7);
  });
});

describe('a product', () => {
  const page = (price: string): string =>
    `<main><h1>Gate lamp</h1>${price}<div class="text">${prose(9)}</div></main>`;
  test.each([
    ['a line in the box of the title', '<span class="price">£83.50</span>', '£83.50'],
    ['a box', '<div><div class="a-b"><p>83,50 €</p></div></div>', '83,50 €'],
    ['a code', '<div class="c"><div>CHF 83.50</div></div>', 'CHF 83.50'],
    ['the former one too', '<div><p><del>$99</del></p><p>$83.50</p></div>', '$83.50'],
    ['crowns', '<div class="produkt"><div class="belopp">835 kr</div></div>', '835 kr'],
    [
      'drawn for the eye, and said for the ear',
      '<p class="price"><del aria-hidden="true">£99</del> <span class="sr-only">It was £99.</span><ins aria-hidden="true">£83.50</ins></p>',
      '£99\n£83.50',
    ],
    ['on a button', '<button>Add to basket – £83.50</button>', '£83.50'],
  ])('keeps its price: %s', (_, markup, expected) => {
    expect(lines(page(markup)).join('\n')).toContain(expected);
  });

  test.each([
    ['<div class="stock">12 in stock</div>', '12 in stock'],
    ['<div itemprop="sku">HB-12</div>', 'HB-12'],
    ['<div class="product-brand">Wren</div>', 'Wren'],
    ['<div class="star-rating">4.6 of 5</div>', '4.6 of 5'],
  ])('keeps what stands with the price: %s', (markup, expected) => {
    expect(lines(page(`<div>${markup}<p class="price">$83.50</p></div>`))).toContain(expected);
  });

  test('says a price once that is there for the eye and for the ear', () => {
    const price =
      '<p class="price"><b aria-hidden="true">£<i>83</i>.50</b><b>Price £ 83.50</b></p>';
    expect(lines(page(price))).toContain('Price £ 83.50');
  });

  test.each([
    ['<b aria-hidden="true">2</b> <b>of 2024 lamps</b>', '2 of 2024 lamps'],
    ['<b aria-hidden="true">£8</b> <b>instead of £8.50</b>', '£8 instead of £8.50'],
    ['<i aria-hidden="true">new</i> <b>renewed</b>', 'new renewed'],
  ])('keeps what only looks as if it was said twice: %s', (markup, expected) => {
    expect(lines(page(`<p>$83.50</p><p>${markup}</p>`)).join('\n')).toContain(expected);
  });

  test.each<[string, (label: string, value: string) => string]>([
    ['boxes', (label, value) => `<li><div><b>${label}</b></div><div>${value}</div></li>`],
    ['lines', (label, value) => `<div class="${label}"><p>${label}:</p><p>${value}</p></div>`],
  ])('keeps labels with their values: %s', (_, row) => {
    const facts = [
      ['Language', 'English'],
      ['Publisher', 'Wren'],
      ['Length', '320 pages'],
    ].map(([label = '', value = '']) => row(label, value));
    const kept = lines(`${page('<p>$83.50</p>')}<div>${facts.join('')}</div>`).join(' ');
    expect(kept).toMatch(/Language:? English Publisher:? Wren Length:? 320 pages/);
  });

  test('keeps no names whose links are commands', () => {
    const plans = ['Free', 'Small', 'Large'].map(
      (name, at) =>
        `<li><div><b>${name}</b></div><div><a href="/${name}">${at < 2 ? 'Start now' : 'Ask us'}</a></div></li>`,
    );
    const kept = lines(`${page('<p>$83.50</p>')}<div>${plans.join('')}</div>`).join(' ');
    expect(kept).not.toContain('Ask us');
  });

  test('keeps a price that is a link', () => {
    const offer = '<div class="offer"><a href="/used/7">Used for $83.50</a></div>';
    const about = '<script type="application/ld+json">{"@type":"Product"}</script>';
    expect(lines(page(offer) + about)).toContain('Used for $83.50');
  });

  test('is not one of the products below its text', () => {
    const tile = (at: number): string =>
      `<li><a href="/p/${at}"><h3>Lamp ${at}</h3></a><p class="cost">$${at + 10}</p></li>`;
    const related = `<h2>Related products</h2><ul>${range(6).map(tile).join('')}</ul>`;
    expect(lines(page('<p class="price">$83.50</p>') + related).join(' ')).not.toContain('Lamp 3');
  });
});

describe('what the structured data of a product states', () => {
  const offer = `<script type="application/ld+json">${JSON.stringify({
    '@type': 'Product',
    aggregateRating: { ratingValue: 4.7 },
    offers: [{ price: '1283.50' }],
  })}</script>`;
  const box = '<div class="sc-1"><div class="sc-2">USD 1,283.50</div><p>4.7</p></div>';
  const other = '<div class="sc-1"><div class="sc-2">USD 99.00</div></div>';
  const page = (top: string, end: string): string =>
    `<main>${top}<h1>Gate lamp</h1><div class="text">${prose(9)}</div>${end}</main>`;

  test.each([
    ['before the title', page(box, offer)],
    ['below the text', page('', box + offer)],
    [
      'in microdata',
      page(
        `<b itemprop="price" content="1283.5"></b><meta content="4.7" itemprop="ratingValue">${box}`,
        '',
      ),
    ],
  ])('stays: %s', (_, content) => {
    const kept = lines(content);
    expect(kept).toContain('USD 1,283.50');
    expect(kept).toContain('4.7');
  });

  test('stays once, and other prices go', () => {
    const kept = lines(page(other + box, box + offer));
    expect(kept.filter((line) => line === 'USD 1,283.50')).toHaveLength(1);
    expect(kept).not.toContain('USD 99.00');
  });
});

test('a title of several lines is a title', () => {
  const title = '<h1 class="name"><div>Harbour Lamp</div> <div>with a gate</div></h1>';
  const content = `<div class="top">${title}<p class="price">£83.50</p></div>${prose(9)}`;
  expect(lines(`<main>${content}</main>`).join(' ')).toMatch(/Harbour Lamp\s+with a gate.*£83\.50/);
});

describe('the grid of a category', () => {
  const category = (tile: (at: number) => string, box = 'div'): string =>
    `<main><h1>Lamps</h1><p>${sentence}</p><${box} class="grid">${range(8).map(tile).join('')}</${box}></main>`;
  test.each<[string, (at: number) => string, string?]>([
    [
      'cards',
      (at) =>
        `<div class="card"><a href="/p/${at}"><img src="/${at}.jpg"></a><h3><a href="/p/${at}">Lamp ${at}</a></h3><div class="price">$${at + 10}.50</div><a href="/cart?${at}">Quick view</a></div>`,
    ],
    [
      'entries',
      (at) =>
        `<li class="item"><a href="/p/${at}"><p>Lamp ${at}</p><p>${at + 10},50 €</p></a></li>`,
      'ul',
    ],
    [
      'articles',
      (at) =>
        `<article class="t"><header><a href="/p/${at}">Lamp ${at}</a></header><footer class="cost">£${at + 10}.50</footer></article>`,
    ],
    [
      'rows',
      (at) =>
        `<section class="row"><div class="n"><a href="/p/${at}">Lamp ${at}</a></div><div class="d">Brass</div><div class="p">₹${at + 10}.50</div></section>`,
    ],
  ])('stays with names and prices: %s', (_, tile, box) => {
    const kept = lines(category(tile, box)).join('\n');
    for (const at of range(8)) {
      expect(kept).toContain(`Lamp ${at}`);
      expect(kept).toMatch(new RegExp(`\\D${at + 10}[.,]50`));
    }
    expect(kept).not.toContain('Quick view');
  });

  test('stays with what differs from entry to entry, without what all say', () => {
    const tile = (at: number): string =>
      `<div class="tile"><h3><a href="/p/${at}">Lamp ${at}</a></h3><p class="k">Features</p>` +
      `<ul><li>Brass ${at}</li>${at % 2 === 0 ? '<li>Made by hand</li>' : ''}</ul><div class="n">$${at}.50</div>` +
      `<div class="stock">${at % 4 === 0 ? 'Sold out' : 'In stock'}</div><button>Compare</button></div>`;
    const kept = lines(category(tile));
    const count = (text: string): number => kept.filter((line) => line === text).length;
    expect(['In stock', 'Made by hand', 'Features', 'Compare'].map(count)).toEqual([6, 4, 0, 0]);
  });

  test('stays where all prices are the same, above a text', () => {
    const tile = (at: number): string =>
      `<div class="tile"><a href="/p/${at}"><div>Lamp ${at}</div><div class="n">From $32</div></a></div>`;
    const text = `<h2>How lamps are made</h2>${prose(6)}`;
    const kept = lines(`${category(tile)}${text}`);
    for (const at of range(8)) expect(kept).toContain(`Lamp ${at}`);
    expect(kept.filter((line) => line === 'From $32')).toHaveLength(8);
  });

  test.each<[string, (at: number) => string, number]>([
    [
      'once',
      (at) =>
        `<h3><a href="/p/${at}">Lamp ${at}</a></h3><p><a href="/p/${at}#price">$${at}.50</a></p>`,
      8,
    ],
    [
      'by its picture where its name is none',
      (at) => `<a href="/p/${at}"><img src="/${at}.jpg"></a><h3>Lamp ${at}</h3><p>$${at}.50</p>`,
      8,
    ],
    [
      'to pages that differ in their query',
      (at) =>
        `<h3><a href="/?p=${at}">Lamp ${at}</a> by <a href="/?maker=${at}">Ash</a></h3><p>$${at}.50</p>`,
      16,
    ],
  ])('links each entry %s', (_, tile, count) => {
    const page = htmlPage(frame(category((at) => `<div class="card">${tile(at)}</div>`)));
    cleanPage(page, defaults);
    expect(page.root.querySelectorAll('a[href]').length).toBe(count);
  });
});

test.each<[string, (at: number) => string]>([
  ['headings', (at) => `<h3>Is gate ${at} open?</h3><p>${sentence}</p>`],
  [
    'boxes',
    (at) => `<div class="q"><div class="h">Is gate ${at} open?</div><div>${sentence}</div></div>`,
  ],
  ['terms', (at) => `<dt>Is gate ${at} open?</dt><dd>${sentence}</dd>`],
  ['entries', (at) => `<li><b class="t">Is gate ${at} open?</b><p>${sentence}</p></li>`],
  [
    'wide marks',
    (at) => `<div class="q"><p class="h">${at} の門は開いていますか？</p><p>${sentence}</p></div>`,
  ],
])('questions stay with their answers: %s', (_, entry) => {
  const faq = range(5).map(entry).join('');
  const kept = lines(`<main>${prose(9)}<div class="faq">${faq}</div></main>`);
  expect(kept.filter((line) => /[?？]$/.test(line))).toHaveLength(5);
});

describe('a thread', () => {
  const names = ['Rowan', 'Maris', 'Odd', 'Wren'];
  const thread = (post: (name: string, at: number) => string): string =>
    `<div class="page"><h1>Is the gate open?</h1><div class="posts">${names.map(post).join('')}</div></div>`;
  const text = (at: number): string => `<p>${sentence}</p><p>Post ${at} ends.</p>`;
  test.each<[string, (name: string, at: number) => string]>([
    [
      'a box of the author beside the text',
      (name, at) =>
        `<article class="message"><div class="user"><h4 class="message-name"><a class="username" href="/u/${at}">${name}</a></h4><h5>Well-known member</h5></div><div class="main"><ul><li><a href="/p/${at}"><time datetime="2023-12-0${at + 1}">Dec ${at + 1}, 2023</time></a></li></ul><div class="body">${text(at)}</div></div></article>`,
    ],
    [
      'below the text',
      (name, at) =>
        `<div class="answer"><div class="votes">${at + 4}</div><div class="cell">${text(at)}<div class="post-signature"><span class="relativetime">Dec ${at + 1}, 2023</span><div itemprop="author"><a href="/u/${at}">${name}</a><span>1,20${at}</span></div></div></div></div>`,
    ],
    [
      'a line above the text',
      (name, at) =>
        `<li class="comment"><p class="by"><span class="author">${name}</span> | <time>Dec ${at + 1}, 2023</time></p><div class="c">${text(at)}</div></li>`,
    ],
    [
      'rows of a table',
      (name, at) =>
        `<table class="post"><tr><td class="left"><b class="postauthor username">${name}</b></td><td class="right"><div class="postdate">Dec ${at + 1}, 2023</div><div>${text(at)}</div></td></tr></table>`,
    ],
    [
      'microdata',
      (name, at) =>
        `<div class="reply" itemscope><span itemprop="author">${name}</span><meta itemprop="x"><time itemprop="dateCreated">Dec ${at + 1}, 2023</time><div itemprop="text">${text(at)}</div></div>`,
    ],
    [
      'names without a class',
      (name, at) =>
        `<div class="beitrag"><div class="kopf"><a href="/u/${at}">${name}</a> · <time>Dec ${at + 1}, 2023</time></div><div class="inhalt">${text(at)}</div></div>`,
    ],
    [
      'a box with badges, beside a comment',
      (name, at) =>
        `<div class="answer"><div class="cell">${text(at)}<div class="d-flex"><span class="time">Dec ${at + 1}, 2023</span><div itemprop="author"><a href="/users/${at}/x">${name}</a><div>14.2${at}k</div><div><span>20 gold badges</span> <span>38 silver badges</span> <span>4${at} bronze badges</span></div></div></div></div><div class="comments"><div class="d-flex"><p>${sentence}</p><a class="username" href="/users/9/y">Commenter</a></div></div></div>`,
    ],
    [
      'a name in some posts without a mark',
      (name, at) =>
        `<div class="answer"><div class="cell">${text(at)}<div class="by"><span class="time">Dec ${at + 1}, 2023</span><a ${at > 1 ? 'class="author"' : ''} href="/users/${at}/x">${name}</a></div></div></div>`,
    ],
    [
      'the name in a column and in the text',
      (name, at) =>
        `<div class="post"><div class="inner"><dl class="profile"><dt><a class="username" href="/u/${at}">${name}</a></dt><dd>Well-known member</dd></dl><div class="postbody"><p class="author">by <a class="username" href="/u/${at}">${name}</a> » Dec ${at + 1}, 2023</p><div>${text(at)}</div></div></div></div>`,
    ],
    [
      'buttons and numbers of the author',
      (name, at) =>
        `<div class="post"><div class="post_author"><div class="author_information"><a href="/u/${at}">${name}</a></div><div class="author_statistics">Posts: 1633<br>Threads: 1234<br>Joined: Aug 2006<br>Reputation: 1${at}0</div></div><div class="post_content"><span class="post_date">Dec ${at + 1}, 2023</span><div>${text(at)}</div></div><div class="author_buttons"><a href="/find/${at}">Find</a></div></div>`,
    ],
  ])('says who wrote each post and when: %s', (_, post) => {
    const kept = lines(thread(post), 'https://forum.site.test/threads/1');
    for (const [at, name] of names.entries()) {
      const line = kept.indexOf(`${name}, Dec ${at + 1}, 2023`);
      expect(line).toBeGreaterThan(-1);
      expect(kept.indexOf(`Post ${at} ends.`)).toBeGreaterThan(line);
    }
    for (const name of names) expect(kept.filter((line) => line.startsWith(name))).toHaveLength(1);
    expect(kept).not.toContain('Well-known member');
  });

  const answer = (name: string, at: number, around = '', within = ''): string =>
    `<div class="answer${around}>${within}<div class="body">${text(at)}</div><div class="by"><a class="author" href="/u/${at}">${name}</a> <time>Dec ${at + 1}, 2023</time></div></div>`;
  test.each<[string, string, string]>([
    ['a class', ' accepted-answer"', ''],
    ['microdata', '" itemprop="acceptedAnswer"', ''],
    ['a label', '"', '<span class="badge">Accepted Solution</span>'],
    ['an icon with a label', '"', '<i class="check" aria-label="Accepted"></i>'],
  ])('says which answer was accepted: %s', (_, around, within) => {
    const post = (name: string, at: number): string =>
      answer(name, at, at === 2 ? around : ' not-accepted"', at === 2 ? within : '');
    const kept = lines(thread(post), 'https://forum.site.test/threads/1');
    expect(kept).toContain('Odd, Dec 3, 2023, accepted answer');
    expect(kept.filter((line) => line.endsWith('accepted answer'))).toHaveLength(1);
  });

  test('a label that all answers have says nothing', () => {
    const post = (name: string, at: number): string =>
      answer(name, at, '"', '<i class="check" aria-label="Accepted"></i>');
    const kept = lines(thread(post), 'https://forum.site.test/threads/1');
    expect(kept).toContain('Odd, Dec 3, 2023');
  });

  test.each([1, 3])('the question has a line of its own above %i answers', (count) => {
    const question = `<div class="question"><h1>Is the gate open?</h1><div class="cell">${text(9)}<div class="by"><a class="author" href="/u/9">Asker</a> <time>Nov 9, 2023</time></div></div></div>`;
    const answers = names.slice(0, count).map((name, at) => answer(name, at, '"'));
    const kept = lines(`${question}${answers.join('')}`, 'https://forum.site.test/threads/1');
    expect(kept.slice(0, 2)).toEqual(['Is the gate open?', 'Asker, Nov 9, 2023']);
    expect(kept).toContain('Rowan, Dec 1, 2023');
  });

  test('who started it is not said twice', () => {
    const post = (name: string, at: number): string => answer(name, at, '"');
    const started = `<div class="head"><h1>Is the gate open, and does anybody here know until when?</h1><p>Started by <a class="username" href="/u/0">Rowan</a></p></div>`;
    const kept = lines(
      `${started}${names.map(post).join('')}`,
      'https://forum.site.test/threads/1',
    );
    expect(kept.filter((line) => line.startsWith('Rowan'))).toHaveLength(1);
  });

  const first = 'The gate at the end of the harbour fails in rain, and in snow it does not open.';
  const replies = (post: (name: string, at: number) => string): string[] => {
    const box = (name: string, at: number): string =>
      `<li class="post">${at > 1 ? post(name, at) : ''}<div class="cell"><div class="by"><a class="author" href="/u/${at}">${name}</a><time title="2023-12-0${at + 1}T10:00:00Z"></time></div><div class="body">${at === 0 ? `<p>${first}</p>` : ''}<p>${name} says that key number ${at} is the one that was sold in the shop.</p></div></div></li>`;
    return lines(
      `<h1>Is the gate open?</h1><ul>${names.map(box).join('')}</ul>`,
      'https://forum.site.test/threads/1',
    );
  };

  describe('with quotations', () => {
    const own = 'The keys for the lower gate hang behind the door of the old customs house.';
    const page = (quotation: string, date = '<time>Dec 3, 2023</time>'): readonly string[] => {
      const box = (name: string, at: number, words: string): string =>
        `<li class="post"><div class="by">${date}<a class="username" href="/u/${at}">${name}</a></div><div class="body">${words}</div></li>`;
      const posts = [
        box('Rowan', 0, `<p>${first}</p>`),
        box('Maris', 1, `<p>${sentence}</p>`),
        box('Odd', 2, `<div><span>${quotation}${own}</span></div>`),
      ];
      const html = `<h1>Is the gate open?</h1><ul>${posts.join('')}</ul>`;
      return lines(html, 'https://forum.site.test/threads/1');
    };
    const quote = (text: string): string =>
      `<div class="bb_quote"><div class="quote-postedby">Originally Posted by <b>Rowan</b></div><div class="message">${text}</div></div>`;

    test('drops a copy of an earlier post with its head, not the words beside it', () => {
      const kept = page(quote(first));
      expect(kept.filter((line) => line === first)).toHaveLength(1);
      expect(kept.filter((line) => line.startsWith('Originally'))).toEqual([]);
      expect(kept).toContain(own);
    });

    test.each([
      ['other words', '<p>It opens at seven, I think, or else at eight in winter.</p>'],
      ['words of two posts', `<p>${first}</p><p>${sentence}</p>`],
    ])('keeps others whole, with the head: %s', (_, text) => {
      const kept = page(quote(text));
      expect(kept).toContain('Originally Posted by Rowan');
      expect(kept.join(' ')).toContain(
        text
          .replaceAll(/<\/?p>/g, ' ')
          .trim()
          .split('  ')[0],
      );
    });

    test.each([
      [
        '<span class="date">12-03-2023, <span class="time">09:03 AM</span></span>',
        '12-03-2023, 09:03 AM',
      ],
      ['<time><span>Dec 3, 2023</span><span>1 yr</span></time>', 'Dec 3, 2023'],
    ])('the line of a post has the whole date: %s', (date, expected) => {
      expect(page('', date)).toContain(`Maris, ${expected}`);
    });
  });

  test('a date without a text is its value', () => {
    expect(replies(() => '')).toContain('Maris, 2023-12-02');
  });

  test.each([
    ['a preview', `<div class="parent"><a href="/u/0">Rowan</a><div><p>${first}</p></div></div>`],
    ['a quotation', `<blockquote><p>${first}</p></blockquote>`],
    [
      'a quotation with its source',
      `<blockquote><div>On Friday the first of the month Rowan said:</div><p>${first}</p></blockquote>`,
    ],
  ])('the post that is answered stands there once: %s', (_, quotation) => {
    const kept = replies(() => quotation);
    expect(kept.filter((line) => line === first)).toHaveLength(1);
    expect(kept.filter((line) => line.endsWith('Rowan said:'))).toEqual([]);
    expect(kept).toContain('Wren says that key number 3 is the one that was sold in the shop.');
  });

  test('a post that repeats another one stays', () => {
    const post = (name: string, at: number): string =>
      `<div class="post"><div class="by"><a class="author" href="/u/${at}">${name}</a></div><div class="body"><p>${first}</p></div></div>`;
    const kept = lines(thread(post), 'https://forum.site.test/threads/1');
    expect(kept.filter((line) => line === first)).toHaveLength(4);
  });

  test('keeps all comments where they are the page', () => {
    const comment = (name: string, at: number): string =>
      `<div class="comment"><div class="hd"><a href="/u/${at}">${name}</a></div><div class="bd"><p>It fails in rain with key number ${at}, and in snow.</p></div></div>`;
    const kept = lines(`<main><h1>Gate fails</h1>${names.map(comment).join('')}</main>`);
    expect(kept.filter((line) => line.startsWith('It fails'))).toHaveLength(4);
  });
});

test.each(['footer', 'share', 'newsletter', 'related', 'sidebar'])(
  'a section of the text named %s stays',
  (id) => {
    const section = (name: string): string =>
      `<section id="${name}"><h2>The ${name} part</h2>${prose(2)}</section>`;
    const kept = lines(
      `<main><h1>Parts</h1>${prose(4)}${section('intro')}${section(id)}${section('end')}</main>`,
    );
    expect(kept).toContain(`The ${id} part`);
  },
);
