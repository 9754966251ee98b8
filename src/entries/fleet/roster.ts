/** The roster of a fleet in Redis: each worker describes itself there while it lives. */
import { z } from 'zod';
import type { EngineNumbers, WorkerStatus } from '../../core/model/fleet-status.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import {
  engineClasses,
  type FleetConnection,
  type FleetSettings,
  minorOf,
  queuesKey,
  visitQueue,
  wordSchema,
  workerKey,
  workersKey,
} from './redis-connections.ts';
import { runScript, scriptOf } from './redis-script.ts';

const limits = {
  life: 10_000, // milliseconds after which a worker that did not renew its entry is gone
  bytes: 4096, // of an entry
  workers: 10_000,
};

/** Milliseconds between two renewals, and between two reads of the roster. */
export const renewal = 3000;

/** The entry of one worker. Without Redis it is not written, and comes back with it. */
export class RosterEntry {
  readonly #connection: FleetConnection;
  readonly #settings: FleetSettings;
  readonly #status: () => WorkerStatus;
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: FleetConnection, settings: FleetSettings, status: () => WorkerStatus) {
    this.#connection = connection;
    this.#settings = settings;
    this.#status = status;
  }

  /** Makes the queues of the worker known, writes the entry, and renews it from now on. */
  async start(): Promise<void> {
    const { slots } = this.#status();
    const queues = engineClasses
      .filter((engine) => slots[engine] > 0)
      .map((engine) => visitQueue(this.#settings, engine));
    if (queues.length > 0) await this.#send(['SADD', queuesKey(this.#settings), ...queues]);
    this.#timer = setInterval(() => void this.write(), renewal).unref();
    await this.write();
  }

  /** Writes the entry as it is now; never rejects. */
  async write(): Promise<void> {
    const status = this.#status();
    const [all, own] = [workersKey(this.#settings), workerKey(this.#settings, status.id)];
    await this.#send(
      ['SET', own, JSON.stringify(status), 'PX', String(limits.life)],
      ['SADD', all, status.id],
      ['PEXPIRE', all, String(limits.life)],
    );
  }

  /** Ends the renewal and removes the entry; never rejects. */
  async remove(): Promise<void> {
    clearInterval(this.#timer);
    const { id } = this.#status();
    await this.#send(
      ['DEL', workerKey(this.#settings, id)],
      ['SREM', workersKey(this.#settings), id],
    );
  }

  async #send(...commands: readonly (readonly string[])[]): Promise<void> {
    const sending = Promise.all(commands.map((command) => this.#connection.send(command)));
    await withSignal(sending, AbortSignal.timeout(renewal)).catch(() => undefined);
  }
}

const count = z.int().min(0);

const numbers = z.object({ http: count.max(1000), browser: count.max(1000) });

/** Anyone who can write to Redis may have written an entry. */
const entrySchema = z.object({
  id: z.string().max(100),
  host: z.string().regex(/^[\p{L}\p{N}._-]{1,255}$/u),
  pid: count,
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  place: wordSchema,
  setup: wordSchema,
  slots: numbers,
  busy: numbers,
  isDraining: z.boolean(),
  rss: count,
  visits: count,
  lost: count,
} satisfies Record<keyof WorkerStatus, z.ZodType>);

function readEntry(text: string): WorkerStatus[] {
  try {
    return [entrySchema.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}

/** Redis has no limit for the bytes of a reply. ARGV: the prefix of the keys of entries, bytes of one, entries. */
const readEntries = scriptOf(`
local prefix, mostBytes, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local found = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local length = redis.pcall('STRLEN', prefix .. id)
  if length == 0 then redis.call('SREM', KEYS[1], id)
  elseif type(length) == 'number' and length <= mostBytes and #found < most then
    found[#found + 1] = redis.call('GET', prefix .. id)
  end
end
return found
`);

/** The live workers, by the names of their machines. */
export async function readRoster(
  { send }: FleetConnection,
  settings: FleetSettings,
): Promise<WorkerStatus[]> {
  const values = [workerKey(settings, ''), limits.bytes, limits.workers];
  const entries = (await runScript(send, readEntries, [workersKey(settings)], values)) as string[];
  return entries
    .flatMap(readEntry)
    .sort((a, b) => a.host.localeCompare(b.host) || a.pid - b.pid || a.id.localeCompare(b.id));
}

/** The slots of the workers that take pages for these words; `version` is major and minor. */
export function slotsFor(
  { version, place, setup }: Pick<WorkerStatus, 'version' | 'place' | 'setup'>,
  workers: readonly WorkerStatus[],
): EngineNumbers {
  const own = workers.filter(
    (worker) =>
      !worker.isDraining &&
      worker.place === place &&
      worker.setup === setup &&
      minorOf(worker.version) === version,
  );
  const sum = (engine: keyof EngineNumbers): number =>
    own.reduce((slots, worker) => slots + worker.slots[engine], 0);
  return { http: sum('http'), browser: sum('browser') };
}
