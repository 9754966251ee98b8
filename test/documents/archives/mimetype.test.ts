/** Office files and books whose entry `mimetype` is not where it should be, or not as it should be. */
import { strToU8, zipSync, type Zippable } from 'fflate';
import { describe, expect, test } from 'vitest';
import { detectMediaType } from '../../../src/content/parsers/media-type.ts';
import { outlineOf } from '../../../src/content/parsers/zip-directory.ts';

const types = [
  ...['text', 'spreadsheet', 'presentation'].map(
    (kind) => `application/vnd.oasis.opendocument.${kind}`,
  ),
  'application/epub+zip',
];
const content = strToU8('<office:document-content/>');
const typeOf = (body: Uint8Array): string =>
  detectMediaType(undefined, Buffer.from(body), 'http://a.test/x').mediaType;
const stored = (text: string): Zippable[string] => [strToU8(text), { level: 0 }];
const deflated = (text: string): Zippable[string] => [strToU8(text), { level: 9 }];

describe.each(types)('%s', (type) => {
  test.each<[how: string, files: Zippable]>([
    ['stored first', { mimetype: stored(type), 'content.xml': content }],
    ['deflated first', { mimetype: deflated(type), 'content.xml': content }],
    ['stored last', { 'content.xml': content, mimetype: stored(type) }],
    ['deflated last', { 'content.xml': content, mimetype: deflated(`${type}\n`) }],
  ])('%s', (_, files) => {
    expect(typeOf(zipSync(files))).toBe(type);
  });

  test('deflated first in a file that was cut off', () => {
    const whole = zipSync({ mimetype: deflated(type), 'content.xml': content });
    expect(typeOf(whole.subarray(0, whole.length - 40))).toBe(type);
  });
});

describe('an archive', () => {
  const type = types[0] ?? '';

  test('that holds a mimetype further in, or of another kind, is one', () => {
    expect(typeOf(zipSync({ 'a/mimetype': stored(type) }))).toBe('application/zip');
    expect(typeOf(zipSync({ a: content, mimetype: deflated('text/plain') }))).toBe(
      'application/zip',
    );
  });

  test('whose mimetype unpacks to more than a type is not unpacked', () => {
    const long = type + '\0'.repeat(50_000_000);
    const lying = Buffer.from(zipSync({ mimetype: deflated(long) }));
    // The size before the content and that in the directory say otherwise.
    lying.writeUInt32LE(type.length, 22);
    lying.writeUInt32LE(type.length, lying.indexOf('PK\x01\x02') + 24);
    const before = process.memoryUsage();
    expect(outlineOf(lying).mimetype).toBe('');
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_000_000);
    expect(typeOf(lying)).toBe('application/zip');
  });

  test('whose mimetype is damaged, encrypted by its method or beyond its end is one', () => {
    const whole = Buffer.from(zipSync({ a: content, mimetype: deflated(type) }));
    const local = whole.indexOf('mimetype') - 30;
    const changed = (change: (bytes: Buffer) => void): Buffer => {
      const bytes = Buffer.from(whole);
      change(bytes);
      return bytes;
    };
    for (const bytes of [
      changed((copy) => copy.fill(0xff, local + 38, local + 50)),
      changed((copy) => copy.writeUInt16LE(99, local + 8)),
      changed((copy) => copy.writeUInt32LE(0xfffffff0, copy.lastIndexOf('mimetype') - 4)),
    ]) {
      expect(typeOf(bytes)).toBe('application/zip');
    }
  });
});
