import { describe, expect, test } from 'vitest';
import { attributes } from '../../../src/content/formats/attributes.ts';
import { context, htmlPage, textPage } from '../../support/page.ts';

const page = htmlPage(
  '<p id="a" data-price="1">a</p><p data-price="">b</p><p>c</p><b price="2" data-price="3">d</b>',
);

test('values come in document order, for each selector in its order', () => {
  const selectors = [
    { selector: 'p', attribute: 'data-price' },
    { selector: 'b', attribute: 'price' },
    { selector: 'i', attribute: 'id' },
  ];
  expect(attributes.run(page, { selectors }, context)).toEqual([
    { selector: 'p', attribute: 'data-price', values: ['1', ''] },
    { selector: 'b', attribute: 'price', values: ['2'] },
    { selector: 'i', attribute: 'id', values: [] },
  ]);
});

test('a missing attribute is looked for as a data attribute', () => {
  const selectors = [{ selector: 'p, b', attribute: 'price' }];
  expect(attributes.run(page, { selectors }, context)).toEqual([
    { selector: 'p, b', attribute: 'price', values: ['1', '', '2'] },
  ]);
});

test.each(['p[', ':no-such-thing', '>>>'])('the selector %j gives no values', (selector) => {
  const selectors = [{ selector, attribute: 'id' }];
  expect(attributes.run(page, { selectors }, context)).toEqual([
    { selector, attribute: 'id', values: [] },
  ]);
});

test('text has no attributes', () => {
  const selectors = [{ selector: 'p', attribute: 'id' }];
  expect(attributes.run(textPage('<p id=a>'), { selectors }, context)).toEqual([
    { selector: 'p', attribute: 'id', values: [] },
  ]);
});

describe('options', () => {
  test('are taken as they are given', () => {
    expect(
      attributes.parseOptions?.({ selectors: [{ selector: ' p ', attribute: 'id' }] }),
    ).toEqual({ selectors: [{ selector: 'p', attribute: 'id' }] });
  });

  test.each([
    [{}, 'selectors: expected a list'],
    [{ selectors: [] }, 'selectors: expected a list'],
    [{ selectors: 'p' }, 'selectors: expected a list'],
    [{ selectors: ['p'] }, 'selectors[0]: expected'],
    [{ selectors: [{ selector: 'p' }] }, 'selectors[0].attribute'],
    [{ selectors: [{ selector: 7, attribute: 'id' }] }, 'selectors[0].selector'],
    [{ selectors: [{ selector: 'p', attribute: ' ' }] }, 'selectors[0].attribute'],
    [{ selectors: [{ selector: 'p', attribute: 'id', all: true }] }, '"selectors[0].all"'],
    [{ selectors: [], selector: 'p' }, '"selector"'],
  ])('%j are refused', (options, message) => {
    expect(() => attributes.parseOptions?.(options)).toThrow(message);
  });
});
