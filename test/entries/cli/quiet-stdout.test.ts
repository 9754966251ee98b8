/** stdout has the result of a command, or its protocol, and nothing that packages log. */
import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { archive } from '../../support/office-file.ts';
import { collect, pagewright, requireBuild, startPagewright } from './run-pagewright.ts';

beforeAll(requireBuild);

const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const damaged = new Uint8Array(300).fill(7);

/** Archives whose reading makes the library of workbooks log. */
const archives = {
  'of Numbers': archive({ 'Index/Document.iwa': damaged }),
  'of Numbers in a workbook': archive({
    '[Content_Types].xml': '<Types/>',
    'Index/Document.iwa': damaged,
    'Index/Tables/DataList.iwa': damaged,
  }),
  'with an archive of Numbers': archive({ 'Index.zip': archive({ 'Document.iwa': damaged }) }),
};

test.each(Object.entries(archives))('an archive %s', async (_, body) => {
  const words = ['scrape', '-', '--json', '--no-config', '--content-type', sheetType];
  const { stdout, stderr } = await pagewright(words, { stdin: body });
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'UNSUPPORTED_CONTENT' } });
});

test('MCP answers a message that is too long, and the one after it', async () => {
  const child = startPagewright(['mcp', '--no-config', '--quiet'], '/tmp');
  const output = collect(child);
  const send = (id: number, method: string, params: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  send(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  send(2, 'tools/call', { name: 'scrape', arguments: { url: 'x'.repeat(11_000_000) } });
  send(3, 'ping', {});
  while (output().stdout.split('\n').length < 4) await once(child.stdout, 'data');
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  const answers = output()
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; error?: { code: number } });
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  expect(answers.find(({ id }) => id === 2)?.error?.code).toBe(-32_600);
  expect(code).toBe(0);
});
