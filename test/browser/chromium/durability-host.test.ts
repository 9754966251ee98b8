/** The process that uses the browser ends or is killed: no browser stays behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { descendants, isRunning, type ProcessFacts } from '../../support/process-tree.ts';
import { usualAnd, rareTest } from '../../support/deep.ts';

const built = new URL('../../../dist/', import.meta.url).href;

const start = `
  import { createClient } from '${built}index.js';
  import { serve } from '${built}entries/testing/index.js';
  const busy = '<p>Busy.</p><script>setTimeout(() => { for (;;); }, 200)</script>';
  const server = await serve({ '/': '<p>Text.</p>', '/busy': busy });
  const client = createClient({ network: { allow: ['127.0.0.1'] } });
  const { markdown } = await client.scrape(server.url('/'), { engine: 'browser' });
`;

/** Runs the script in a process of its own; resolves when it wrote its first line. */
async function runHost(rest: string): Promise<{ host: ChildProcess; line: string }> {
  const host = spawn(process.execPath, ['--input-type=module', '-e', start + rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  const [line] = (await once(host.stdout, 'data')) as [Buffer];
  return { host, line: String(line).trim() };
}

async function ended(processes: readonly ProcessFacts[], within: number): Promise<void> {
  const until = performance.now() + within;
  while (processes.some(isRunning) && performance.now() < until) await sleep(50);
  expect(processes.filter(isRunning).map(({ command }) => command.join(' '))).toEqual([]);
}

const signals = ['SIGKILL', 'SIGTERM'] as const;

describe('a host', { timeout: 60_000 }, () => {
  test.each(usualAnd(1, signals))('that ends by %s leaves no browser 5 s later', async (signal) => {
    const { host, line } = await runHost(`
      void client.scrape(server.url('/busy'), { engine: 'browser' });
      setTimeout(() => console.log(markdown), 1000);
    `);
    expect(line).toBe('Text.');
    const left = descendants(host.pid ?? 0);
    expect(left.length).toBeGreaterThan(2);
    const exited = once(host, 'exit');
    host.kill(signal);
    await exited;
    await ended(left, 5_000);
  });

  test('ends by itself soon after its last page, without close()', async () => {
    const { host, line } = await runHost('await server.close(); console.log(markdown);');
    expect(line).toBe('Text.');
    const left = descendants(host.pid ?? 0);
    const begun = performance.now();
    const [code] = (await once(host, 'exit')) as [number];
    expect(code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await ended(left, 5_000);
  });

  rareTest('may call process.exit() at any time', async () => {
    const { host } = await runHost(`
      void client.scrape(server.url('/busy'), { engine: 'browser' });
      setTimeout(() => { console.log(markdown); setTimeout(() => process.exit(3), 500); }, 500);
    `);
    const left = descendants(host.pid ?? 0);
    const [code] = (await once(host, 'exit')) as [number];
    expect(code).toBe(3);
    await ended(left, 5_000);
  });
});
