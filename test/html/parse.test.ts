import { describe, expect, it } from 'vitest';
import type { DomElement } from '../../src/html/dom.ts';
import { parseHtml } from '../../src/html/parse.ts';
import { defaultLimits } from '../../src/network/limits.ts';

const body = (source: string): string => parseHtml(source, defaultLimits).body.innerHTML;
const head = (source: string): string => parseHtml(source, defaultLimits).head.innerHTML;

describe('parseHtml gives html, head and body, whatever it gets', () => {
  it.each([
    ['', ''],
    ['just text', 'just text'],
    ['<p>a<p>b', '<p>a</p><p>b</p>'],
    ['<!-- c --><div>1</div><div>2</div>', '<div>1</div><div>2</div>'],
    ['<html><head></head><body>a</body></html><p>after', 'a<p>after</p>'],
    ['<html><head><title>t</title></head>text', 'text'],
    ['<!doctype html><title>x</title><p>hi', '<p>hi</p>'],
    ['<body class=a><body id=b>x', 'x'],
    ['<td>cell', '<td>cell</td>'],
  ])('%j', (source, expected) => {
    const document = parseHtml(source, defaultLimits);
    expect(document.documentElement.localName).toBe('html');
    expect(document.documentElement.firstElementChild?.localName).toBe('head');
    expect(body(source)).toBe(expected);
  });

  it('puts what belongs to the head there', () => {
    expect(head('<title>x</title><meta name=a content=b><p>hi<meta name=c>')).toBe(
      '<title>x</title><meta name="a" content="b">',
    );
  });

  it('merges the attributes of a second body without nesting it', () => {
    const document = parseHtml('<body class=a>1<body class=b id=c>2', defaultLimits);
    expect(document.body.getAttribute('class')).toBe('a');
    expect(document.querySelectorAll('body')).toHaveLength(1);
    expect(document.body.textContent).toBe('12');
  });
});

describe('parseHtml keeps trees flat', () => {
  it('makes siblings of what is nested deeper than the limit', () => {
    const { body } = parseHtml('<div>'.repeat(30) + '<b>x</b><i>y</i>', { nodes: 1000, depth: 10 });
    const depth = (element: DomElement | null): number =>
      element === null ? 0 : 1 + depth(element.parentElement);
    expect(Math.max(...[...body.querySelectorAll('*')].map(depth))).toBeLessThanOrEqual(12);
    expect(body.textContent).toBe('xy');
  });
});

describe('parseHtml refuses what would take for ever', () => {
  const within = (source: string): number => {
    const before = performance.now();
    try {
      parseHtml(source, defaultLimits);
    } catch (error) {
      expect(error).toMatchObject({ code: 'PARSE_LIMIT' });
    }
    return performance.now() - before;
  };

  it.each([
    ['200,000 nested divs', '<div>'.repeat(200_000)],
    [
      '200,000 nested divs behind a script with markup',
      `<script>"<div>"</script>${'<div>'.repeat(200_000)}`,
    ],
    ['2,000,000 tags', '<i></i>'.repeat(1_000_001)],
  ])('%s', (_, source) => {
    expect(() => parseHtml(source, defaultLimits)).toThrow(/more than/);
    expect(within(source)).toBeLessThan(2000);
  });

  it.each([
    ['100,000 links', '<a href=/x>y</a>'.repeat(100_000)],
    ['50,000 attributes', `<p ${Array.from({ length: 50_000 }, (_, n) => `a${n}=1`).join(' ')}>x`],
    ['a line of 1 MB', 'x'.repeat(1_000_000)],
    ['20,000 unclosed paragraphs', '<p>x'.repeat(20_000)],
    ['1,000 nested tables', `${'<table><tr><td>'.repeat(1_000)}x`],
    ['10,000 nested divs', `${'<div>'.repeat(10_000)}x`],
    ['markup inside a script', `<script>${'"<div>"+'.repeat(5_000)}</script><p>x`],
  ])('but reads %s', (_, source) => {
    expect(parseHtml(source, defaultLimits).body.textContent).not.toBe('');
    expect(within(source)).toBeLessThan(10_000);
  });
});
