/** The engine that comes with the library, on scans and pictures of real programs. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from 'pagewright';
import { tesseractOcr } from 'pagewright/ocr';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rareTest } from '../../support/deep.ts';

const folder = new URL('../../../fixtures/files/scans/', import.meta.url);
const ocr = tesseractOcr({ threads: 1 });
const client = createClient({ ocr });

const typeOf = (name: string): string =>
  name.endsWith('.pdf') ? 'application/pdf' : `image/${name.endsWith('.png') ? 'png' : 'jpeg'}`;

const bytesOf = (name: string): Buffer => readFileSync(new URL(name, folder));

async function read(name: string, options: object = {}): ReturnType<typeof client.parse> {
  return client.parse(bytesOf(name), {
    contentType: typeOf(name),
    url: `https://tidewater.test/${name}`,
    timeout: 80_000,
    parsers: [{ type: 'pdf', pageMarkers: true }],
    ...options,
  });
}

afterAll(() => client.close());

test.each([
  ['two-pages.pdf', [1, 2]],
  ['mixed.pdf', [2]],
  ['jbig2.pdf', [1]],
  ['notice.png', [1]],
  ['notice.jpg', [1]],
])(
  '%s becomes the markdown beside it, in 98 of 100 words and in all headings',
  async (name, pages) => {
    const { markdown, metadata, warning } = await read(name);
    const expected = readFileSync(new URL(`${name}.md`, folder), 'utf8');
    const words = (text = ''): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const left = words(markdown);
    const missing = words(expected).filter((word) => {
      const at = left.indexOf(word);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    expect(missing.length + left.length).toBeLessThanOrEqual(words(expected).length * 0.02);
    const shape = (text = ''): string[] =>
      text
        .split('\n')
        .filter((line) => /^(?:#|- |<!--)/.test(line))
        .map((line) => line.slice(0, 8));
    expect(shape(markdown)).toEqual(shape(expected));
    expect(metadata.ocrPages).toEqual(pages);
    expect(metadata.ocrConfidence).toBeGreaterThan(0.85);
    expect(warning).toBeUndefined();
  },
  90_000,
);

rareTest('aborting ends the thread that reads, and the next picture gets another one', async () => {
  const bytes = new Uint8Array(bytesOf('notice.png'));
  const image = {
    bytes,
    mediaType: 'image/png',
    width: 832,
    height: 460,
    url: 'about:blank',
    languages: [],
  };
  const controller = new AbortController();
  const work = ocr.recognize({ ...image, signal: controller.signal });
  const outcome = expect(work).rejects.toThrow('enough');
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await outcome;
  const { signal } = new AbortController();
  // One thread is all that it may have: the second waits for the first.
  const both = await Promise.all([1, 2].map(async () => ocr.recognize({ ...image, signal })));
  expect(JSON.stringify(both[0])).toContain('Ferry');
  expect(both[1]).toEqual(both[0]);
  // One that gives up while it waits is told at once and does not hold up the one after it.
  const first = ocr.recognize({ ...image, signal });
  const waiting = new AbortController();
  const second = ocr.recognize({ ...image, signal: waiting.signal });
  const third = ocr.recognize({ ...image, signal });
  waiting.abort(new Error('no time'));
  await expect(second).rejects.toThrow('no time');
  expect(await Promise.all([first, third])).toEqual(both);
  await ocr.close?.();
  expect(JSON.stringify(await ocr.recognize({ ...image, signal }))).toContain('Bicycles');
});

test('bytes that are no picture are a failure of their page alone', async () => {
  const bytes = new Uint8Array(bytesOf('notice.png')).fill(7, 200);
  const work = client.parse(bytes, {
    contentType: 'image/png',
    url: 'https://tidewater.test/a.png',
  });
  await expect(work).rejects.toMatchObject({
    code: 'HOOK_FAILED',
    message: expect.stringContaining('The OCR engine tesseract failed') as string,
  });
  const { markdown } = await read('notice.png');
  expect(markdown).toContain('Ferry');
});

test('a language that is not installed is named with what to install, and nothing is fetched', async () => {
  await using other = createClient({ ocr: tesseractOcr({ languages: ['eng', 'tlh'] }) });
  const image = { contentType: 'image/png', url: 'https://tidewater.test/a.png' };
  await expect(other.parse(bytesOf('notice.png'), image)).rejects.toMatchObject({
    code: 'MISSING_DEPENDENCY',
    message: expect.stringContaining('npm install @tesseract.js-data/tlh') as string,
  });
  await using empty = createClient({ ocr: tesseractOcr({ dataFolder: tmpdir() }) });
  await expect(empty.parse(bytesOf('notice.png'), image)).rejects.toMatchObject({
    code: 'MISSING_DEPENDENCY',
    message: expect.stringContaining('eng.traineddata') as string,
  });
});

describe('language data in a folder', () => {
  let place = '';
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'pagewright-'));
  });
  afterAll(() => rm(place, { recursive: true }));

  test('is read from there; data that is damaged fails with what Tesseract says', async () => {
    const entry = createRequire(import.meta.url).resolve('@tesseract.js-data/eng');
    const data = readFileSync(join(dirname(entry), '4.0.0_best_int', 'eng.traineddata.gz'));
    await writeFile(join(place, 'mine.traineddata.gz'), data);
    await writeFile(join(place, 'bad.traineddata'), 'no data');
    const image = { contentType: 'image/png', url: 'https://tidewater.test/a.png' };
    await using good = createClient({
      ocr: tesseractOcr({ languages: ['mine'], dataFolder: place }),
    });
    expect((await good.parse(bytesOf('notice.png'), image)).markdown).toContain('Ferry');
    await using bad = createClient({
      ocr: tesseractOcr({ languages: ['bad'], dataFolder: place }),
    });
    await expect(bad.parse(bytesOf('notice.png'), image)).rejects.toMatchObject({
      code: 'HOOK_FAILED',
    });
  });
});

test.each([
  [{ language: 'eng' }, 'unknown option "language"; did you mean "languages"'],
  [{ languages: 'eng' }, 'languages: expected a list'],
  [{ languages: ['../eng'] }, 'languages: expected a list'],
  [{ threads: 0 }, 'threads: expected a whole number from 1 to 32'],
])('tesseractOcr(%j) is refused', (options, message) => {
  expect(() => tesseractOcr(options as never)).toThrow(message);
});

test('a process that forgets to close ends all the same', () => {
  const built = pathToFileURL(
    join(import.meta.dirname, '../../../dist/documents/ocr/index.js'),
  ).href;
  const script = `
    import { readFileSync } from 'node:fs';
    const { tesseractOcr } = await import(${JSON.stringify(built)});
    const bytes = readFileSync(${JSON.stringify(new URL('notice.png', folder).pathname)});
    const { signal } = new AbortController();
    const { lines } = await tesseractOcr({ idleTime: 600000 }).recognize({ bytes, signal });
    process.stdout.write(lines[0].text);
  `;
  const told = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  expect(told).toMatchObject({ status: 0, stdout: 'Ferry to the islands', stderr: '' });
});
