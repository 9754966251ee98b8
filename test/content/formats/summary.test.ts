/** The summary format, beyond the cases in fixtures/pages/summary. */
import { readFileSync } from 'node:fs';
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';
import { summary } from '../../../src/content/formats/summary/index.ts';
import { runFormat } from '../../../src/content/formats/run-format.ts';
import { pageParagraphs } from '../../../src/content/formats/summary/paragraphs.ts';
import { formatConformance } from '../../../src/entries/testing/format-conformance.ts';
import { context, htmlPage, textPage } from '../../support/page.ts';

const summaryOf = async (html: string): Promise<string> =>
  await runFormat(summary, htmlPage(html), undefined, context);

/** Sentences of different words, so that none repeats another. */
const sentences = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, n) => `Boat ${n}x carries ${n}y crates of ${n}z to pier ${n}w.`,
  );

describe('summary', () => {
  test('is made of sentences of the page, in their order, 120 words at most', async () => {
    const all = sentences(200);
    const given = await summaryOf(all.map((text) => `<p>${text}</p>`).join(''));
    const chosen = given.split(/(?<=\.) /);
    expect(chosen.length).toBeGreaterThanOrEqual(3);
    expect(chosen.length).toBeLessThanOrEqual(5);
    expect(given.split(' ').length).toBeLessThanOrEqual(120);
    expect(all.filter((text) => chosen.includes(text))).toEqual(chosen);
  });

  test('prefers what the description of the page is about', async () => {
    const html = readFileSync(
      new URL('../../../fixtures/pages/summary/same-sentence-twice/page.html', import.meta.url),
      'utf8',
    );
    const hint = '<meta name="description" content="A bus to the village and the lighthouse">';
    expect(await summaryOf(html)).not.toContain('a bus waits');
    expect(await summaryOf(`<head>${hint}</head>${html}`)).toContain('a bus waits');
  });

  test('reads markdown of pages that are no tree, without its marks', async () => {
    const text = `# Title\n\nThe [port](http://a.test/b) has **two** \`walls\` and \\*one\\* light.\n\n- Item\n\n> It is open.\n`;
    expect(await runFormat(summary, textPage(text), undefined, context)).toBe(
      'The port has two walls and *one* light. Item It is open.',
    );
  });

  test('is empty, with a warning, for a page without text', async () => {
    const page = htmlPage('<h1>Ports</h1>');
    expect(await runFormat(summary, page, undefined, context)).toBe('');
    expect(await runFormat(summary, page, undefined, context)).toBe('');
    expect(page.warnings).toEqual(['The page has no text that a summary could be made of.']);
    expect(await summaryOf('')).toBe('');
    expect(await summaryOf('<h1>Only a heading</h1><img src="a.png" alt="A picture.">')).toBe('');
    expect(await runFormat(summary, textPage('```js\ncall();\n```'), undefined, context)).toBe('');
  });

  test('says in the metadata how it was made, and only where it was asked for', async () => {
    const html = '<meta name="summaryMethod" content="magic"><p>The office is closed.</p>';
    const of = { contentType: 'text/html', url: 'https://example.test/' };
    const asked = await parse(Buffer.from(html), { ...of, formats: ['summary'] });
    expect(asked.summary).toBe('The office is closed.');
    expect(asked.metadata.summaryMethod).toBe('extractive');
    const other = await parse(Buffer.from(html), { ...of, formats: ['markdown'] });
    expect(other.metadata).not.toHaveProperty('summaryMethod');
  });

  test.each<[string, string]>([
    ['100,000 sentences', sentences(100_000).join(' ')],
    ['100,000 paragraphs', '<p>The boat is at the pier of the port.</p>'.repeat(100_000)],
    ['one word of 3 MB', 'x'.repeat(3_000_000)],
    ['one sentence of 3 MB', `${'word '.repeat(600_000)}.`],
    ['full stops', '. '.repeat(500_000)],
    ['initials', 'A. '.repeat(300_000)],
    ['raised text', `${'<sup>'.repeat(500)}${'a<sup>b</sup>'.repeat(50_000)}`],
    ['nested tables', `${'<table><tr><td>'.repeat(150)}${sentences(5000).join(' ')}`],
    ['nested links', '<a href=/a>a <div>'.repeat(100_000)],
  ])('of a page of %s comes soon', { timeout: 20_000 }, async (_, html) => {
    const given = await summaryOf(html);
    expect(given.length).toBeLessThan(3000);
  });

  test.each(formatConformance(summary))('$name', ({ run }) => run());
});

describe('the paragraphs that a summary is made of', () => {
  test('end at two line breaks, and go on after one', () => {
    const { root } = htmlPage('<body>One<br>and<br> <br>two<br><br>three</body>');
    expect(pageParagraphs(root).map(({ text }) => text)).toEqual(['One and', 'two', 'three']);
  });

  // Where every break looks back at all of the text, this takes minutes.
  test('are read in time from a page of line breaks', { timeout: 10_000 }, () => {
    const { root } = htmlPage(`<body>One${'<br>'.repeat(500_000)}two</body>`);
    expect(pageParagraphs(root).map(({ text }) => text)).toEqual(['One', 'two']);
  });
});
