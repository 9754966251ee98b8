import { expect, test } from 'vitest';
import { readMarkdownBlocks } from '../../../src/content/text/markdown-blocks.ts';

/** `kind depth: first line of the block` */
function outline(lines: readonly string[]): string[] {
  const text = lines.join('\n');
  return readMarkdownBlocks(text).map(({ kind, depth, start, level }) => {
    const [line = ''] = text.slice(start).split('\n', 1);
    return `${kind}${level || ''} ${depth}: ${line.trim()}`;
  });
}

test('headings of both kinds, paragraphs of several lines, thematic breaks', () => {
  expect(
    outline(['# A', 'b', 'c', '', 'D', '===', 'E', '---', 'f', '***', '## G ##', '#no', '', '---']),
  ).toEqual([
    'heading1 0: # A',
    'text 0: b',
    'heading1 0: D',
    'heading2 0: E',
    'text 0: f',
    'text 0: ***',
    'heading2 0: ## G ##',
    'text 0: #no',
    'text 0: ---',
  ]);
});

test('code by fences, indentation and formulas, whatever is in it', () => {
  expect(
    outline([
      '````js',
      '```',
      '# no',
      '',
      '````',
      'x',
      '    still x',
      '',
      '    code',
      '',
      '    more',
      'y',
    ]),
  ).toEqual(['code 0: ````js', 'text 0: x', 'code 0: code', 'text 0: y']);
  expect(outline(['$$', 'x # y', '$$', '$$z$$', 'a', '~~~', 'to the end', '', '# no'])).toEqual([
    'code 0: $$',
    'code 0: $$z$$',
    'text 0: a',
    'code 0: ~~~',
  ]);
});

test('tables, also right after a paragraph, and as HTML', () => {
  expect(
    outline([
      'a',
      '| b | c |',
      '| --- | :-: |',
      '| d | e |',
      'f',
      '',
      '| g',
      '|-',
      '',
      '|no|table|',
    ]),
  ).toEqual(['text 0: a', 'table 0: | b | c |', 'table 0: | g', 'text 0: |no|table|']);
  expect(
    outline(['<table>', '', '<tr>', '</table>', 'a', '', '<table>', '', 'never closed']),
  ).toEqual(['table 0: <table>', 'text 0: a', 'text 0: <table>', 'text 0: never closed']);
});

test('items and quotes say how much a cut before them parts', () => {
  expect(
    outline([
      '- a',
      '  b',
      '- c',
      '',
      '  d',
      '  - e',
      '  - f',
      '    ```',
      '    x',
      '    ```',
      '- g',
      'h',
      '',
      'i',
    ]),
  ).toEqual([
    'text 0: - a',
    'text 1: - c',
    'text 2: d',
    'text 2: - e',
    'text 3: - f',
    'code 4: ```',
    'text 1: - g',
    'text 0: i',
  ]);
  expect(
    outline(['> a', 'lazy', '>', '> b', '', '> c', '1. d', '2. e', '[^1]: f', '', '    g']),
  ).toEqual([
    'text 0: > a',
    'text 2: > b',
    'text 0: > c',
    'text 0: 1. d',
    'text 1: 2. e',
    'text 0: [^1]: f',
    'text 2: g',
  ]);
});

test('settings at the start stay with the first block, and are one where nothing else is', () => {
  expect(outline(['---', 'title: x', '---', '# A'])).toEqual(['heading1 0: ---']);
  expect(outline(['---', 'title: x', '---'])).toEqual(['text 0: ---']);
  expect(readMarkdownBlocks(' \n\n')).toEqual([]);
});
