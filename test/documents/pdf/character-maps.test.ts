/** Tables of characters, from a folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { characterMaps } from '../../../src/documents/pdf/open-pdf.ts';

test('a table is read from the folder; what is not there is noted by its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'maps-'));
  try {
    await writeFile(join(folder, 'Tidal-H.bcmap'), new Uint8Array([1, 2, 3]));
    await writeFile(join(folder, 'other.txt'), 'no table');
    const { BinaryDataFactory, missing } = characterMaps(folder);
    const factory = new BinaryDataFactory();
    const table = await factory.fetch({ kind: 'cMapUrl', filename: 'Tidal-H.bcmap' });
    expect([...table]).toEqual([1, 2, 3]);
    expect(missing.size).toBe(0);
    for (const filename of ['Other-H.bcmap', '../secret.bcmap', 'other.txt']) {
      await expect(factory.fetch({ kind: 'cMapUrl', filename })).rejects.toThrow('is not there');
    }
    expect([...missing]).toEqual(['Other-H', '../secret', 'other.txt']);
    await expect(factory.fetch({ kind: 'wasmUrl', filename: 'x.wasm' })).rejects.toThrow('wasmUrl');
  } finally {
    await rm(folder, { recursive: true });
  }
});
