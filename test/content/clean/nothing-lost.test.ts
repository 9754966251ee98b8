import { describe, expect, it, test } from 'vitest';
import { cleanPage } from '../../../src/content/clean/index.ts';
import { readHeadingIds } from '../../../src/content/formats/chunks/headings.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { blockLines, defaults, htmlPage } from './page.ts';

function linesOf(body: string): string[] {
  const page = htmlPage(`<body>${body}</body>`);
  cleanPage(page, { ...defaults, onlyMainContent: false });
  return blockLines(page.root);
}

const answer = 'The answer is a sentence.';

describe('what is made plain keeps its text', () => {
  it.each<[what: string, body: string, lines: string[]]>([
    [
      'the questions of an accordion of tabs',
      `<div role="tablist"><div><button role="tab" aria-controls="a">What is it?</button></div>
        <div role="tabpanel" id="a">${answer}</div></div>`,
      ['What is it?', answer],
    ],
    [
      'headings that are tabs',
      `<h3><button role="tab" aria-controls="a">Delivery</button></h3><div id="a">${answer}</div>`,
      ['Delivery', answer],
    ],
    [
      'what a bar of tabs holds beside them',
      `<div role="tablist"><p>There are two plans, and both are free.</p><a role="tab" href="#a">One</a></div>
        <div id="a">${answer}</div>`,
      ['There are two plans, and both are free.', 'One', answer],
    ],
    [
      'the labels of panels that are empty',
      '<ul class="nav-tabs"><li><a href="#a">Maps</a></li></ul><div id="a"></div>',
      ['Maps'],
    ],
    [
      'a button that holds a passage',
      `<p>Before.</p><div><button>${answer.repeat(20)}</button></div>`,
      ['Before.', answer.repeat(20)],
    ],
    [
      'buttons, where they are all there is',
      '<button>Yes</button><button>No</button>',
      ['Yes', 'No'],
    ],
    [
      'the rows of a box after its icon and content',
      '<div class="admonitionblock note"><table><tr><td class="icon">Note</td><td class="content">One</td></tr><tr><td>Two</td></tr></table></div>',
      ['Note', 'One', 'Two'],
    ],
    [
      'the paragraphs of a box that is called after its title',
      '<div class="admonition tip"><div class="title-box"><h4>Head</h4><p>One</p></div><p>Two</p></div>',
      ['Head', 'One', 'Two'],
    ],
    [
      'a line about rights in a box for copy',
      `<p>${answer}</p><div class="copy">Copyright 2020</div>`,
      [answer, 'Copyright 2020'],
    ],
  ])('%s', (_, body, lines) => {
    expect(linesOf(body)).toEqual(lines);
  });

  it('links and pictures in plain preformatted text', () => {
    const page = htmlPage(
      '<body><pre>See <a href="/a">this</a>\n<img src="/b.png" alt=""></pre><pre><button>Copy</button><a href="/c">x</a></pre></body>',
    );
    cleanPage(page, defaults);
    expect(page.root.innerHTML).toBe(
      '<pre><code>See <a href="https://site.test/a">this</a>\n<img src="https://site.test/b.png" alt=""></code></pre><pre><code>x</code></pre>',
    );
  });
});

// Each of these takes half a minute where what is inside is looked at again on every level.
const deep = (open: string, close: string, inner: string): string =>
  open.repeat(240) + inner + close.repeat(240);

test.each([
  ['buttons', deep('<button><b>', '</b></button>', '<b>x</b>'.repeat(300_000))],
  ['code', deep('<code><b>', '</b></code>', '<b>x</b>'.repeat(300_000))],
  [
    'tabs without content',
    `${'<div role="tablist"><a role="tab" href="#p">T</a></div>'.repeat(5000)}<div id="p">${'<b></b>'.repeat(100_000)}</div>`,
  ],
])('%s in each other end in time', (_, body) => {
  const page = htmlPage(`<body>${body}</body>`);
  const started = cpuTime();
  cleanPage(page, { ...defaults, onlyMainContent: false });
  expect(cpuTime() - started).toBeLessThan(10_000);
  expect(page.root.firstChild).not.toBeNull();
});

test('the ids of headings in each other are read in time', () => {
  const page = htmlPage(
    `<body>${deep('<h2><span id="">', '</span></h2>', 'word '.repeat(500_000))}</body>`,
  );
  const started = cpuTime();
  expect(readHeadingIds(page.root, page.url)).toHaveLength(240);
  expect(cpuTime() - started).toBeLessThan(10_000);
});
