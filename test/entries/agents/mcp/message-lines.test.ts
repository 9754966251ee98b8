/** Messages of MCP on stdin: lines that are too long are answered, and those after them read. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { messageLines } from '../../../../src/entries/agents/mcp/message-lines.ts';

/** What is passed on, and the answers, for input in pieces of this size. */
async function read(
  input: string,
  pieces: number,
  longest = 200,
): Promise<{ passed: string; answers: unknown[] }> {
  const answers: unknown[] = [];
  const bytes = Buffer.from(input);
  const chunks = Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, index) =>
    bytes.subarray(index * pieces, (index + 1) * pieces),
  );
  const lines = messageLines((answer) => answers.push(JSON.parse(answer)), longest);
  return { passed: await text(Readable.from(chunks).pipe(lines)), answers };
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const long = JSON.stringify({ text: 'x"id":9'.repeat(100) });
const refused = (id: unknown): unknown => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_600, message: expect.stringContaining('200 are allowed') as string },
});

test.each([1, 7, 64, 100_000])('a long line between others, in pieces of %i', async (pieces) => {
  const lines = [
    ping,
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${long}}\n`,
    ping,
    `{"method":"tools/call","params":${long},"jsonrpc":"2.0","id":"three"}\r\n`,
    `{"method":"tools/call","params":${long}}\n`,
    ping,
  ];
  const { passed, answers } = await read(lines.join(''), pieces);
  expect(passed).toBe(ping.repeat(3));
  expect(answers).toEqual([refused(2), refused('three'), refused(null)]);
});

test('the last line needs no end', async () => {
  expect(await read(ping.trim(), 9)).toEqual({ passed: ping.trim(), answers: [] });
  expect((await read(`{"id":4,"params":${long}`, 9)).answers).toEqual([refused(4)]);
});
