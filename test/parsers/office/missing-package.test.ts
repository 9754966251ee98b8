/** Workbooks and buckets where the packages that they need are not installed. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

describe('without the packages @e965/xlsx and aws4fetch', () => {
  let folder: string;

  /** The built package with what it depends on, and nothing else. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pagewright-'));
    const modules = join(folder, 'node_modules');
    const own = join(modules, 'pagewright');
    cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(own, 'package.json'));
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('xlsx and xls say what to install; all other files are read', async () => {
    const files = join(root, 'fixtures', 'files');
    const script = `
      import { readFileSync } from 'node:fs';
      import { parse } from 'pagewright';
      const read = (path, options = {}) =>
        parse(readFileSync(${JSON.stringify(files)} + path), { url: 'http://site.test' + path, ...options })
          .catch(({ name, code, packageName, message }) => ({ name, code, packageName, message }));
      const refused = [await read('/xlsx/ledger.xlsx'), await read('/xls/ledger.xls')];
      const others = [await read('/ods/ledger.ods'), await read('/docx/letter.docx'), await read('/csv/prices.csv')];
      console.log(JSON.stringify({ refused, others: others.map(({ markdown }) => markdown.length > 100) }));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
    });
    const missing = {
      name: 'MissingDependencyError',
      code: 'MISSING_DEPENDENCY',
      packageName: '@e965/xlsx',
      message:
        'Reading a workbook needs the package "@e965/xlsx", which is not installed. Run: npm install @e965/xlsx',
    };
    expect(JSON.parse(stdout)).toEqual({
      refused: [missing, missing],
      others: [true, true, true],
    });
  });

  it('s3Store says what to install', async () => {
    const script = `
      import { s3Store } from 'pagewright';
      const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
      const store = s3Store({ bucket: 'crawls', endpoint: 'http://127.0.0.1:1', ...keys });
      const { code, message } = await store.get('a').catch((error) => error);
      console.log(JSON.stringify({ code, message }));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'MISSING_DEPENDENCY',
      message: expect.stringContaining('s3Store needs the package "aws4fetch"') as string,
    });
  });
});
