import { describe, expect, test } from 'vitest';
import { markdownOf } from './page.ts';

const intro = `<h1>Help</h1><p>${'The old harbour was closed for eleven months while the walls were repaired. '.repeat(6)}</p>`;
const pairs = [
  ['How do I return a lamp', 'Send it back within thirty days, and we pay the postage.'],
  ['Shipping', 'It takes two days: one to pack the lamp and one to carry it.'],
  ['Warranty', 'Ten years. The wick is yours to change.'],
] as const;

const all = (item: (question: string, answer: string, at: number) => string): string =>
  pairs.map(([question, answer], at) => item(question, answer, at)).join('');

describe('questions in buttons stay with their answers', () => {
  test.each<[what: string, html: string]>([
    [
      'onclick',
      all(
        (q, a) =>
          `<div class="item"><button onclick="t()">${q}</button><div class="b"><p>${a}</p></div></div>`,
      ),
    ],
    [
      'side by side',
      all((q, a) => `<button class="accordion">${q}</button><div class="panel"><p>${a}</p></div>`),
    ],
    [
      'Bootstrap 4',
      all(
        (q, a, at) =>
          `<div class="card"><div class="card-header"><button data-toggle="collapse" data-target="#c${at}">${q}</button></div><div id="c${at}" class="collapse"><div>${a}</div></div></div>`,
      ),
    ],
    [
      'with an icon',
      all((q, a) => `<li><button><span>${q}</span><svg></svg></button><p>${a}</p></li>`),
    ],
    [
      'in boxes in boxes',
      all(
        (q, a) =>
          `<section><div><div><button>${q}</button></div></div><ul><li>${a}</li></ul></section>`,
      ),
    ],
    [
      'expanded by mark',
      all(
        (q, a) =>
          `<div><button aria-expanded="false">${q}</button><div style="display:none">${a}</div></div>`,
      ),
    ],
  ])('%s', (_, html) => {
    for (const onlyMainContent of [true, false]) {
      const markdown = markdownOf(`<main>${intro}${html}</main>`, { onlyMainContent });
      for (const [question, answer] of pairs) {
        expect(markdown.indexOf(question)).toBeGreaterThan(0);
        expect(markdown.indexOf(answer)).toBeGreaterThan(markdown.indexOf(question));
      }
    }
  });
});

test.each([
  [
    'a menu',
    '<div><button>GONE</button><ul><li><a href="/a">One page here</a></li><li><a href="/b">Two pages: there</a></li></ul></div>'.repeat(
      3,
    ),
  ],
  [
    'a list of choices',
    '<div><button>GONE</button><ul><li>Small</li><li>Large</li></ul></div>'.repeat(3),
  ],
  [
    'a form',
    '<div><button>GONE</button><form>Your name: <input name="a"> and address.</form></div>'.repeat(
      3,
    ),
  ],
  [
    'a command',
    '<div><button>Show all of it, GONE</button><p>A text that stands here anyway.</p></div>'.repeat(
      3,
    ),
  ],
  ['a lone button', '<div><button>GONE</button><p>A text that stands here anyway.</p></div>'],
])('%s', (_, html) => {
  expect(markdownOf(`<main>${intro}${html}</main>`, { onlyMainContent: false })).not.toContain(
    'GONE',
  );
});
