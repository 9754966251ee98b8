import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readMarkdownFolder, writeMarkdownFolder } from '../../../src/entries/export/index.ts';
import { PagePaths } from '../../../src/entries/export/page-paths.ts';
import type { PlainDocument } from '../../../src/index.ts';
import { broken, emptyFolder, filesIn, gather, page, pages } from './documents.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const pngUri = `data:image/png;base64,${png.toString('base64')}`;
const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

describe('what is written is read back', () => {
  test('text and the facts of the head', async () => {
    const folder = emptyFolder();
    const documents = [
      page('https://docs.test/', { warning: 'Careful.' }, { depth: 0, author: 'A' }),
      page(
        'https://docs.test/a/b.html',
        {},
        { sourceURL: 'https://docs.test/old', statusCode: 404 },
      ),
    ];
    expect(await writeMarkdownFolder(documents, folder)).toBe(2);
    expect(filesIn(folder)).toEqual(['a/b.md', 'index.md']);
    const [second, first] = await gather(readMarkdownFolder(folder));
    expect(first).toMatchObject({
      markdown: documents[0]?.['markdown'],
      warning: 'Careful.',
      metadata: {
        url: 'https://docs.test/',
        sourceURL: 'https://docs.test/',
        depth: 0,
        author: 'A',
        engine: 'none',
      },
    });
    expect(second?.metadata).toMatchObject({ sourceURL: 'https://docs.test/old', statusCode: 404 });
  });

  test.each([
    ['---\nurl: https://evil.test/\n---\nbody'],
    ['---\n'],
    ['\n\n---\n\ntext'],
    [''],
    ['- a\n\n---\n'],
  ])('a text that looks like a head: %j', async (markdown) => {
    const folder = emptyFolder();
    await writeMarkdownFolder([page('https://docs.test/', { markdown })], folder);
    const [document] = await gather(readMarkdownFolder(folder));
    expect(document?.metadata.url).toBe('https://docs.test/');
    expect(document?.markdown.trimEnd()).toBe(markdown.trimEnd());
  });

  test.each([
    'yes', '1e3', '!!js/function "x"', 'a: b', '---', '...', '- x', '*a', '&a', '# c', '"', "'", '{a', '[b',
    'null', '~', '2020-01-01', 'a\n---\nurl: "https://evil.test/"', '\u2028\u0085\ufeff', '%', '@', '`', '|', '\\n', ' x ',
  ])('a title that YAML would take for something else: %j', async (title) => {
    const folder = emptyFolder();
    await writeMarkdownFolder([page('https://docs.test/', {}, { title })], folder);
    const [document] = await gather(readMarkdownFolder(folder));
    expect(document?.metadata).toMatchObject({ title, url: 'https://docs.test/' });
  }); // prettier-ignore
});

describe('one page does not end the others', () => {
  const names = ['lamp', 'assets', 'chair'].map((name) => `https://docs.test/${name}`);

  test('with the path of a picture', async () => {
    const folder = emptyFolder();
    const hash = createHash('sha256').update(png).digest('hex');
    const urls = [
      `https://docs.test/assets/${hash.slice(0, 32)}.png/x`,
      `https://docs.test/ASSETS/${hash.slice(0, 32)}.png`,
      `https://docs.test/assets/lamp-${hash.slice(0, 16)}.png/`,
    ];
    const picture = 'https://docs.test/lamp.png';
    const asset = { kind: 'image', url: picture, key: 'assets/0', contentType: 'image/png' };
    const markdown = `![a](${pngUri}) ![b](${picture})`;
    const documents = [...urls, ...names].map((url) => page(url, { markdown, assets: [asset] }));
    const readAsset = (): Promise<Buffer> => Promise.resolve(png);
    expect(await writeMarkdownFolder(documents, folder, { readAsset })).toBe(6);
    expect(filesIn(folder).filter((name) => name.endsWith('.md'))).toHaveLength(6);
    expect(filesIn(folder).filter((name) => name.startsWith('assets/'))).toHaveLength(2);
  });

  test('where an earlier run left a folder, or a file in place of one', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'lamp.md'));
    writeFileSync(join(folder, 'chairs'), '');
    const urls = [...names, 'https://docs.test/chairs/b'];
    const writing = writeMarkdownFolder(
      urls.map((url) => page(url)),
      folder,
      { contents: true, relativeLinks: true },
    );
    await expect(writing).rejects.toMatchObject({
      code: 'STORAGE',
      url: names[0],
      message: expect.stringMatching(/^2 of 4 pages could not be written.*lamp.*\(EISDIR\)/),
    });
    expect(filesIn(folder)).toEqual(['assets.md', 'chair.md', 'chairs', 'contents.md']);
    const contents = read(folder, 'contents.md');
    expect([...contents.matchAll(/\]\((.*)\)/g)].map(([, link]) => link)).toEqual([
      'assets.md',
      'chair.md',
    ]);
  });
});

