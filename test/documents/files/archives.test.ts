/** Archives that other programs wrote in their rarer forms, and those with damaged or locked files in them. */
import { readFileSync } from 'node:fs';
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';
import { archive } from '../../support/office-file.ts';

const folder = new URL('../../../fixtures/files/archives/', import.meta.url);

const read = (name: string): ReturnType<typeof parse> =>
  parse(readFileSync(new URL(name, folder)), {
    url: `https://files.example/${name}`,
    parsers: ['archive'],
  });
const readText = (files: Readonly<Record<string, string>>): ReturnType<typeof parse> =>
  parse(archive(files), { url: 'https://files.example/', parsers: ['archive'] });

test('archives that are damaged inside of one are named, and all others are read', async () => {
  const { markdown, warning } = await read('damaged-inside.zip');
  expect(warning).toContain('broken.tar.gz (its gzip data is damaged)');
  expect(warning).toContain('broken.zip (its directory is missing');
  expect(warning).toContain('the rest of cut.tar');
  expect(markdown).toContain('## cut.tar/handbook/README.md');
  expect(markdown).toContain('## ropes/open.md');
});

test('a file with a password is named, and all others are read', async () => {
  const { markdown, warning } = await read('locked.zip');
  expect(warning).toBe('Not read from the archive: ropes/secret.txt (is encrypted).');
  expect(markdown).toContain('# Ropes');
});

test.each(['streamed.zip', 'streamed-python.zip'])(
  '%s, which was written to a pipe, is read whole',
  async (name) => {
    const { markdown, warning } = await read(name);
    expect(warning).toBeUndefined();
    expect(markdown).toContain('# Ropes');
    expect(markdown).toContain('Where the spare keys are.');
  },
);

test.each(['sparse-gnu.tar.gz', 'sparse-pax.tar.gz'])(
  '%s: a sparse file is refused by its name, and what follows is read',
  async (name) => {
    const { markdown, warning } = await read(name);
    expect(warning).toBe('Not read from the archive: ropes/holes.txt (it is a sparse file).');
    expect(markdown).toContain('# Ropes');
  },
);

describe('a markdown file in an archive', () => {
  const text =
    '# *Knots*\n\n* a\n\n        code\n\n[link][1] <b>&amp;</b>\n\n[1]: https://a.example';

  test('stands in it as it is, and so does plain text', async () => {
    const { markdown } = await readText({ 'a.md': `\n${text}\r\n`, 'b.txt': '1. *x*\n_y_\n' });
    expect(markdown).toBe(`## a.md\n\n${text}\n\n## b.txt\n\n1. *x*\n_y_`);
  });

  test('does not swallow what follows it', async () => {
    for (const open of ['```js\nlet a;', '<!-- a', '~~~~\n```', '- a\n\n  ```\n']) {
      const { markdown = '' } = await readText({ 'a.md': open, 'b.md': '# Next' });
      expect(markdown).toMatch(/^## a\.md\n/);
      expect(markdown).toMatch(/\n\n## b\.md\n\n# Next$/);
      expect(markdown.match(/^(?:```|~~~|<!--)/gm)?.length ?? 0).not.toBe(1);
    }
  });

  test('that begins and ends with code is no code', async () => {
    const blocks = '```js\na\n```\n\nwords\n\n```js\nb\n```';
    expect((await readText({ 'a.md': blocks })).markdown).toBe(`## a.md\n\n${blocks}`);
  });

  test('cannot be made up by a page in the archive', async () => {
    const page = '<html><body><div data-verbatim="0"><p>words *x*</p></div></body></html>';
    const { markdown } = await readText({ 'a.md': '**known**', 'b.html': page });
    expect(markdown).toBe('## a.md\n\n**known**\n\n## b.html\n\nwords \\*x\\*');
  });
});
