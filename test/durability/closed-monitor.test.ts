/** Monitors in a process that nothing else keeps alive: whatever ends one settles. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serve } from '../../src/entries/testing/index.ts';

const built = new URL('../../dist/index.js', import.meta.url);

test('close, stop, remove, dispose and an aborted signal settle while the monitor rests', async () => {
  if (!existsSync(built)) throw new Error('Build it first: npm run build');
  await using site = await serve({ '/lamp': '<title>Lamp</title><p>Price: € 64.00</p>' });
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    `import { createClient, memoryStore } from ${JSON.stringify(built.href)};
    import { setTimeout as sleep } from 'node:timers/promises';
    const open = () => createClient({ storage: memoryStore(), browser: false, network: { allow: ['127.0.0.1'] } });
    const options = { targets: [${JSON.stringify(site.url('/lamp'))}], every: '1h' };
    const ends = {
      close: (client) => client.close(),
      stop: (client, monitor) => monitor.stop(),
      remove: (client, monitor) => client.monitors.remove(monitor.id),
      dispose: (client, monitor) => monitor[Symbol.asyncDispose](),
      abort: async (client, monitor, abort) => {
        abort.abort();
        await client.close();
      },
      loop: async (client, monitor) => {
        const loop = monitor[Symbol.asyncIterator]();
        const next = loop.next();
        await sleep(20);
        await client.close();
        await next;
      },
    };
    for (const [name, end] of Object.entries(ends)) {
      const abort = new AbortController();
      const client = open();
      const monitor = client.monitor({ ...options, signal: abort.signal });
      await monitor.check();
      // It rests now, until the next round.
      await sleep(20);
      await end(client, monitor, abort);
      console.log(name);
      await client.close();
    }
    const client = open();
    client.monitor(options);
    await client.close();
    console.log('unused');`,
  ]);
  const ends = ['close', 'stop', 'remove', 'dispose', 'abort', 'loop', 'unused'];
  expect(stdout.trimEnd().split('\n')).toEqual(ends);
});
