import { describe, expect, it } from 'vitest';
import {
  type DomDocument,
  type DomElement,
  type DomNode,
  isElement,
} from '../../../src/content/html/dom.ts';
import { parseHtml, type ParseLimits } from '../../../src/content/html/parse.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';

interface Parsed {
  readonly document: DomDocument;
  readonly warnings: readonly string[];
}

function parse(source: string, limits: Partial<ParseLimits> = {}): Parsed {
  const warnings: string[] = [];
  const document = parseHtml(source, { ...defaultLimits, ...limits }, (one) => warnings.push(one));
  return { document, warnings };
}

/** Levels of the deepest element; in one walk, as the pages here are large. */
function deepest(document: DomDocument): number {
  let most = 0;
  let level = 1;
  for (let node: DomNode | null = document.documentElement; node !== null;) {
    if (isElement(node)) most = Math.max(most, level);
    if (node.firstChild !== null) {
      node = node.firstChild;
      level += 1;
      continue;
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parentNode;
      level -= 1;
    }
    node = node?.nextSibling ?? null;
  }
  return most;
}

describe('limits.depth', () => {
  // html and body are the first two levels.
  const nested = (levels: number): string => `<body>${'<div>'.repeat(levels - 2)}<!--end-->`;

  it('levels up to the limit stay as they are', () => {
    const { document, warnings } = parse(nested(10), { depth: 10 });
    expect(warnings).toEqual([]);
    expect(deepest(document)).toBe(10);
    expect(document.querySelectorAll('div div div div div div div div')).toHaveLength(1);
  });

  it('one level more stands beside its parent, with a warning that says what to raise', () => {
    const { document, warnings } = parse(nested(11), { depth: 10 });
    expect(warnings).toEqual([expect.stringMatching(/deeper than 10 levels.*limits\.depth/)]);
    expect(deepest(document)).toBe(10);
    expect(document.querySelectorAll('div')).toHaveLength(9);
  });

  it('text and links keep their order and their elements', () => {
    const deep = `${'<div>'.repeat(20)}1<a href="/x">2<b>3</b>4</a>5<br>6${'</div>'.repeat(20)}7<p>8`;
    const { document } = parse(deep, { depth: 6 });
    expect(document.body.textContent).toBe('12345678');
    expect(document.querySelector('a')?.textContent).toBe('2');
    expect(document.body.lastChild?.textContent).toBe('8');
    expect(document.body.lastChild?.previousSibling?.textContent).toBe('7');
  });

  it('what follows the deep part is where it belongs', () => {
    const { document } = parse(
      `<main>${'<i>'.repeat(50)}x${'</i>'.repeat(50)}<p>y</p></main><p>z`,
      {
        depth: 12,
      },
    );
    expect(document.querySelectorAll('main > p')).toHaveLength(1);
    expect(document.querySelectorAll('body > p')).toHaveLength(1);
  });

  it.each([1, 2, 3])('html, body and a level below them are always there (%i)', (depth) => {
    const { document } = parse('<div><p>a</p><p>b</p></div>', { depth });
    expect(document.body.innerHTML).toBe('<div></div><p>a</p><p>b</p>');
  });
});

describe('limits.nodes', () => {
  it('as many as the limit are read, one more is PARSE_LIMIT', () => {
    const source = '<p>a</p><!--b--><br>';
    expect(parse(source, { nodes: 4 }).document.body.childNodes).toHaveLength(3);
    expect(() => parse(source, { nodes: 3 })).toThrow(
      expect.objectContaining({
        code: 'PARSE_LIMIT',
        message: expect.stringMatching(/more than 3 nodes.*limits\.nodes/) as unknown,
      }),
    );
  });
});

