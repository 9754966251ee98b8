/** The diff of two markdowns: right, readable, and bounded in time whatever they are. */
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DiffChange,
  diffMarkdown,
  type MarkdownDiff,
} from '../../../../src/content/formats/change-tracking/diff-markdown.ts';
import { usualAnd } from '../../../support/deep.ts';

describe('diffMarkdown', () => {
  test('gives a unified diff and the same in parts', async () => {
    const previous = '# Lamp\n\nPrice: 12.99\n\nIn stock.\n';
    const current = '# Lamp\n\nPrice: 19.29\n\nIn stock.\n';
    const { diff, warning } = await diffMarkdown(previous, current);
    expect(warning).toBeUndefined();
    expect(diff.text).toBe(
      '--- previous.md\n+++ current.md\n@@ -1,5 +1,5 @@\n # Lamp\n \n-Price: 12.99\n+Price: 19.29\n \n In stock.\n',
    );
    expect(diff.json).toEqual({
      files: [
        {
          from: 'previous.md',
          to: 'current.md',
          chunks: [
            {
              content: '@@ -1,5 +1,5 @@',
              changes: [
                { type: 'normal', normal: true, ln1: 1, ln2: 1, content: ' # Lamp' },
                { type: 'normal', normal: true, ln1: 2, ln2: 2, content: ' ' },
                { type: 'del', del: true, ln: 3, content: '-Price: 12.99' },
                { type: 'add', add: true, ln: 3, content: '+Price: 19.29' },
                { type: 'normal', normal: true, ln1: 4, ln2: 4, content: ' ' },
                { type: 'normal', normal: true, ln1: 5, ln2: 5, content: ' In stock.' },
              ],
            },
          ],
        },
      ],
    });
  });

  test('a reordered list is a difference', async () => {
    const { diff } = await diffMarkdown('- a\n- b\n- c', '- c\n- a\n- b');
    expect(diff.text).toContain('-- c\n');
    expect(diff.text).toContain('+- c\n');
  });

  test('equal texts give an empty diff, and an empty text is all added or all removed', async () => {
    expect((await diffMarkdown('a\nb', 'a\nb\n')).diff).toEqual({ text: '', json: { files: [] } });
    expect((await diffMarkdown('', 'a\nb')).diff.text).toContain('@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect((await diffMarkdown('a\nb', '')).diff.text).toContain('@@ -1,2 +0,0 @@\n-a\n-b\n');
  });

  test('what one place has removed and added is shown once, far places are chunks of their own', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`);
    const edited = lines.with(5, 'five').with(30, 'thirty').join('\n');
    const { diff } = await diffMarkdown(lines.join('\n'), edited);
    const [file] = diff.json.files;
    expect(file?.chunks.map(({ content }) => content)).toEqual([
      '@@ -3,7 +3,7 @@',
      '@@ -28,7 +28,7 @@',
    ]);
  });

  test('any two texts: the patch makes one of the other, and both forms say the same', async () => {
    const line = fc.constantFrom(
      '',
      'a',
      'b',
      'c',
      '- x',
      '+ y',
      '@@ z',
      '\\ no',
      'end\r',
      '--- a',
    );
    const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, text, async (previous, current) => {
        const { diff } = await diffMarkdown(previous, current);
        expectPatch(diff, previous, current);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

describe('a diff is bounded', () => {
  let state = 11;
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  const word = (): string => random().toString(36);
  const lines = (count: number, make: () => string): string =>
    Array.from({ length: count }, make).join('\n');
  const megabyte = (): string => lines(20_000, () => Array.from({ length: 8 }, word).join(' '));
  const digit = (): string => String((random() >>> 16) % 10);

  test.each(
    usualAnd(4, [
      ['two texts of 1 MB without a common line', () => [megabyte(), megabyte()]],
      ['90,000 short lines that repeat', () => [lines(45_000, digit), lines(45_000, digit)]],
      ['one line of 5 MB', () => ['a'.repeat(5e6), `${'a'.repeat(5e6 - 1)}b`]],
      [
        'a period that shifts',
        () => [lines(60_000, () => 'ab'), 'x\n' + 'ab\ncd\n'.repeat(30_000)],
      ],
      ['a million short lines', () => [lines(1_000_000, digit), lines(1_000_000, digit)]],
      ['nothing but line breaks', () => ['\n'.repeat(5e6), `${'\n'.repeat(4e6)}end`]],
    ]),
  )('%s', { timeout: 30_000 }, async (_, make) => {
    const [previous = '', current = ''] = make();
    const watch = watchLoop();
    const begun = performance.now();
    const { diff } = await diffMarkdown(previous, current);
    const took = performance.now() - begun;
    const longest = watch.stop();
    expect(took).toBeLessThan(15_000);
    expect(longest).toBeLessThan(2_000);
    // Twice: nothing depends on time.
    expect((await diffMarkdown(previous, current)).diff.text === diff.text).toBe(true);
    expect(applies(diff, previous, current)).toBe(true);
    const changes = diff.json.files.flatMap(({ chunks }) => chunks.flatMap((one) => one.changes));
    expect(changes.length).toBeLessThan(100_000);
  });

  test('a page that is rewritten in many places keeps its unchanged lines', async () => {
    const before = Array.from({ length: 5_000 }, (_, n) => `paragraph ${n}`);
    const after = before.map((line, n) => (n % 3 === 0 ? `${line} edited` : line));
    const { diff, warning } = await diffMarkdown(before.join('\n'), after.join('\n'));
    expect(warning).toBeUndefined();
    expectPatch(diff, before.join('\n'), after.join('\n'));
    expect(diff.text.match(/^-/gm)).toHaveLength(1 + Math.ceil(5_000 / 3));
  });

  test('where whole passages are given as replaced, that is said', async () => {
    const { warning } = await diffMarkdown(megabyte(), megabyte());
    expect(warning).toMatch(/whole passages/);
  });
});

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function expectPatch(diff: MarkdownDiff, previous: string, current: string): void {
  if (diff.text === '') {
    expect(ended(current)).toBe(ended(previous));
    return;
  }
  const patched = applyPatch(ended(previous), diff.text, { autoConvertLineEndings: false });
  expect(patched).toBe(ended(current));
  const [file] = diff.json.files;
  const again = file?.chunks.flatMap(({ content, changes }) => [
    content,
    ...changes.map((change: DiffChange) => change.content),
  ]);
  expect(['--- previous.md', '+++ current.md', ...(again ?? []), ''].join('\n')).toBe(diff.text);
}

/** `applyPatch` of the package searches in vain places: this one only takes what the patch says. */
function applies({ text }: MarkdownDiff, previous: string, current: string): boolean {
  const old = ended(previous).split('\n');
  const made: string[] = [];
  let at = 0;
  for (const line of text.split('\n').slice(2, -1)) {
    const start = /^@@ -(\d+),(\d+) /.exec(line);
    if (start !== null) {
      const from = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      while (at < from) made.push(old[at++] ?? '');
    } else if (line.startsWith('+')) made.push(line.slice(1));
    else if (old[at++] !== line.slice(1)) return false;
    else if (line.startsWith(' ')) made.push(line.slice(1));
  }
  while (at < old.length) made.push(old[at++] ?? '');
  return made.join('\n') === ended(current);
}

/** The longest time in which nobody else could work. */
function watchLoop(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(longest, performance.now() - last);
    },
  };
}
