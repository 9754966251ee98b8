/** The state of a fleet, read from Redis, and its pause. */
import type { Queue } from 'bullmq';
import type { ClassStatus, FleetStatus } from '../../core/model/fleet-status.ts';
import {
  engineClasses,
  type FleetConnection,
  type FleetSettings,
  isQueueName,
  openQueue,
  pausedKey,
  queueName,
  queuesKey,
  readQueueName,
  visitQueue,
} from './redis-connections.ts';
import { readRoster, slotsFor } from './roster.ts';

/** A fleet that is open. */
export interface AdministeredFleet {
  readonly settings: FleetSettings;
  readonly connection: FleetConnection;
}

/** Call it before sending to a queue: the queue can be found then, and is paused with the fleet. */
export async function registerQueue(fleet: AdministeredFleet, queue: Queue): Promise<void> {
  const { connection, settings } = fleet;
  await connection.send(['SADD', queuesKey(settings), queue.name]);
  if (!(await isPaused(fleet))) return;
  await queue.pause();
  // Another process may have resumed the fleet in between.
  if (!(await isPaused(fleet))) await queue.resume();
}

/** True from `pauseQueues` to `resumeQueues`. */
export async function isPaused({ connection, settings }: AdministeredFleet): Promise<boolean> {
  return (await connection.send(['EXISTS', pausedKey(settings)])) === 1;
}

/** Queues that are registered later are paused then. */
export async function pauseQueues(fleet: AdministeredFleet): Promise<void> {
  await fleet.connection.send(['SET', pausedKey(fleet.settings), '1']);
  for (const name of await namesOf(fleet)) await withQueue(fleet, name, (queue) => queue.pause());
}

/** Undoes `pauseQueues`. */
export async function resumeQueues(fleet: AdministeredFleet): Promise<void> {
  await fleet.connection.send(['DEL', pausedKey(fleet.settings)]);
  for (const name of await namesOf(fleet)) await withQueue(fleet, name, (queue) => queue.resume());
}

/** Reads the state of the whole fleet. */
export async function readStatus(fleet: AdministeredFleet): Promise<FleetStatus> {
  const workers = await readRoster(fleet.connection, fleet.settings);
  const classes: ClassStatus[] = [];
  const crawls = { waiting: 0, running: 0 };
  const own = new Set(engineClasses.map((engine) => visitQueue(fleet.settings, engine)));
  for (const name of await namesOf(fleet)) {
    const counts = await withQueue(fleet, name, countsOf);
    const { kind, engine, ...pages } = readQueueName(name);
    if (kind === 'crawls') {
      crawls.waiting += counts.waiting;
      crawls.running += counts.busy;
    }
    if (engine === undefined) continue;
    const taking = workers.map((worker) => slotsFor(pages, [worker])[engine]).filter(Boolean);
    // Queues of earlier versions and places stay known.
    if (!own.has(name) && taking.length + counts.busy + counts.waiting === 0) continue;
    const slots = taking.reduce((sum, one) => sum + one, 0);
    classes.push({ engine, ...pages, workers: taking.length, slots, ...counts });
  }
  return { isPaused: await isPaused(fleet), workers, classes, crawls };
}

/** The names of all queues that were ever used in this fleet, and of this process's queues, sorted. */
async function namesOf({ connection, settings }: AdministeredFleet): Promise<string[]> {
  const known = (await connection.send(['SMEMBERS', queuesKey(settings)])) as string[];
  const visits = engineClasses.map((engine) => visitQueue(settings, engine));
  return [
    ...new Set([...known.filter(isQueueName), ...visits, queueName('crawls', settings)]),
  ].sort();
}

async function withQueue<T>(
  { settings, connection }: AdministeredFleet,
  name: string,
  work: (queue: Queue) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(settings, connection, name, { skipMetasUpdate: true });
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}

/** The pages, or crawls, of a queue. */
async function countsOf(queue: Queue): Promise<Pick<ClassStatus, 'busy' | 'waiting' | 'oldest'>> {
  const {
    active = 0,
    waiting = 0,
    delayed = 0,
  } = await queue.getJobCounts('active', 'waiting', 'delayed');
  const first = await queue.getJobs(['waiting', 'delayed'], 0, 0, true);
  const now = Date.now();
  return {
    busy: active,
    waiting: waiting + delayed,
    oldest: Math.max(0, ...first.map(({ timestamp }) => now - timestamp).filter(Number.isFinite)),
  };
}