describe('limits.attributes', () => {
  it('as many as the limit are kept, further ones are left out with a warning', () => {
    const source = '<p a=1 b=2><p c=3>x';
    const whole = parse(source, { attributes: 3 });
    expect(whole.warnings).toEqual([]);
    expect(whole.document.body.innerHTML).toBe('<p a="1" b="2"></p><p c="3">x</p>');
    const cut = parse(source, { attributes: 2 });
    expect(cut.warnings).toEqual([
      expect.stringMatching(/more than 2 attributes.*limits\.attributes/),
    ]);
    expect(cut.document.body.innerHTML).toBe('<p a="1" b="2"></p><p>x</p>');
  });

  it('repeated names count once', () => {
    expect(parse('<p a=1 a=2 a=3 b=4>', { attributes: 2 }).warnings).toEqual([]);
  });

  it('a formatting element that goes on in the next paragraphs counts in each', () => {
    const { document, warnings } = parse('<p><b x=1>a<p>b<p>c', { attributes: 2 });
    expect(document.body.innerHTML).toBe(
      '<p><b x="1">a</b></p><p><b x="1">b</b></p><p><b>c</b></p>',
    );
    expect(warnings).toHaveLength(1);
  });

  it.each(['p', 'body'])('one element (%s) keeps its first thousand', (name) => {
    const attributes = (count: number): string =>
      Array.from({ length: count }, (_, index) => `a${index}=1`).join(' ');
    const last = (count: number): Parsed => parse(`<${name} ${attributes(count)}>x`);
    expect(last(1000).warnings).toEqual([]);
    const { document, warnings } = last(1001);
    expect(warnings).toEqual([expect.stringMatching(/element with more than 1000 attributes/)]);
    expect(document.querySelector(name)?.attributes).toHaveLength(1000);
  });

  it('many body tags are no way around it', () => {
    const tags = Array.from({ length: 1500 }, (_, index) => `<body a${index}=1>`).join('');
    const { document, warnings } = parse(tags);
    expect(document.body.attributes).toHaveLength(1000);
    expect(warnings).toHaveLength(1);
  });
});

describe('shapes that have cost parsers minutes are read', () => {
  const many = 200_000;
  it.each([
    ['nested divs', '<div>'.repeat(many), 'div'],
    ['nested divs that are closed', '<div>'.repeat(many) + '</div>'.repeat(many), 'div'],
    ['divs behind a script with markup', `<script>"<div>"</script>${'<div>'.repeat(many)}`, 'div'],
    ['formatting elements', '<b><i>x'.repeat(many / 2), 'b'],
    ['links that are never closed', '<a href=/x>y'.repeat(many), 'a'],
    [
      'elements of different names',
      Array.from({ length: 50_000 }, (_, n) => `<x${n}>`).join(''),
      'x1',
    ],
    ['nested tables', '<table><tr><td>'.repeat(many / 4), 'table'],
    ['nested drawings', '<svg>'.repeat(many), 'svg'],
    ['drawings in formulas in drawings', '<svg><foreignObject><math><mi>'.repeat(many / 4), 'svg'],
    ['nested templates', '<template>'.repeat(many), 'template'],
    ['forms in forms', '<form>'.repeat(many), 'form'],
    ['end tags of nothing', `<body>${'</div>'.repeat(many)}${'</p>'.repeat(1000)}`, 'p'],
    ['links after nested divs', '<div>'.repeat(many / 2) + '<a>'.repeat(many / 10), 'a'],
    ['end tags of nothing, deep down', '<div>'.repeat(many / 4) + '</i>'.repeat(many), 'div'],
    ['a comment without an end', `<p>x</p><!--${'<!-- '.repeat(many)}`, 'p'],
    ['a script without an end', `<p>x</p><script>${'</scrip '.repeat(many)}`, 'script'],
    ['a title without an end', `<p>x</p><title>${'&amp;</titl'.repeat(many)}`, 'title'],
    ['a quote without an end', `<p>x</p><a href="${'<p class="'.repeat(many)}`, 'p'],
    ['character references', `<p>${'&amp;&#x;&#x110000;&nope'.repeat(many / 4)}`, 'p'],
    ['opening brackets', `<p>${'<'.repeat(1_000_000)}`, 'p'],
    ['zero bytes', `<p>${'\0'.repeat(1_000_000)}`, 'p'],
    ['a value of 5 MB', `<p title="${'x'.repeat(5_000_000)}">y`, 'p'],
  ])('%s', (_, source, name) => {
    const { document } = parse(source);
    expect(document.querySelector(name)).not.toBeNull();
    expect(deepest(document)).toBeLessThanOrEqual(512);
  });
});

it('a copy of a deep tree is made without recursion', () => {
  const { document } = parse(`${'<div>'.repeat(900)}x<b>y</b>z`, { depth: 1000 });
  const copy = document.body.cloneNode(true) as DomElement;
  expect(copy.outerHTML).toBe(document.body.outerHTML);
  expect(copy.parentNode).toBeNull();
});
