import { describe, expect, it } from 'vitest';
import { mainContent } from '../../../../src/content/clean/main-content/index.ts';
import { blockLines, defaults, htmlPage } from '../page.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const text =
  'A sentence of the content, which says what the function does and what it gives back. '.repeat(4);
const menu = '<ul><li><a href="a.html">Alpha</a></li><li><a href="b.html">Beta</a></li></ul>';

/** The blocks of text that stay of a page. */
function linesOf(body: string, title = 'queue'): string[] {
  const page = htmlPage(`<head><title>${title}</title></head><body>${body}</body>`);
  mainContent.apply(page, defaults);
  return blockLines(page.root).map((line) => line.slice(0, 40));
}

describe('the content that a generator of documentation marks', () => {
  it('is kept whole, with signatures and lists of links', () => {
    const lines = linesOf(
      `<nav>${menu}</nav><main><h1>Queue</h1><div class="type-signature">public class Queue</div>` +
        `<section class="class-description"><p>${text}</p></section>${menu}</main>`,
    );
    expect(lines).toEqual(['Queue', 'public class Queue', text.slice(0, 40), 'Alpha', 'Beta']);
  });

  it('is without what the generator adds, and without a list of its own headings', () => {
    const lines = linesOf(
      `<div id="content"><h1>Queue</h1><div class="box_info">lib/queue.rb</div>` +
        `<ul class="toc"><li><a href="#one">One</a></li><li><a href="#two">Two</a></li></ul>` +
        `<ul id="toc"><li><a href="a.html">Alpha</a></li></ul>` +
        `<h2 id="one">One <small><a class="summary_toggle">collapse</a></small></h2><p>${text}</p></div>`,
    );
    expect(lines).toEqual(['Queue', 'lib/queue.rb', 'Alpha', 'One', text.slice(0, 40)]);
  });

  it('has a title that stands outside, but no name of the site', () => {
    const content = (heading: string): string =>
      `<div class="documentwrapper"><div role="main">${heading}<p>${text}</p></div></div>`;
    expect(linesOf(`<h1>Queue</h1>${content('')}`)).toEqual(['Queue', text.slice(0, 40)]);
    expect(linesOf(`<h1>Acme</h1>${content('<h2>Queue</h2>')}`, 'Queue - Acme')).toEqual([
      'Queue',
      text.slice(0, 40),
    ]);
  });

  it('is not believed where most of the text stands outside', () => {
    const lines = linesOf(
      `<article><h1>Queue</h1><p>${text}</p><p>${text}</p></article>` +
        `<div id="content" class="box_info"><p>${text.slice(0, 250)}</p></div>`,
    );
    expect(lines.length).toBeGreaterThanOrEqual(3);
  });

  it('is not looked for where only one of the names is there', () => {
    const other = `<div><p>${text.toUpperCase()}</p></div>`;
    const lines = linesOf(`<div id="content"><p>${text}</p></div>${other}`);
    expect(lines).toHaveLength(2);
  });

  it('is found in time on a page that has every name thousands of times', () => {
    const box = '<div class="toc contents headertitle memitem" id="content"><a href="#x">x</a>';
    const page = htmlPage(`<body>${(box + '</div>').repeat(5000)}${box.repeat(300)}</body>`);
    const start = cpuTime();
    mainContent.apply(page, defaults);
    expect(cpuTime() - start).toBeLessThan(3000);
  });
});
