import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readJsonl, writeJsonl } from '../../../src/entries/export/index.ts';
import type { PlainDocument } from '../../../src/index.ts';
import { broken, emptyFolder, filesIn, gather, page, pages } from './documents.ts';

const newFile = (): string => join(emptyFolder(), 'pages.jsonl');

describe('what is written is read back', () => {
  test('document by document, in order', async () => {
    const file = newFile();
    const documents = await gather(pages(3));
    expect(await writeJsonl(documents, file)).toBe(3);
    expect(readFileSync(file, 'utf8').match(/\n/g)).toHaveLength(3);
    expect(await gather(readJsonl(file))).toEqual(documents);
  });

  test('with line ends of every kind inside of texts', async () => {
    const file = newFile();
    const document = page('https://docs.test/', {
      markdown: 'a\nb\rc\u2028d\u2029e\u0085f\0g\ud800',
    });
    await writeJsonl([document], file);
    expect(await gather(readJsonl(file))).toEqual([document]);
  });

  test('dates, bytes, maps, sets and big integers as what JSON has for them', async () => {
    const file = newFile();
    const fields = {
      date: new Date(0),
      bytes: new Uint8Array([1, 2, 3]).subarray(1),
      buffer: Buffer.from('hi'),
      map: new Map([['a', new Map([['b', 1]])]]),
      set: new Set([1, 2]),
      big: 10n ** 20n,
      nothing: undefined,
    };
    await writeJsonl([page('https://docs.test/', fields)], file);
    const [read] = await gather(readJsonl(file));
    expect(read).toMatchObject({
      date: '1970-01-01T00:00:00.000Z',
      bytes: 'data:application/octet-stream;base64,AgM=',
      buffer: 'data:application/octet-stream;base64,aGk=',
      map: { a: { b: 1 } },
      set: [1, 2],
      big: '100000000000000000000',
    });
    expect(read).not.toHaveProperty('nothing');
  });

  test('nothing at all is an empty file', async () => {
    const file = newFile();
    expect(await writeJsonl([], file)).toBe(0);
    expect(await gather(readJsonl(file))).toEqual([]);
  });

  test('a stream gets the lines and stays open', async () => {
    const stream = new PassThrough();
    expect(await writeJsonl([page('https://docs.test/a')], stream)).toBe(1);
    await writeJsonl([page('https://docs.test/b')], stream);
    expect(stream.listenerCount('error')).toBe(0);
    stream.end();
    expect((await text(stream)).match(/docs\.test\/[ab]","status/g)).toHaveLength(2);
  });

  test('a stream that fails is STORAGE, and its event ends no process', async () => {
    const stream = new Writable({ write: (_, __, done) => done(new Error('gone')) });
    await expect(writeJsonl(pages(1), stream)).rejects.toMatchObject({ code: 'STORAGE' });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(writeJsonl(pages(1), stream)).rejects.toMatchObject({ code: 'STORAGE' });
  });
});

