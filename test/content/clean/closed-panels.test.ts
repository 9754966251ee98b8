import { describe, expect, test } from 'vitest';
import { cpuTime } from '../../support/cpu-time.ts';
import { markdownOf } from './page.ts';

const intro =
  '<h1>The tide kayak</h1><p>A kayak for one, made of larch and linen, for bays and for slow rivers. It weighs nineteen kilos and fits on the roof of a small car.</p>';

const questions = ['Does it sink?', 'How tall may I be?', 'Can I return it?'];
const answers = [
  'Both ends are filled with cork.',
  'Up to two metres, as the rest moves.',
  'Yes, within sixty days of the sale.',
];

function accordion(item: (question: string, answer: string, index: number) => string): string {
  return questions.map((question, index) => item(question, answers[index] ?? '', index)).join('');
}

describe('answers that are closed stay', () => {
  test.each<[what: string, html: string]>([
    [
      'display: none in each item',
      accordion(
        (q, a) => `<div class="item"><p>${q}</p><div style="display:none">${a}</div></div>`,
      ),
    ],
    [
      'heads and bodies side by side',
      accordion((q, a) => `<h3>${q}</h3><section hidden>${a}</section>`),
    ],
    [
      'a definition list',
      `<dl>${accordion((q, a) => `<dt>${q}</dt><dd style="display: none;">${a}</dd>`)}</dl>`,
    ],
    [
      'a list with icons, classes that hide',
      `<ul>${accordion((q, a) => `<li><span>${q}</span><i class="plus"></i><div class="d-none"><p>${a}</p></div></li>`)}</ul>`,
    ],
    [
      'aria-hidden and no height',
      accordion(
        (q, a) =>
          `<article><h3>${q}</h3><div aria-hidden="true" style="height:0;overflow:hidden">${a}</div></article>`,
      ),
    ],
    [
      'links that collapse',
      accordion(
        (q, a, at) =>
          `<h4><a data-toggle="collapse" href="#c${at}">${q}</a></h4><div id="c${at}" style="display:none">${a}</div>`,
      ),
    ],
    [
      'buttons as heads, bodies side by side',
      accordion(
        (q, a) =>
          `<button class="accordion">${q}</button><div class="panel" style="display:none"><p>${a}</p></div>`,
      ),
    ],
    [
      'a box around head and body each',
      accordion(
        (q, a) =>
          `<div class="q"><div class="q-head"><b>${q}</b></div><div class="q-body" hidden><div><p>${a}</p></div></div></div>`,
      ),
    ],
  ])('%s', (_, html) => {
    for (const onlyMainContent of [true, false]) {
      const markdown = markdownOf(`<main>${intro}${html}</main>`, { onlyMainContent });
      for (const [index, answer] of answers.entries()) {
        expect(markdown.indexOf(answer)).toBeGreaterThan(markdown.indexOf(questions[index] ?? ''));
        expect(markdown).toContain(questions[index]);
      }
    }
  });
});

test.each([
  [
    'two questions',
    `<div><p>Does it sink?</p><div hidden>No, it never does.</div></div><div><p>Is it tall?</p><div hidden>Yes, all two metres.</div></div>`,
  ],
  [
    'panels beside the open one',
    `<div class="tab-pane">Open text.</div><div class="tab-pane" style="display:none">No, it never does.</div><div class="tab-pane" style="display:none">Yes, all two metres.</div>`,
  ],
  [
    'panels named by the tabs',
    `<button data-tab="a">A</button><button data-tab="b">B</button><div id="a" hidden>No, it never does.</div><div id="b" hidden>Yes, all two metres.</div>`,
  ],
])('%s', (_, html) => {
  const markdown = markdownOf(`<main>${intro}${html}</main>`, { onlyMainContent: false });
  expect(markdown).toContain('it never does');
  expect(markdown).toContain('all two metres');
});

describe('the rest of a text stays where its opener stands beside it', () => {
  const start = 'We lay old charts of the coast on the long table, and a pilot who knows them';
  const rest = 'tells which of the rocks has his name. Bring a lamp.';
  test.each<[what: string, html: string]>([
    [
      'a button after it',
      `<div><p>${start}</p><div style="display:none">${rest}</div><button>Read more</button></div>`,
    ],
    [
      'a span in the paragraph, the button after the paragraph',
      `<p>${start} <span id="more" style="display:none">${rest}</span></p><button onclick="f()">Mehr</button>`,
    ],
    [
      'a link that runs a script before it',
      `<div><p>${start}</p><a href="javascript:void(0)">más</a><div hidden>${rest}</div></div>`,
    ],
    [
      'a label of a check box',
      `<div><p>${start}</p><p class="d-none">${rest}</p><label for="t">もっと見る</label></div>`,
    ],
    [
      'an element named after what it does',
      `<div><p>${start}</p><p style="display:none">${rest}</p><span class="read-more">Weiterlesen</span></div>`,
    ],
  ])('%s', (_, html) => {
    expect(markdownOf(`<main>${intro}${html}</main>`)).toContain(rest);
  });

  test('entries of a list beyond the first', () => {
    const items = ['Oak', 'Ash', 'Elm', 'Larch'].map((name) => `<li>Wood of ${name}</li>`).join('');
    const html = `<ul>${items}<li style="display:none">Wood of Alder</li></ul><button>Show all</button>`;
    expect(markdownOf(`<main>${intro}${html}</main>`)).toContain('Wood of Alder');
  });
});