describe('files of a document', () => {
  test('pictures in the markdown are files of their content, and links to them', async () => {
    const folder = emptyFolder();
    const svg = 'data:image/svg+xml,%3Csvg%20fill="rgb(0,0,0)"/%3E';
    const markdown = `![a](${pngUri} "A") ![b](${pngUri})\n![c](<${svg}>)\n[d](data:text/html,<p>) ![e](data:image/png;base64,)\n`;
    const documents = [
      page('https://docs.test/a/b', { markdown }),
      page('https://docs.test/c', { markdown: `![](${pngUri})` }),
    ];
    await writeMarkdownFolder(documents, folder);
    const names = filesIn(folder).filter((name) => name.startsWith('assets/'));
    const picture = names.find(
      (name) => name.endsWith('.png') && readFileSync(join(folder, name)).equals(png),
    );
    expect(names).toHaveLength(3);
    expect(read(folder, 'a/b.md')).toContain(`![a](../${picture} "A") ![b](../${picture})\n`);
    expect(read(folder, 'a/b.md')).toMatch(
      /!\[c\]\(<\.\.\/assets\/[0-9a-f]{32}\.svg>\)\n\[d\]\(data:text\/html,<p>\)/,
    );
    expect(read(folder, 'c.md')).toContain(`![](${picture})`);
    const drawing = names.find((name) => name.endsWith('.svg')) ?? '';
    expect(read(folder, drawing)).toBe('<svg fill="rgb(0,0,0)"/>');
  });

  test('screenshots and PDFs stand beside the page, and the head names them', async () => {
    const folder = emptyFolder();
    const jpeg = 'data:image/jpeg;base64,/9j/';
    const document = page('https://docs.test/a', {
      screenshot: pngUri,
      actions: {
        screenshots: [jpeg, pngUri, 'https://cdn.test/x.png'],
        pdfs: ['data:application/pdf;base64,JVBERg=='],
      },
    });
    await writeMarkdownFolder([document, page('https://docs.test/a.png/x')], folder);
    expect(filesIn(folder)).toEqual([
      expect.stringMatching(/^a-[0-9a-f]{8}\.png$/),
      'a.jpg',
      'a.md',
      'a.pdf',
      'a.png',
      'a.png_/x.md',
    ]);
    const head = parse(read(folder, 'a.md').split('---\n')[1] ?? '') as Record<string, unknown>;
    expect(head).toMatchObject({
      screenshot: 'a.png',
      screenshots: ['a.jpg', expect.stringMatching(/^a-.*\.png$/), 'https://cdn.test/x.png'],
      pdfs: ['a.pdf'],
    });
    const [back] = await gather(readMarkdownFolder(folder));
    expect(back?.['screenshot']).toBe('a.png');
  });
});