describe('a file is there whole or not at all', () => {
  test('a source that breaks leaves nothing, and an earlier file as it was', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'pages.jsonl');
    await expect(writeJsonl(broken(5), file)).rejects.toThrow('the source broke');
    expect(filesIn(folder)).toEqual([]);
    writeFileSync(file, 'earlier\n');
    await expect(writeJsonl(broken(5), file)).rejects.toThrow('the source broke');
    expect(readFileSync(file, 'utf8')).toBe('earlier\n');
    expect(filesIn(folder)).toEqual(['pages.jsonl']);
  });

  test('while it is written, its name has the earlier file', async () => {
    const file = newFile();
    writeFileSync(file, 'earlier\n');
    const seen: string[] = [];
    const watched = pages(2, (index) => {
      seen.push(readFileSync(file, 'utf8'));
      return page(`https://docs.test/${index}`);
    });
    await writeJsonl(watched, file);
    expect(seen).toEqual(['earlier\n', 'earlier\n']);
  });

  test('append adds lines, on a line of their own, and takes them back when the source breaks', async () => {
    const file = newFile();
    await writeJsonl(pages(1), file, { append: true });
    await writeJsonl(pages(2), file, { append: true });
    expect(await gather(readJsonl(file))).toHaveLength(3);
    const whole = readFileSync(file, 'utf8');
    await expect(writeJsonl(broken(2), file, { append: true })).rejects.toThrow('broke');
    expect(readFileSync(file, 'utf8')).toBe(whole);
    writeFileSync(file, whole.slice(0, -20));
    await writeJsonl(pages(1), file, { append: true });
    expect(await gather(readJsonl(file, { skipDamaged: true }))).toHaveLength(3);
  });

  test('a link is followed, not replaced', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'real.jsonl'), '');
    symlinkSync('real.jsonl', join(folder, 'link.jsonl'));
    await writeJsonl(pages(2), join(folder, 'link.jsonl'));
    expect(await gather(readJsonl(join(folder, 'real.jsonl')))).toHaveLength(2);
  });

  test.runIf(process.platform === 'linux')('a device stays one', async () => {
    expect(await writeJsonl(pages(2), '/dev/null')).toBe(2);
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
    await expect(writeJsonl(pages(1), '/dev/full')).rejects.toMatchObject({
      code: 'STORAGE',
      message:
        'Could not write /dev/full (ENOSPC). The disk is full: free space, or write to another disk.',
    });
  });
});

describe('the source is asked for a document when the one before it is written', () => {
  test('a slow stream holds it up', async () => {
    let waiting: (() => void) | undefined;
    const slow = new Writable({ highWaterMark: 1, write: (_, __, done) => (waiting = done) });
    let asked = 0;
    const source = pages(3, (index) => {
      asked += 1;
      return page(`https://docs.test/${index}`);
    });
    const done = writeJsonl(source, slow);
    for (const expected of [1, 2, 3]) {
      await expect.poll(() => waiting).toBeDefined();
      expect(asked).toBe(expected);
      const next = waiting;
      waiting = undefined;
      next?.();
    }
    expect(await done).toBe(3);
  });
});

describe('what is wrong is told', () => {
  test('a line that is cut off, by its number; or it is left out', async () => {
    const file = newFile();
    await writeJsonl(pages(3), file);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -30));
    const read: PlainDocument[] = [];
    const all = async (): Promise<void> => {
      for await (const document of readJsonl(file)) read.push(document);
    };
    await expect(all()).rejects.toMatchObject({
      code: 'STORAGE',
      message: `${file}, line 3 is cut off. Leave such lines out with skipDamaged: true.`,
    });
    expect(read).toHaveLength(2);
    expect(await gather(readJsonl(file, { skipDamaged: true }))).toHaveLength(2);
  });

  test.each(['[1]', '{"metadata":{}}', '{"metadata":{"url":"no url"}}', 'null', '{"a":', '"x"'])(
    'a line that holds no document: %s',
    async (line) => {
      const file = newFile();
      writeFileSync(file, `${line}\n\n${JSON.stringify(page('https://docs.test/'))}\r\n`);
      await expect(gather(readJsonl(file))).rejects.toThrow(/line 1 holds no document/);
      expect(await gather(readJsonl(file, { skipDamaged: true }))).toHaveLength(1);
    },
  );

  test('a missing file, a folder in the way, an unknown option, what is no document', async () => {
    const folder = emptyFolder();
    const missing = join(folder, 'none.jsonl');
    await expect(gather(readJsonl(missing))).rejects.toMatchObject({ code: 'STORAGE' });
    await expect(writeJsonl([], folder)).rejects.toThrow(/EISDIR.*It is a folder/);
    const options = { apend: true } as object as { append: boolean };
    await expect(writeJsonl([], missing, options)).rejects.toThrow(/did you mean "append"/);
    const nothing = [{ url: 'https://docs.test' }] as unknown as PlainDocument[];
    await expect(writeJsonl(nothing, missing)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const round = page('https://docs.test/', { circle });
    await expect(writeJsonl([round], missing)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(filesIn(folder)).toEqual([]);
  });
});
