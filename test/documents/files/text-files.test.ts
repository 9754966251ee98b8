/** Feeds, mails and subtitles: what may be in their texts. */
import { parse } from 'pagewright';
import { expect, test } from 'vitest';
import { paragraphs } from '../../../src/content/parsers/html-fragment.ts';
import { isHeavy } from '../../../src/core/page/run-inline-or-worker.ts';

test('a megabyte of blanks within a paragraph is read in no time to speak of', () => {
  expect(paragraphs(`a${' '.repeat(1_000_000)}b`)).toMatch(/^<p>a +b<\/p>$/);
});

test('a table with tabs or semicolons is as heavy as one with commas', () => {
  for (const separator of [',', ';', '\t', '|']) {
    expect(isHeavy(Buffer.from(`a${separator}`.repeat(50_000)))).toBe(true);
  }
  // The indents of a page are none.
  expect(isHeavy(Buffer.from(`<main>${'\n\t\tword;'.repeat(10_000)}`))).toBe(false);
});

test('a JSON Feed with escaped slashes is one', async () => {
  const feed = String.raw`{"version":"https:\/\/jsonfeed.org\/version\/1.1","title":"Harbour","items":[{"id":"1","title":"Tide","content_text":"High."}]}`;
  const { markdown } = await parse(feed, { contentType: 'application/json' });
  expect(markdown).toMatch(/^# Harbour\n/);
});

test('what is said twice stands twice, what a caption shows again once', async () => {
  const cue = (from: string, to: string, text: string): string =>
    `00:00:${from}.000 --> 00:00:${to}.000\n${text}\n\n`;
  const said = `WEBVTT\n\n${cue('01', '02', 'No.')}${cue('04', '05', 'No.')}`;
  expect((await parse(said, { contentType: 'text/vtt' })).markdown).toContain('No. No.');
  const rolling = `WEBVTT\n\n${cue('01', '02', 'One')}${cue('02', '03', 'One\ntwo')}`;
  expect((await parse(rolling, { contentType: 'text/vtt' })).markdown).toContain('One two');
});