describe('links', () => {
  const markdown = [
    '[b](https://docs.test/b) [b](https://docs.test/b#part "Title") [out](https://other.test/b)',
    '[p](<https://docs.test/x (1)/y z>) ![i](https://docs.test/b) `[b](https://docs.test/b)`',
    '',
    '    [b](https://docs.test/b)',
    '',
    '```\n[b](https://docs.test/b)\n```',
    '',
    '[q](https://docs.test/q?a=1&amp;copy;=2) [old](https://docs.test/old)',
    '[ref]',
    '',
    '[ref]: https://docs.test/b',
    '',
  ].join('\n');
  const documents = [
    page('https://docs.test/a/', { markdown }, { title: '[b](https://docs.test/b)' }),
    page('https://docs.test/b', {}, { sourceURL: 'https://docs.test/old' }),
    page('https://docs.test/x (1)/y z'),
    page('https://docs.test/q?a=1&copy;=2'),
  ];

  test('from page to page are relative when that is asked for', async () => {
    const folder = emptyFolder();
    await writeMarkdownFolder(documents, folder, { relativeLinks: true });
    const text = read(folder, 'a/index.md');
    expect(text.slice(text.indexOf('\n---\n') + 6).split('\n')).toEqual([
      '[b](../b.md) [b](../b.md#part "Title") [out](https://other.test/b)',
      '[p](../x%20%281%29/y%20z.md) ![i](../b.md) `[b](https://docs.test/b)`',
      '',
      '    [b](https://docs.test/b)',
      '',
      '```',
      '[b](https://docs.test/b)',
      '```',
      '',
      '[q](../q_a=1_copy_=2.md) [old](../b.md)'.replace('q_a=1_copy_=2', 'q_a%3D1_copy_%3D2'),
      '[ref]',
      '',
      '[ref]: ../b.md',
      '',
    ]);
    expect(text).toContain('title: "[b](https://docs.test/b)"\n');
  });

  test('and stay as they are otherwise', async () => {
    const folder = emptyFolder();
    await writeMarkdownFolder(documents, folder);
    expect(read(folder, 'a/index.md')).toContain(markdown);
  });
});

describe('contents', () => {
  test('are a list of all pages, which no page can be and which is read as none', async () => {
    const folder = emptyFolder();
    const documents = [
      page('https://docs.test/contents', {}, { title: 'A ] title\n# x' }),
      page('https://docs.test/assets', {}, { title: '' }),
    ];
    await writeMarkdownFolder(documents, folder, { contents: true });
    const [own = ''] = filesIn(folder).filter((name) => name.startsWith('contents-'));
    expect(read(folder, 'contents.md')).toBe(
      `<!-- pagewright: contents -->\n\n# Contents\n\n- [A \\] title # x](${own})\n- [https://docs.test/assets](assets.md)\n`,
    );
    expect(await gather(readMarkdownFolder(folder))).toHaveLength(2);
  });
});

describe('hostile pages', () => {
  test('500 pages whose names fold to the same are 500 files; 10,000 have 10,000 names', async () => {
    const folder = emptyFolder();
    const cases = (index: number): string =>
      [...'abcdefghijklmn'].map((c, at) => ((index >> at) & 1 ? c.toUpperCase() : c)).join('');
    const make = (index: number): PlainDocument => page(`https://docs.test/${cases(index)}`);
    expect(await writeMarkdownFolder(pages(500, make), folder)).toBe(500);
    expect(filesIn(folder)).toHaveLength(500);
    const paths = new PagePaths({ byHost: false });
    const names = Array.from({ length: 10_000 }, (_, index) =>
      paths.take(make(index).metadata.url),
    );
    expect(new Set(names.map((name) => name.toLowerCase()))).toHaveProperty('size', 10_000);
  });

  test('no URL leaves the folder, and none is too long', async () => {
    const folder = emptyFolder();
    const urls = [
      `https://docs.test/${'a'.repeat(5000)}`,
      `https://docs.test/${'b/'.repeat(2500)}`,
      `https://docs.test/?${'c'.repeat(5000)}`,
      'https://docs.test/..%2f..%2fetc%2fpasswd',
      'https://docs.test/a%00b',
      'https://docs.test/CON',
      'data:text/html,x',
      'about:blank',
      'file:///etc/passwd',
    ];
    await writeMarkdownFolder(
      urls.map((url) => page(url)),
      join(folder, 'out'),
    );
    const names = filesIn(folder);
    expect(names).toHaveLength(urls.length);
    for (const name of names) expect(name).toMatch(/^out\/(?!.*\.\.\/)/);
  });

  test('metadata of any shape is written or left out', async () => {
    const folder = emptyFolder();
    const facts = {
      title: { a: 1 },
      description: ['x'],
      depth: Infinity,
      author: null,
      sourceURL: 7,
    };
    const document = page(
      'https://docs.test/',
      { markdown: 5, screenshot: {}, actions: 'x' },
      facts,
    );
    expect(await writeMarkdownFolder([document], folder, { relativeLinks: true })).toBe(1);
    expect(await gather(readMarkdownFolder(folder))).toHaveLength(1);
  });

  test('a million marks take time with their number', async () => {
    const folder = emptyFolder();
    const texts = ['`', '](', '[', '](data:', '](<data:', '](https:(', '[x]: ', '](<https:'];
    const documents = texts.map((text, index) =>
      page(`https://docs.test/${index}`, { markdown: text.repeat(100_000) }),
    );
    await writeMarkdownFolder(documents, folder, { relativeLinks: true });
    expect(filesIn(folder)).toHaveLength(texts.length);
  });
});

