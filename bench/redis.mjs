// A redis-server for the benches, on a free loopback port, which writes nothing to disk.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts a server that works in `folder`; undefined where none is installed. */
export async function startRedis(folder) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const missing = once(server, 'error').then(() => true);
  if (await Promise.race([missing, untilItListens(port)])) return undefined;
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill('SIGKILL') };
}

async function untilItListens(port) {
  for (let tries = 0; tries < 500; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return false;
    } catch {
      await sleep(20);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`redis-server on port ${port} did not start.`);
}

/** What the server has done and holds by now. */
export async function redisFigures(client) {
  const info = await client.sendCommand(['INFO', 'everything']);
  const fields = new Map(
    info.split('\r\n').map((line) => /** @type {const} */ ([line.split(':')[0], line])),
  );
  const number = (name) => Number(fields.get(name)?.split(':')[1]);
  const commands = new Map();
  for (const [name, line] of fields) {
    const calls = /^cmdstat_[^:]+:calls=(\d+)/.exec(line)?.[1];
    if (calls !== undefined) commands.set(name.slice('cmdstat_'.length), Number(calls));
  }
  return {
    /** By name, those that scripts call included. */
    commands,
    received: number('total_net_input_bytes'),
    sent: number('total_net_output_bytes'),
    /** Milliseconds. */
    cpu: 1000 * (number('used_cpu_user') + number('used_cpu_sys')),
    memory: number('used_memory'),
  };
}
