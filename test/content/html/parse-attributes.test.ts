import { expect, test } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const limits = { nodes: 1_000_000, depth: 512 };

test('attributes are found however their names are written', () => {
  const { body } = parseHtml(
    '<BODY><A HREF="/a" CLASS="x y">a</A><img srcSet="/b 2x"><p onClick=f()>c</p></BODY>',
    limits,
  );
  expect(body.querySelector('a.y[href]')?.getAttribute('href')).toBe('/a');
  expect(body.querySelector('img')?.getAttribute('srcset')).toBe('/b 2x');
  expect(body.querySelector('p')?.hasAttribute('onclick')).toBe(true);
});

test('of two spellings the first one counts', () => {
  const { body } = parseHtml('<a HREF="/b" href="/a">a</a>', limits);
  expect(body.innerHTML).toBe('<a href="/b">a</a>');
});

test('drawings keep their names', () => {
  const { body } = parseHtml('<svg viewBox="0 0 1 1"><g pathLength="1"></g></svg>', limits);
  expect(body.querySelector('svg')?.getAttribute('viewBox')).toBe('0 0 1 1');
  expect(body.querySelector('g')?.getAttribute('pathLength')).toBe('1');
});

test('an element with very many attributes costs little time', () => {
  const attributes = Array.from({ length: 20_000 }, (_, i) => `Data${i}="1"`).join(' ');
  const started = cpuTime();
  parseHtml(`<p ${attributes}>`, limits);
  expect(cpuTime() - started).toBeLessThan(3_000);
});