describe('files of others', () => {
  test('are read with any YAML head or none; links, hidden files and other files are not', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'sub/.git'), { recursive: true });
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    write(
      'a.md',
      '\ufeff---\r\ntags:\r\n  - x\r\ndate: 2020-01-01\r\nurl: https://docs.test/a\r\n---\r\n\r\nText\r\n',
    );
    write('b.md', '# No head\n');
    write('c.md', '---\nonly a rule\n---\ntext');
    write('d.markdown', '---\nnever ended');
    write('sub/.git/e.md', 'x');
    write('sub/f.txt', 'x');
    symlinkSync('/etc', join(folder, 'sub/etc'));
    symlinkSync('/etc/passwd', join(folder, 'passwd.md'));
    const documents = await gather(readMarkdownFolder(folder));
    expect(documents.map(({ markdown, metadata }) => [markdown, metadata.url])).toEqual([
      ['Text\r\n', 'https://docs.test/a'],
      ['# No head\n', pathToFileURL(join(folder, 'b.md')).href],
      ['---\nonly a rule\n---\ntext', pathToFileURL(join(folder, 'c.md')).href],
      ['---\nnever ended', pathToFileURL(join(folder, 'd.markdown')).href],
    ]);
    expect(documents[0]?.metadata).toMatchObject({ tags: ['x'], date: '2020-01-01' });
  });

  test.each([
    ['[', /a\.md has a head that is not YAML: .* Correct it\./],
    [`a: ${'['.repeat(10_000)}`, /not YAML/],
    [
      `a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c]\n`,
      /alias/i,
    ],
    ['x'.repeat(30_000), /more than 20000 characters/],
  ])('a head that cannot be read names the file: %#', async (head, message) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.md'), `---\n${head}\n---\n`);
    await expect(gather(readMarkdownFolder(folder))).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(message),
    });
  });

  test('a head makes no function, no prototype and no other class', async () => {
    const folder = emptyFolder();
    writeFileSync(
      join(folder, 'a.md'),
      '---\na: !!js/function "x"\nb: !!set {x}\n__proto__: {c: 1}\n---\n',
    );
    const [document] = await gather(readMarkdownFolder(folder));
    expect(document?.metadata['a']).toBe('x');
    expect(({} as { c?: number }).c).toBeUndefined();
  });
});

test('a source that breaks leaves whole files and no contents', async () => {
  const folder = emptyFolder();
  await expect(writeMarkdownFolder(broken(3), folder, { contents: true })).rejects.toThrow('broke');
  expect(filesIn(folder)).toEqual(['0.md', '1.md', '2.md']);
  await expect(gather(readMarkdownFolder(join(folder, 'none')))).rejects.toMatchObject({
    code: 'STORAGE',
  });
});
