/** Files that are given to a page. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refuseUnstored, optionsToStore } from '../../../src/core/jobs/durable/stored-options.ts';
import { ValidationError } from '../../../src/core/runtime/errors.ts';
import { parseActions } from '../../../src/core/options/rendering-options.ts';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import { act, failureOf } from './lab.ts';

let browser: Browser;
let folder: string;

beforeAll(async () => {
  [browser, folder] = await Promise.all([launchChromium(), mkdtemp(join(tmpdir(), 'upload-'))]);
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

/** An input, with a button and a label that open it; its files are in `pre`. */
const show = (input: string): Promise<Page> =>
  pageWith(
    browser,
    `<div hidden><input type="file" id="input" ${input}></div><label for="input">Choose</label>
    <button onclick="input.click()">Upload</button>
    <button onclick="const own = document.createElement('input'); own.type = 'file'; own.onchange = () => list(own.files); own.click()">Made</button>
    <button onclick="document.title = 'no'">None</button><pre></pre>
    <script>
      const list = async (files) => {
        const lines = await Promise.all([...files].map(async (file) => [file.name, file.type, await file.text()].join(' ')));
        document.querySelector('pre').textContent = lines.join('\\n');
      };
      const input = document.querySelector('input');
      input.onchange = () => list(input.files);
    </script>`,
  );

const ada = {
  name: 'ada.txt',
  content: new TextEncoder().encode('Ada'),
  contentType: 'text/plain',
};
const bob = { name: 'bob.bin', content: Buffer.from('Bob').toString('base64') };

describe('the page gets the files', () => {
  test.each(['input[type=file]', 'label', 'text=Upload', 'role=button[name="Made"]'])(
    'through %s',
    async (selector) => {
      const page = await show('');
      await act(page, [{ type: 'upload', selector, files: [ada] }]);
      await expect.poll(() => page.locator('pre').textContent()).toBe('ada.txt text/plain Ada');
    },
  );

  test('several ones, also from disk', async () => {
    const path = join(folder, 'notes.md');
    await writeFile(path, '# Notes');
    const page = await show('multiple');
    const files = [ada, bob, pathToFileURL(path)];
    await act(page, [{ type: 'upload', selector: '#input', files }]);
    await expect
      .poll(() => page.locator('pre').textContent())
      .toBe(
        'ada.txt text/plain Ada\nbob.bin application/octet-stream Bob\nnotes.md application/octet-stream # Notes',
      );
  });
});

describe('errors', () => {
  // Takes the 10 s that a file chooser has to open.
  test('say what is wrong with the files or the element', async () => {
    const page = await show('');
    const messages: string[] = [];
    const big = join(folder, 'big');
    await writeFile(big, Buffer.alloc(20_000_001));
    for (const [selector, ...files] of [
      ['text=None', ada],
      ['#input', ada, bob],
      ['#input', pathToFileURL(join(folder, 'none'))],
      ['#input', pathToFileURL(folder)],
      ['#input', pathToFileURL(big)],
    ] as const) {
      const failure = await failureOf(act(page, [{ type: 'upload', selector, files }]));
      messages.push(failure.message.replace(/^.*?: /, ''));
    }
    expect(messages).toEqual([
      '"text=None" opened no file chooser; select the <input type=file> itself',
      expect.stringMatching(/single file/),
      'the file "none" cannot be read: ENOENT',
      expect.stringMatching(/cannot be read: (?:it is not a file|EISDIR)$/),
      'the file "big" cannot be read: the files have more than 20000000 bytes in all',
    ]);
  }, 60_000);

  test.each([
    ['a path', '/etc/passwd', /expected \{ name, content, contentType\? \} or a URL object/],
    ['a URL as a string', 'file:///etc/passwd', /or a URL object of a file/],
    ['an object with a path', { path: '/etc/passwd' }, /or a URL object of a file/],
    [
      'a URL of the web',
      new URL('https://a.test/x'),
      /expected a file: URL|a URL object of a file/,
    ],
    ['a name with folders', { name: '../x', content: '' }, /a name without folders|a URL object/],
    ['text that is no base64', { name: 'x', content: 'no base64' }, /base64|a URL object/],
    [
      'more than 20 MB',
      { name: 'x', content: new Uint8Array(20_000_001) },
      /at most 20000000 bytes in all/,
    ],
  ])('%s is refused before a browser opens', (_, file, message) => {
    const parse = (): unknown =>
      parseActions('scrape', [{ type: 'upload', selector: 'p', files: [file] }], []);
    expect(parse).toThrow(ValidationError);
    expect(parse).toThrow(message);
  });

  test('have one key as bytes and as base64, made without a property for each byte', () => {
    const bytes = new Uint8Array(8_000_000).fill(7);
    const keyOf = (content: string | Uint8Array): string | undefined => {
      const file = { name: 'a.bin', content };
      return parseActions('scrape', [{ type: 'upload', selector: 'p', files: [file] }], [])[0]?.key;
    };
    const before = process.memoryUsage().heapTotal;
    const key = keyOf(bytes);
    expect(process.memoryUsage().heapTotal - before).toBeLessThan(200_000_000);
    expect(keyOf(Buffer.from(bytes).toString('base64'))).toBe(key);
    expect(keyOf(bytes.fill(8, 0, 1))).not.toBe(key);
  });

  test('a file on this machine is not handed to another process', () => {
    const options = (file: unknown): object => ({
      actions: [{ type: 'upload', selector: 'p', files: [file] }],
    });
    const submit = (file: unknown) => (): void =>
      refuseUnstored('submit', options(file), optionsToStore(options(file)));
    expect(submit(new URL('file:///etc/hosts'))).toThrow(
      /actions: another process cannot receive the URL of a file on this machine/,
    );
    expect(submit(bob)).not.toThrow();
  });
});