describe('what is hidden goes', () => {
  const menus = [1, 2, 3]
    .map(
      (at) =>
        `<li>Menu ${at}<ul style="display:none"><li><a href="/${at}">Page ${at} of the menu</a></li></ul></li>`,
    )
    .join('');
  test.each<[what: string, html: string]>([
    ['a menu', `<ul>${menus.replaceAll('of the menu', 'GONE')}</ul>`],
    [
      'one message in each item',
      accordion((q) => `<div class="card"><p>${q}</p><div hidden>GONE into your cart.</div></div>`),
    ],
    [
      'forms',
      accordion(
        (q) => `<div><p>${q}</p><form style="display:none">GONE <input name="a"></form></div>`,
      ),
    ],
    [
      'texts for screen readers',
      accordion((q, a) => `<div><p>${q}</p><span class="sr-only">GONE ${a}</span></div>`),
    ],
    [
      'a popup with a button',
      `<p>Sentence.</p><div class="popup" hidden>GONE into the night. Bye.</div><button>OK</button>`,
    ],
    [
      'a box without anything beside it',
      '<div hidden>GONE, and nobody will ever open this box again.</div>',
    ],
    [
      'a dialog',
      `<div role="dialog" aria-hidden="true"><h1>GONE</h1><p>GONE ${answers.join(' ')}</p></div>`,
    ],
  ])('%s', (_, html) => {
    expect(markdownOf(`<main>${intro}${html}</main>`, { onlyMainContent: false })).not.toContain(
      'GONE',
    );
  });
});

test.each([
  ['aria-hidden on the page', `<div aria-hidden="true"><main>${intro}</main></div>`],
  ['on the article', `<div><article aria-hidden="true">${intro}</article></div>`],
  ['on main', `<main aria-hidden="true">${intro}</main>`],
  ['on a box around a heading', `<div id="app" aria-hidden="true"><div>${intro}</div></div>`],
  ['twice', `<div aria-hidden="true"><section><article>${intro}</article></section></div>`],
])('an open dialog does not hide the page below it: %s', (_, page) => {
  const dialog = '<div role="dialog"><p>Subscribe to our letter!</p></div>';
  expect(markdownOf(`<body>${page}${dialog}</body>`)).toContain('larch and linen');
});

describe('a page that its script shows is read', () => {
  const menu = `<div class="mega-menu" style="display:none">${'<a href="/x">GONE here</a> '.repeat(40)}</div>`;

  test('in a hidden box with its heading', () => {
    const page = `<body><header>Shop</header>${menu}<div class="defer" style="display: none">${intro}</div></body>`;
    const markdown = markdownOf(page, { onlyMainContent: false });
    expect(markdown).toContain('larch and linen');
    expect(markdown).not.toContain('GONE');
  });

  test('in boxes with its heading that are only seen, smaller than the rest', () => {
    const box = `<div aria-hidden="true"><div aria-hidden="true">${intro}</div></div>`;
    const rest = `<p>${answers.join(' ').repeat(9)}</p>`;
    const markdown = markdownOf(`<body>${box}${rest}</body>`, { onlyMainContent: false });
    expect(markdown).toContain('larch and linen');
  });

  test('in hidden parts, one after the other', () => {
    const part = (index: number): string =>
      `<div id="af${index}" style="display:none"><ul><li>Kayak ${index}, ${answers.join(' ').repeat(3)}</li></ul></div>`;
    const page = `<body><p>Skip</p>${part(1)}${part(2)}<div id="late" hidden>GONE</div></body>`;
    const markdown = markdownOf(page, { onlyMainContent: false });
    expect(markdown).toContain('Kayak 1,');
    expect(markdown).toContain('Kayak 2,');
    expect(markdown).not.toContain('GONE');
  });

  test('not a hidden box with a heading of its own beside a page with one', () => {
    const box = `<div style="display:none"><h1>GONE</h1>${intro.repeat(3)}</div>`;
    expect(markdownOf(`<body>${intro}${box}</body>`, { onlyMainContent: false })).not.toContain(
      'GONE',
    );
  });
});

test('time is linear in the number of hidden elements', () => {
  const items = (count: number): string =>
    '<div><p>Head</p><div hidden>Body of text.</div></div>'.repeat(count);
  const nested = `${'<div><p>Head</p><div hidden>Text. '.repeat(400)}`;
  const titled = `<div aria-hidden="true"><h1>Head</h1>${answers.join(' ')}</div>`.repeat(10_000);
  const from = cpuTime();
  markdownOf(`<p>x</p>${items(10_000)}`);
  markdownOf(`<p>x</p>${nested}`);
  markdownOf(`<p>x</p>${titled}`);
  expect(cpuTime() - from).toBeLessThan(2_500);
});
