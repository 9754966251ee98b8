/** Stores on a disk that is full: the error says so, and nothing already stored is lost. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../src/core/storage/file-store.ts';
import { sqliteStore } from '../../../src/entries/storage/sqlite-store.ts';
import type { Store } from '../../../src/core/storage/store.ts';

const built = new URL('../../../build/', import.meta.url).href;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
});
afterEach(async () => {
  spawnSync('umount', ['-l', join(folder, 'small')]);
  await rm(folder, { recursive: true, force: true });
});

/** Mounting takes root. */
const canMount = ((): boolean => {
  const probe = join(tmpdir(), `full-disk-probe-${process.pid}`);
  const run = (command: string, ...args: readonly string[]): boolean =>
    spawnSync(command, args).status === 0;
  const mounted =
    run('mkdir', probe) && run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe);
  if (mounted) run('umount', probe);
  run('rmdir', probe);
  return mounted;
})();

const stores: readonly (readonly [string, (place: string) => Store])[] = [
  ['fileStore', (place) => fileStore(join(place, 'store'))],
  ['sqliteStore', (place) => sqliteStore({ file: join(place, 'store.db') })],
];

const valueOf = (at: number): Uint8Array => new Uint8Array(20_000).fill(at);

/** Writes until that fails; gives the error and what was stored. */
async function fill(store: Store): Promise<{ readonly error: unknown; readonly stored: number }> {
  for (let stored = 0; stored < 1000; stored++) {
    try {
      await store.set(`filling/${stored}`, valueOf(stored));
    } catch (error) {
      return { error, stored };
    }
  }
  throw new Error('The disk is never full.');
}

describe.each(stores)('%s', (_, open) => {
  test.skipIf(!canMount)(
    'keeps what it has on a full disk, and goes on when there is room (needs root, to mount one)',
    async () => {
      const small = join(folder, 'small');
      await mkdir(small);
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small]);
      await writeFile(join(small, 'ballast'), Buffer.alloc(1_000_000));
      const store = open(small);
      const { error, stored } = await fill(store);
      expect(error).toMatchObject({
        code: 'STORAGE',
        message: expect.stringMatching(
          /could not write .*filling.*Free space on the disk.*still there/,
        ) as string,
      });
      expect(stored).toBeGreaterThan(10);
      await store.dispose?.();

      const reopened = open(small);
      for (let at = 0; at < stored; at++) {
        const value = (await reopened.get(`filling/${at}`)) ?? new Uint8Array();
        expect(Buffer.compare(value, valueOf(at)), `value ${at}`).toBe(0);
      }
      expect(await reopened.get(`filling/${stored}`)).toBeUndefined();
      await rm(join(small, 'ballast'));
      await reopened.set('after', valueOf(7));
      expect(await reopened.get('after')).toEqual(valueOf(7));
      await reopened.dispose?.();
    },
  );
});

test.skipIf(process.platform === 'win32').each([
  ['fileStore', `(await import('${built}core/storage/file-store.js')).fileStore(PLACE)`],
  [
    'sqliteStore',
    `(await import('${built}entries/storage/sqlite-store.js')).sqliteStore({ file: PLACE + '/store.db' })`,
  ],
])('%s keeps what it has where files may not grow', async (name, expression) => {
  const script = `
    const store = ${expression.replace('PLACE', JSON.stringify(folder))};
    await store.set('small', new Uint8Array(1000));
    const error = await store.set('large', new Uint8Array(2_000_000)).catch((thrown) => thrown);
    const [small, large] = [await store.get('small'), await store.get('large')];
    console.log(JSON.stringify({ code: error?.code, message: error?.message, small: small?.length, large: large?.length }));
  `;
  const limited = `ulimit -f 500; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', limited, process.execPath, script]);
  expect(JSON.parse(stdout), name).toEqual({
    code: 'STORAGE',
    message: expect.stringMatching(/could not write .*large.*limit on the size of files/) as string,
    small: 1000,
  });
});
