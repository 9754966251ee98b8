import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';

const bodyOf = (source: string): ReturnType<typeof parseHtml>['body'] =>
  parseHtml(source, defaultLimits).body;

describe('siblings are numbered once', () => {
  const list = bodyOf(`<ul>${'<li>x<li class=y>z'.repeat(50_000)}</ul>`);

  it.each([
    ['li:nth-child(2n)', 50_000],
    ['li:nth-child(odd)', 50_000],
    ['li:nth-last-child(-n + 3)', 3],
    ['li:nth-of-type(5)', 1],
    ['li:nth-last-of-type(even)', 50_000],
    ['li:nth-child(-2n+4 of .y)', 2],
    ['li:nth-last-child(2 of .y)', 1],
  ])('%s of 100,000', (selector, count) => {
    expect(list.querySelectorAll(selector)).toHaveLength(count);
  });

  it('the right ones are found', () => {
    const body = bodyOf('<p>1<b>2</b><p>3<p class=a>4<i class=a>5</i>');
    const found = (selector: string): string =>
      [...body.querySelectorAll(selector)].map((one) => one.firstChild?.textContent).join('');
    expect(found('p:nth-child(2)')).toBe('3');
    expect(found('body > :nth-last-child(1)')).toBe('4');
    expect(found('.a:nth-child(1 of .a)')).toBe('45');
    expect(found('p:nth-of-type(n+2)')).toBe('34');
    expect(() => body.querySelector(':nth-child(x)')).toThrow();
  });
});

describe('a selector that would take for ever on a page made for it is PARSE_LIMIT', () => {
  it.each([
    ['.none div div div div p', `${'<div>'.repeat(400)}${'<p>x</p>'.repeat(1000)}`],
    ['b ~ i', '<i></i>'.repeat(50_000)],
    ['i:has(~ b)', '<i></i>'.repeat(50_000)],
    ['i:only-of-type', `<b></b>${'<u></u><s></s>'.repeat(25_000)}${'<i></i>'.repeat(25_000)}`],
    ['.x p', `<div class="${'y '.repeat(50_000)}">${'<p>x</p>'.repeat(50_000)}</div>`],
  ])('%s', (selector, source) => {
    let outcome: unknown;
    try {
      outcome = bodyOf(source).querySelectorAll(selector);
    } catch (error) {
      outcome = error;
    }
    // Either it was found out in time, or told what to change.
    if (Array.isArray(outcome)) return;
    expect(outcome).toMatchObject({
      code: 'PARSE_LIMIT',
      message: expect.stringContaining(JSON.stringify(selector)) as unknown,
    });
  });

  it('but ordinary ones are matched on large pages', () => {
    const page = bodyOf('<div><ul><li class="a b"><a href=/x>y</a></li></ul></div>'.repeat(50_000));
    expect(page.querySelectorAll('div li.b > a[href^="/"]')).toHaveLength(50_000);
    expect(page.querySelectorAll('ul, li')).toHaveLength(100_000);
  });
});
