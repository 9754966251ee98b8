/** A worker in a process of its own, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** What was built: a child that compiled the source first would need seconds to begin. */
const built = new URL('../../../dist/', import.meta.url);

/** How a child meets its fleet. */
export interface WorkerInChild {
  readonly fleet: { readonly redis: string; readonly prefix: string; readonly recovery: number };
  readonly slots?: number;
  /** @default visits and crawls */
  readonly takes?: readonly ('visits' | 'crawls')[];
  /** The text of a function body that gets the `url` before each request. @default nothing */
  readonly beforeRequest?: string;
}

/** Starts a child; resolves when it takes pages. */
export async function startWorkerProcess(options: WorkerInChild): Promise<ChildProcess> {
  if (!existsSync(built)) throw new Error('Build it first: npm run build');
  const { fleet, slots = 8, takes = ['visits', 'crawls'], beforeRequest = '' } = options;
  const program = `
    import { redisStore } from ${JSON.stringify(new URL('entries/storage/index.js', built).href)};
    import { startWorker } from ${JSON.stringify(new URL('entries/fleet/index.js', built).href)};
    const fleet = ${JSON.stringify(fleet)};
    await startWorker({
      fleet,
      storage: redisStore({ url: fleet.redis, prefix: fleet.prefix }),
      network: { allow: ['127.0.0.1'] },
      cache: false,
      slots: ${slots},
      takes: ${JSON.stringify(takes)},
      hooks: { beforeRequest: ({ url }) => { ${beforeRequest} } },
    });
    process.stdout.write('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('The worker has ended.'))),
  ]);
  return child;
}

/** Ends a child as the system does when memory is short. */
export async function killWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
