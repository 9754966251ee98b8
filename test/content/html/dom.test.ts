import { expect, test } from 'vitest';
import { elementsOf, isText, nodesOf } from '../../../src/content/html/dom.ts';
import { parseHtml } from '../../../src/content/html/parse.ts';

const { body } = parseHtml('<div><p>a<b>b</b></p><!--c--></div><i>d</i><hr>e', {
  nodes: 100,
  depth: 10,
});

test('elements come in document order, the root first', () => {
  expect([...elementsOf(body)].map((element) => element.localName)).toEqual(
    'body div p b i hr'.split(' '),
  );
});

test('nodes are elements, texts and comments', () => {
  const texts = [...nodesOf(body)].filter(isText).map((node) => node.data);
  expect(texts).toEqual(['a', 'b', 'd', 'e']);
  expect([...nodesOf(body)]).toHaveLength(11);
});

test('the walk stays within its root', () => {
  const div = body.querySelector('div');
  const hr = body.querySelector('hr');
  if (div === null || hr === null) throw new Error('the fixture has changed');
  expect([...elementsOf(div)].map((element) => element.localName)).toEqual(['div', 'p', 'b']);
  expect([...nodesOf(hr)]).toHaveLength(1);
});
