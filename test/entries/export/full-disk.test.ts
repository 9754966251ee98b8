/** Each writer on a disk that is full: the error says what to do, and nothing half-written has a name. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Documents,
  writeJsonl,
  writeLlmsTxt,
  writeMarkdownFolder,
  writeParquet,
  writeWarc,
} from '../../../src/entries/export/index.ts';
import { emptyFolder, filesIn, page, pages } from './documents.ts';

/** Mounting takes root. */
function smallDisk(folder: string): string | undefined {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status !== 0) return;
  onTestFinished(() => void spawnSync('umount', [disk]));
  return disk;
}

const writers: Readonly<Record<string, (documents: Documents, disk: string) => Promise<number>>> = {
  jsonl: (documents, disk) => writeJsonl(documents, join(disk, 'a.jsonl')),
  append: (documents, disk) => writeJsonl(documents, join(disk, 'a.jsonl'), { append: true }),
  folder: (documents, disk) => writeMarkdownFolder(documents, disk, { contents: true }),
  warc: (documents, disk) => writeWarc(documents, join(disk, 'a.warc')),
  parquet: (documents, disk) => writeParquet(documents, join(disk, 'a.parquet')),
  llms: (documents, disk) => writeLlmsTxt(documents, join(disk, 'llms.txt'), { full: true }),
};

test.each(Object.entries(writers))('%s', async (name, write) => {
  const disk = smallDisk(emptyFolder());
  if (disk === undefined) return;
  writeFileSync(join(disk, 'earlier'), 'x'.repeat(100_000));
  // Chance does not compress.
  let seed = 1;
  const noise = (): string =>
    Array.from({ length: 5000 }, () => ((seed = (seed * 48_271) % 2_147_483_647) % 36).toString(36)).join(''); // prettier-ignore
  const documents = pages(400, (index) =>
    page(`https://docs.test/${index}`, { markdown: noise(), rawHtml: noise() }),
  );
  await expect(write(documents, disk)).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(
      /\(ENOSPC\)\. The disk is full: free space, or write to another/,
    ),
  });
  const left = filesIn(disk).filter((file) => !/^\d+\.md$/.test(file));
  expect(left).toEqual(name === 'append' ? ['a.jsonl', 'earlier'] : ['earlier']);
});
