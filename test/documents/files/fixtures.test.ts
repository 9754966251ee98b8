/** Every file of `fixtures/files` that this test names is read to the markdown beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'pagewright';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../../fixtures/files/', import.meta.url);
const rooms = ['feeds', 'email', 'subtitles', 'source', 'images', 'archives'];

describe.each(rooms)('%s', (room) => {
  const files = readdirSync(new URL(room, folder)).filter((name) => !name.endsWith('.md'));

  test.each(files)('%s is read as it should be', async (name) => {
    const bytes = readFileSync(new URL(`${room}/${name}`, folder));
    const page = await parse(bytes, {
      url: `https://files.example/${name}`,
      parsers: ['pdf', 'archive'],
    });
    const expected = readFileSync(new URL(`${room}/${name}.md`, folder), 'utf8');
    expect(`${page.markdown.trimEnd()}\n`).toBe(expected);
  });
});

const read = async (path: string): ReturnType<typeof parse> =>
  parse(readFileSync(new URL(path, folder)), { url: `https://files.example/${path}` });

test('a feed says who it is of, and rawHtml is the feed as it came', async () => {
  const source = readFileSync(new URL('feeds/rss2.xml', folder), 'utf8');
  const page = await parse(source, {
    formats: ['rawHtml', 'links'],
    url: 'https://files.example/',
  });
  expect(page.rawHtml).toBe(source);
  expect(page.metadata).toMatchObject({
    title: 'Harbour Notes & Tides',
    description: 'What the tide brings in.',
    author: 'Ada Quay',
    language: 'en-GB',
    modifiedTime: '2024-03-05T06:30:00.000Z',
    contentType: 'application/rss+xml',
  });
  expect(page.links).toContain('https://harbour.example/three-boats/');
  expect(page.links).toContain('https://cdn.example/audio/fog%20horn.mp3');
});

test('a mail says who wrote it and when', async () => {
  const { metadata } = await read('email/alternatives.eml');
  expect(metadata).toMatchObject({
    title: 'Re: Größe der Boote – 3 Entwürfe',
    author: 'Zoë Quäy',
    publishedTime: '2024-03-05T13:30:00.000Z',
    contentType: 'message/rfc822',
  });
});

test('an image says how large it is, a turned one as it is shown', async () => {
  const { metadata } = await read('images/boat.jpg');
  expect(metadata).toMatchObject({
    author: 'Ben Slip',
    description: 'A boat on the slip',
    'og:image:width': '40',
    'og:image:height': '60',
    'og:image:type': 'image/jpeg',
  });
});

test('source code under text/plain is known by its name, other text is left alone', async () => {
  const markdown = async (name: string, body: string): Promise<string> =>
    (await parse(body, { contentType: 'text/plain', url: `https://files.example/${name}` }))
      .markdown;
  expect(await markdown('a.py?x=b.md', 'x = 1\n')).toBe('```python\nx = 1\n```');
  expect(await markdown('Dockerfile', 'FROM a\n')).toBe('```dockerfile\nFROM a\n```');
  for (const name of ['README.md', 'a.csv', 'notes.txt', 'v1.2', '?file=a.py', 'letter.eml']) {
    expect(await markdown(name, '# a\n\n*b*\n')).toBe('# a\n\n*b*\n');
  }
});

test('an archive is refused by its type where nobody asked for it', async () => {
  for (const [path, type] of [
    ['archives/handbook.zip', 'application/zip'],
    ['archives/small.tar', 'application/x-tar'],
    ['archives/handbook.tar.gz', 'application/gzip'],
  ] as const) {
    await expect(read(path)).rejects.toMatchObject({
      code: 'UNSUPPORTED_CONTENT',
      message: expect.stringContaining(`is ${type}, which`) as string,
    });
  }
});

test('no more files of an archive are read than asked for', async () => {
  const bytes = readFileSync(new URL('archives/handbook.zip', folder));
  const page = await parse(bytes, { parsers: [{ type: 'archive', maxFiles: 2 }] });
  expect(page.markdown.match(/^## .+/gm)).toEqual([
    '## handbook/README.md',
    '## handbook/parts/notes.txt',
  ]);
  expect(page.warning).toContain('The archive has more than the 2 files that were read');
});

test('wrong archive options are refused by name', async () => {
  const wrong: unknown[] = [{ type: 'archive', maxFiles: 0 }, { type: 'archive', files: 1 }, 'zip'];
  for (const parser of wrong) {
    const work = parse('x', { parsers: [parser] as never });
    await expect(work).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('parsers') as string,
    });
  }
});
