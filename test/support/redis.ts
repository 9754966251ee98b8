/** A redis-server of its own for a test file: on a free loopback port, in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that runs until it is stopped. */
export interface RedisServer {
  readonly url: string;
  /** Ends the process as a power cut would, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Ends the process as a power cut would. */
  kill(): Promise<void>;
  /** Sends a signal to the process. */
  signal(name: NodeJS.Signals): void;
  /** Ends the process and removes what it wrote. */
  stop(): Promise<void>;
}

/** Starts one. `config` is more of its command line; `persistent` keeps values over a restart. */
export async function startRedis(
  options: { readonly config?: readonly string[]; readonly persistent?: boolean } = {},
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let running: ChildProcess;

  const start = async (): Promise<void> => {
    const kept =
      options.persistent === true ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
    const address = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const args = [...address, '--save', '', ...kept, ...(options.config ?? [])];
    running = spawn('redis-server', args, { stdio: 'ignore' });
    const failed = new Promise<never>((_, reject) => {
      running.once('error', (error) => {
        reject(new Error('Tests of the Redis store need redis-server.', { cause: error }));
      });
      running.once('exit', (code) => {
        reject(new Error(`redis-server ended with ${code}.`));
      });
    });
    await Promise.race([untilItAnswers(port), failed]);
    failed.catch(() => undefined);
  };
  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, 'exit');
    running.kill('SIGKILL');
    await exit;
  };

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    signal: (name) => void running.kill(name),
    restart: async () => {
      await kill();
      await start();
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}

async function untilItAnswers(port: number): Promise<void> {
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(20)) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.write('PING\r\n');
      const [reply] = (await once(socket, 'data')) as [Buffer];
      // Any other is that it still loads, or asks for a password: then it is there too.
      if (!reply.toString().startsWith('-LOADING')) return;
    } catch {
      // Not there yet.
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`redis-server on port ${port} did not answer within 15 s.`);
}
