import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';

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
    ['<td>cell', 'cell'],
    [
      '<p>a<noscript><iframe src=x /> </NOSCRIPT>b',
      '<p>a<noscript><!--iframe src=x /--> </noscript>b</p>',
    ],
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

  it('closes a noscript in a template, and a template in a noscript', () => {
    expect(head('<template><noscript></noscript>a</template>')).toBe(
      '<template><noscript></noscript>a</template>',
    );
    expect(body('<p><template><noscript></noscript><img></template>b')).toBe(
      '<p><template><noscript></noscript><img></template>b</p>',
    );
    expect(head('<noscript><template></noscript><body>a</template><meta></noscript>')).toBe(
      '<noscript><template>a</template><meta></noscript>',
    );
  });

  it('merges the attributes of a second body without nesting it', () => {
    const document = parseHtml('<body class=a>1<body class=b id=c>2', defaultLimits);
    expect(document.body.getAttribute('class')).toBe('a');
    expect(document.querySelectorAll('body')).toHaveLength(1);
    expect(document.body.textContent).toBe('12');
  });
});

describe('parseHtml reads what is large', () => {
  it.each([
    ['100,000 links', '<a href=/x>y</a>'.repeat(100_000)],
    ['50,000 attributes', `<p ${Array.from({ length: 50_000 }, (_, n) => `a${n}=1`).join(' ')}>x`],
    ['a line of 1 MB', 'x'.repeat(1_000_000)],
    ['20,000 unclosed paragraphs', '<p>x'.repeat(20_000)],
    ['1,000 nested tables', `${'<table><tr><td>'.repeat(1_000)}x`],
    ['200,000 nested divs', `${'<div>'.repeat(200_000)}x`],
    ['markup inside a script', `<script>${'"<div>"+'.repeat(5_000)}</script><p>x`],
  ])('%s', (_, source) => {
    expect(parseHtml(source, defaultLimits).body.textContent).not.toBe('');
  });

  it('but not a million elements and one', () => {
    expect(() => parseHtml('<i></i>'.repeat(1_000_001), defaultLimits)).toThrow(
      'The page has more than 1000000 nodes. Raise limits.nodes to read it.',
    );
  });
});
