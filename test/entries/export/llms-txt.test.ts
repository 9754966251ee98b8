import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseLlmsTxt, readLlmsTxt, writeLlmsTxt } from '../../../src/entries/export/index.ts';
import { broken, emptyFolder, filesIn, page } from './documents.ts';

const site = [
  page('https://docs.test/docs/', {}, { title: 'Docs', description: 'All about it.', ogSiteName: 'Tidewater' }),
  page('https://docs.test/docs/getting-started/install', {}, { title: 'Install', description: 'How to\n install' }),
  page('https://docs.test/docs/api/write.html', {}, { title: 'Write' }),
  page('https://docs.test/docs/api/', {}, { title: 'API' }),
  page('https://docs.test/docs/optional/x', {}, { title: undefined }),
]; // prettier-ignore

const expected = `# Tidewater

> All about it.

## Pages

- [Docs](https://docs.test/docs/): All about it.

## Api

- [API](https://docs.test/docs/api/)
- [Write](https://docs.test/docs/api/write.html)

## Getting started

- [Install](https://docs.test/docs/getting-started/install): How to install

## Optional pages

- [https://docs.test/docs/optional/x](https://docs.test/docs/optional/x)
`;

describe('writing', () => {
  test('links stand by the sections of their paths, in one order whatever that of the pages', async () => {
    const folder = emptyFolder();
    const [first = page(''), ...others] = site;
    for (const documents of [site, [first, ...others.reverse()]]) {
      expect(await writeLlmsTxt(documents, join(folder, 'llms.txt'))).toBe(5);
      expect(readFileSync(join(folder, 'llms.txt'), 'utf8')).toBe(expected);
    }
    expect(filesIn(folder)).toEqual(['llms.txt']);
  });

  test('full has the texts beside it, title and description are what the caller says', async () => {
    const folder = emptyFolder();
    const options = { title: 'Mine', description: '', full: true };
    await writeLlmsTxt(site.slice(0, 2), join(folder, 'llms.txt'), options);
    expect(readFileSync(join(folder, 'llms.txt'), 'utf8')).toMatch(/^# Mine\n\n## Pages\n/);
    expect(readFileSync(join(folder, 'llms-full.txt'), 'utf8')).toBe(
      [
        '# Docs\n\nSource: https://docs.test/docs/\n\n# https://docs.test/docs/\n\n',
        '# Install\n\nSource: https://docs.test/docs/getting-started/install\n\n# https://docs.test/docs/getting-started/install\n\n',
      ].join(''),
    );
  });

  test('pages of several hosts have a section for each', async () => {
    const file = join(emptyFolder(), 'llms.txt');
    await writeLlmsTxt([page('https://b.test/x'), page('https://a.test/y')], file);
    const { title, sections } = await readLlmsTxt(file);
    expect([title, ...sections.map((section) => section.title)]).toEqual([
      'b.test',
      'a.test',
      'b.test',
    ]);
  });

  test('no page ends a link, a line or a section', async () => {
    const file = join(emptyFolder(), 'llms.txt');
    const facts = {
      title: 'a](https://evil.test)\n## Optional\n[\\',
      description: `x\n- [evil](https://evil.test)\u2028${'y'.repeat(5000)}`,
    };
    await writeLlmsTxt([page('https://docs.test/a(b)/[c]?d=)', {}, facts)], file);
    const { sections } = await readLlmsTxt(file);
    expect(sections).toHaveLength(1);
    expect(sections[0]?.links).toEqual([
      {
        url: 'https://docs.test/a%28b%29/[c]?d=%29',
        title: 'a](https://evil.test) ## Optional [\\',
        notes: expect.stringMatching(/^x - \[evil\]\(https:\/\/evil\.test\) y{200,}…$/),
      },
    ]);
  });

  test('no pages are a heading; a source that breaks leaves nothing', async () => {
    const folder = emptyFolder();
    await writeLlmsTxt([], join(folder, 'llms.txt'));
    expect(readFileSync(join(folder, 'llms.txt'), 'utf8')).toBe('# Pages\n');
    const other = join(folder, 'x/llms.txt');
    await expect(writeLlmsTxt(broken(2), other, { full: true })).rejects.toThrow('broke');
    expect(filesIn(folder)).toEqual(['llms.txt']);
  });
});

describe('reading', () => {
  test('what was written comes back', async () => {
    const file = join(emptyFolder(), 'llms.txt');
    writeFileSync(file, `\ufeff${expected.replaceAll('\n', '\r\n')}`);
    const { title, description, sections } = await readLlmsTxt(file);
    expect({ title, description }).toEqual({ title: 'Tidewater', description: 'All about it.' });
    expect(sections.map((section) => [section.title, section.links.length])).toEqual([
      ['Pages', 1],
      ['Api', 2],
      ['Getting started', 1],
      ['Optional pages', 1],
    ]);
    expect(sections[2]?.links).toEqual([
      { url: 'https://docs.test/docs/getting-started/install', title: 'Install', notes: 'How to install' },
    ]); // prettier-ignore
  });

  test('relative links are resolved where the text is from; other lines are passed over', () => {
    const text =
      '# A\n> one\n> two\n\nWords [x](y).\n* [B](/b "t")\n* [C](/c)\n### Deep\n## S\n1. no\n+ [D](d.md): n';
    expect(parseLlmsTxt(text, { url: 'https://docs.test/a/' })).toEqual({
      title: 'A',
      description: 'one two',
      sections: [
        { title: '', links: [{ url: 'https://docs.test/c', title: 'C' }] },
        { title: 'S', links: [{ url: 'https://docs.test/a/d.md', title: 'D', notes: 'n' }] },
      ],
    });
    expect(parseLlmsTxt('- [C](/c)').sections[0]?.links[0]?.url).toBe('/c');
    expect(() => parseLlmsTxt('', { url: 'no' })).toThrow(/url/);
  });

  test('megabytes of marks take time with their length', () => {
    for (const text of ['- [', '[', '- [a](', '\\', '# ', '> ', '- [a](b): ']) {
      expect(parseLlmsTxt(text.repeat(300_000)).sections.length).toBeLessThanOrEqual(1);
    }
  });

  test('a file that is missing or too large is STORAGE', async () => {
    const file = join(emptyFolder(), 'llms.txt');
    await expect(readLlmsTxt(file)).rejects.toMatchObject({ code: 'STORAGE' });
    writeFileSync(file, ' '.repeat(10_000_001));
    await expect(readLlmsTxt(file)).rejects.toThrow(/more than 10 MB/);
  });
});
