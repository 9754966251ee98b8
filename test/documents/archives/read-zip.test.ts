import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { readZip } from '../../../src/documents/archives/read-zip.ts';
import { archive } from '../../support/office-file.ts';

const limits = { totalBytes: 1_000_000 };
const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString();

describe('an archive', () => {
  test('gives its entries by name, deflated or stored', () => {
    const zip = readZip(
      zipSync({
        'a/b.txt': [strToU8('ä'.repeat(100)), { level: 9 }],
        c: [strToU8('c'), { level: 0 }],
      }),
      limits,
    );
    expect(zip.names).toEqual(['a/b.txt', 'c']);
    expect(text(zip.read('a/b.txt'))).toBe('ä'.repeat(100));
    expect(text(zip.read('c'))).toBe('c');
    expect(zip.read('d')).toBeUndefined();
    expect(zip.sizeOf('a/b.txt')).toBe(200);
  });

  test('may have something before and after it', () => {
    const bytes = Buffer.concat([Buffer.from('MZ program'), archive({ a: 'b' })]);
    expect(text(readZip(bytes, limits).read('a'))).toBe('b');
  });

  test('has no names that lead out of a folder', () => {
    const zip = readZip(
      archive({
        '../../etc/passwd': 'x',
        '/root': 'y',
        'C:\\win\\a.ini': 'z',
        './q': 'q',
      }),
      limits,
    );
    expect([...zip.names].sort()).toEqual(['etc/passwd', 'q', 'root', 'win/a.ini']);
    expect(text(zip.read('etc/passwd'))).toBe('x');
    expect(zip.has('constructor')).toBe(false);
    expect(zip.read('constructor')).toBeUndefined();
  });

  test('may have an entry of any name', () => {
    const bytes = Buffer.from(archive({ aaaaaaaaa: 'p' }));
    const renamed = Buffer.from(
      bytes.toString('latin1').replaceAll('aaaaaaaaa', '__proto__'),
      'latin1',
    );
    const zip = readZip(renamed, limits);
    expect(zip.names).toEqual(['__proto__']);
    expect(text(zip.read('__proto__'))).toBe('p');
  });

  test('lists no more entries than allowed, and says so', () => {
    const zip = readZip(archive({ a: '1', b: '2', c: '3' }), { ...limits, entries: 2 });
    expect(zip.names).toEqual(['a', 'b']);
    expect(zip.isCut).toBe(true);
  });
});

describe('a bomb', () => {
  const zeros = new Uint8Array(5_000_000);

  test('is stopped while it is inflated, whatever its header says', () => {
    const bytes = Buffer.from(archive({ a: zeros }));
    const at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    bytes.writeUInt32LE(10, at + 24);
    const zip = readZip(bytes, limits);
    expect(zip.sizeOf('a')).toBe(10);
    expect(() => zip.read('a')).toThrow(expect.objectContaining({ code: 'PARSE_LIMIT' }) as Error);
  });

  test('of many entries is stopped by what they have together', () => {
    const part = new Uint8Array(400_000);
    const zip = readZip(archive({ a: part, b: part, c: part }), limits);
    expect(zip.read('a')).toHaveLength(400_000);
    expect(zip.read('a')).toHaveLength(400_000);
    expect(zip.read('b')).toHaveLength(400_000);
    expect(() => zip.read('c')).toThrow(expect.objectContaining({ code: 'PARSE_LIMIT' }) as Error);
  });
});

describe('what cannot be read is UNSUPPORTED_CONTENT', () => {
  const whole = Buffer.from(archive({ a: 'a'.repeat(1000) }));
  const unsupported = expect.objectContaining({ code: 'UNSUPPORTED_CONTENT' }) as Error;

  test.each([0, 1, 10, 22, 60, 100])('cut off after %i bytes', (length) => {
    expect(() => readZip(whole.subarray(0, length), limits)).toThrow(unsupported);
  });

  test('with a damaged entry', () => {
    const bytes = Buffer.from(whole);
    bytes.fill(0xff, 31, 40);
    expect(() => readZip(bytes, limits).read('a')).toThrow(unsupported);
  });

  test('with an encrypted entry', () => {
    const bytes = Buffer.from(whole);
    const at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    bytes.writeUInt16LE(1, at + 8);
    expect(() => readZip(bytes, limits).read('a')).toThrow(/encrypted/);
  });

  test('with bytes changed anywhere: nothing else is thrown', () => {
    for (let at = 0; at < whole.length; at += 1) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      try {
        const zip = readZip(bytes, limits);
        for (const name of zip.names) zip.read(name);
      } catch (error) {
        expect((error as { code?: string }).code).toMatch(/^(?:UNSUPPORTED_CONTENT|PARSE_LIMIT)$/);
      }
    }
  });
});
