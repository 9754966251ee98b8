import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const bodyOf = (source: string): ReturnType<typeof parseHtml>['body'] =>
  parseHtml(source, { nodes: 100_000, depth: 512 }).body;

describe('the tree changes as a DOM does', () => {
  it('moves, inserts, replaces and removes nodes', () => {
    const body = bodyOf('<p id=a>1</p><p id=b>2</p><p id=c>3</p>');
    const [a, b, c] = [...body.querySelectorAll('p')];
    if (a === undefined || b === undefined || c === undefined) throw new Error('three paragraphs');
    body.insertBefore(c, a);
    expect(body.textContent).toBe('312');
    a.before(b);
    a.after(c);
    expect(body.textContent).toBe('213');
    const i = bodyOf('').ownerDocument?.createElement('I');
    expect(i?.localName).toBe('i');
    b.replaceWith(...c.childNodes);
    expect(body.innerHTML).toBe('3<p id="a">1</p><p id="c"></p>');
    a.remove();
    expect(body.childNodes).toHaveLength(2);
    expect(body.firstChild?.nextSibling).toBe(c);
    expect(c.previousSibling).toBe(body.firstChild);
    expect(body.lastChild).toBe(c);
  });

  it('refuses a text in place of a node, and says what to pass', () => {
    const append = (): void => bodyOf('').append('text' as never);
    expect(append).toThrow(/pass page\.document\.createTextNode/);
  });

  it('refuses to move a node into itself', () => {
    const body = bodyOf('<div><p>x</p></div>');
    const div = body.querySelector('div');
    const p = body.querySelector('p');
    if (div === null || p === null) throw new Error('div and p');
    expect(() => p.appendChild(div)).toThrow();
    expect(body.innerHTML).toBe('<div><p>x</p></div>');
  });

  it('clones deeply and shallowly, without ties to the original', () => {
    const body = bodyOf('<ul class=x><li>1<li>2</ul>');
    const list = body.querySelector('ul');
    const copy = list?.cloneNode(true);
    const shell = list?.cloneNode();
    list?.setAttribute('class', 'y');
    expect(copy).toHaveProperty('outerHTML', '<ul class="x"><li>1</li><li>2</li></ul>');
    expect(shell).toHaveProperty('outerHTML', '<ul class="x"></ul>');
  });

  it('reads and writes attributes whatever their names are', () => {
    const p = bodyOf('<p Title=x __proto__=y constructor=z>').querySelector('p');
    expect(p?.getAttribute('TITLE')).toBe('x');
    expect(p?.getAttribute('toString')).toBeNull();
    expect(p?.getAttribute('constructor')).toBe('z');
    p?.removeAttribute('title');
    expect(p?.hasAttribute('title')).toBe(false);
    expect(p?.id).toBe('');
  });

  it('removes 100,000 siblings in no time', () => {
    const body = bodyOf('<b></b>'.repeat(49_000));
    const before = cpuTime();
    for (const element of body.querySelectorAll('b')) element.remove();
    expect(body.firstChild).toBeNull();
    expect(cpuTime() - before).toBeLessThan(2000);
  });
});

describe('selectors', () => {
  const body = bodyOf(
    '<section id=s><h2>A</h2><p class="x y">1</p><p>2</p><div><p>3</p></div></section><p>4</p>',
  );

  it.each([
    ['p', '1234'],
    ['#s > p', '12'],
    ['h2 + p', '1'],
    ['h2 ~ p', '12'],
    ['p.x.y', '1'],
    ['p:not(.x)', '234'],
    ['p:nth-child(3)', '2'],
    ['section p:last-child', '3'],
    ['div:has(p)', '3'],
    ['p:contains(4)', '4'],
    ['[class~=y], h2', 'A1'],
  ])('%s', (selector, expected) => {
    expect([...body.querySelectorAll(selector)].map((found) => found.textContent).join('')).toBe(
      expected,
    );
  });

  it('match upwards with closest', () => {
    const p = body.querySelector('div p');
    expect(p?.closest('section')?.id).toBe('s');
    expect(p?.closest('p')).toBe(p);
    expect(p?.closest('article')).toBeNull();
    expect(p?.matches('div > p')).toBe(true);
  });

  it('find their way in long lists in time', () => {
    const list = bodyOf(`<ul>${'<li>x</li>'.repeat(10_000)}</ul>`);
    const before = cpuTime();
    expect(list.querySelectorAll('li:nth-child(2n)')).toHaveLength(5_000);
    expect(cpuTime() - before).toBeLessThan(5000);
  });

  it('throw when they are wrong', () => {
    expect(() => body.querySelector('p[')).toThrow();
  });
});

describe('serialisation', () => {
  it.each([
    ['<p>a &amp; b &lt; c&nbsp;</p>', '<p>a &amp; b &lt; c&nbsp;</p>'],
    ['<a title="&quot;&amp;">x</a>', '<a title="&quot;&amp;">x</a>'],
    ['<br><img src=a>', '<br><img src="a">'],
    ['<script>a < b && c</script>', '<script>a < b && c</script>'],
    ['<textarea><p>x</textarea>', '<textarea>&lt;p&gt;x</textarea>'],
    ['a<!-- c -->b', 'a<!-- c -->b'],
  ])('%s', (source, expected) => {
    // The first comment or script of a page would belong to its head.
    expect(bodyOf(`<body>${source}`).innerHTML).toBe(expected);
  });
});
