/** One process at a time runs a job. */
import { spawnSync } from 'node:child_process';
import { memoryStore, type PagewrightError, type Store } from 'pagewright';
import { expect, it, onTestFinished } from 'vitest';
import { JobStore } from '../../../../src/core/jobs/durable/job-store.ts';
import { isLeased, Lease, LeaseWatch } from '../../../../src/core/jobs/durable/lease.ts';

const never = new AbortController().signal;

function leaseOf(store: Store, onLost: (error: PagewrightError) => void = () => undefined): Lease {
  const lease = new Lease(new JobStore(store, 'j'), 'j', onLost);
  onTestFinished(() => lease.release().catch(() => undefined));
  return lease;
}

/** The lease as another process would have left it. */
async function held(store: Store, change: (holder: string) => string): Promise<void> {
  const made = leaseOf(store);
  await made.take(never);
  const text = JSON.parse(Buffer.from((await store.get('jobs/j/lease')) ?? []).toString()) as {
    holder: string;
  };
  await made.release();
  const bytes = Buffer.from(JSON.stringify({ ...text, ran: 7000, holder: change(text.holder) }));
  await store.set('jobs/j/lease', bytes);
}

it('is taken at once from a process of this machine that is dead, with the time that it ran', async () => {
  const store = memoryStore();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await held(store, (holder) => holder.replace(/^(\w+)-\d+/, `$1-${pid}`));
  expect(await isLeased(new JobStore(store, 'j'))).toBe(false);
  const lease = leaseOf(store);
  const start = performance.now();
  await lease.take(never);
  expect(performance.now() - start).toBeLessThan(1000);
  expect(lease.ranBefore).toBe(7000);
  expect(await isLeased(new JobStore(store, 'j'))).toBe(true);
});

it('is taken from another machine when it has not changed for two seconds', async () => {
  const store = memoryStore();
  await held(store, (holder) => holder.replace(/^\w+/, 'elsewhere'));
  const start = performance.now();
  await leaseOf(store).take(never);
  expect(performance.now() - start).toBeGreaterThan(1900);
});

it('is watched without being taken: free when it was given back, or silent for two seconds', async () => {
  const store = memoryStore();
  const watch = new LeaseWatch(new JobStore(store, 'j'));
  expect(await watch.isHeld()).toBe(true);
  const lease = leaseOf(store);
  await lease.take(never);
  expect(await watch.isHeld()).toBe(true);
  await lease.release();
  expect(await watch.isHeld()).toBe(false);
  await held(store, (holder) => holder.replace(/^\w+/, 'elsewhere'));
  const text = await store.get('jobs/j/lease');
  expect(await watch.isHeld()).toBe(true);
  await expect.poll(() => watch.isHeld(), { timeout: 10_000 }).toBe(false);
  expect(await store.get('jobs/j/lease')).toEqual(text);
});

it('is refused while its holder lives, and given to the next when it was given back', async () => {
  const store = memoryStore();
  const first = leaseOf(store);
  await first.take(never);
  await expect(leaseOf(store).take(never)).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(`run by process ${process.pid} on `) as string,
  });
  await first.release();
  await leaseOf(store).take(never);
});

it('is lost when somebody else has it', async () => {
  const store = memoryStore();
  const lost = new Promise<PagewrightError>((resolve) => {
    void leaseOf(store, resolve).take(never);
  });
  await expect.poll(() => store.get('jobs/j/lease')).toBeDefined();
  const other = { holder: 'elsewhere-1-1-a', by: 'process 1 on elsewhere', beat: 1, ran: 0 };
  await store.set('jobs/j/lease', Buffer.from(JSON.stringify(other)));
  const error = await lost;
  expect(error.code).toBe('STORAGE');
  expect(error.message).toContain('was taken over by process 1 on elsewhere');
});

it('is not held by what is no lease', async () => {
  const store = memoryStore();
  await store.set('jobs/j/lease', Buffer.from('{"holder":'));
  await leaseOf(store).take(never);
});

it('of a process that stood still is asked for again before anything is written', async () => {
  const store = memoryStore();
  const lost: string[] = [];
  const lease = leaseOf(store, ({ message }) => void lost.push(message));
  await lease.take(never);
  await lease.confirm();
  const taken = JSON.parse(
    Buffer.from((await store.get('jobs/j/lease')) ?? []).toString(),
  ) as object;
  const other = { ...taken, holder: 'elsewhere-1-1-1', by: 'process 7 on other' };
  await store.set('jobs/j/lease', Buffer.from(JSON.stringify(other)));
  // The lease was renewed a moment ago: no other process can have it.
  await lease.confirm();
  // No timer of this process runs for so long.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1600);
  const guarded = new JobStore(store, 'j', () => lease.confirm());
  const error = {
    code: 'STORAGE',
    message: expect.stringContaining('taken over by process 7') as string,
  };
  await expect(guarded.set('end', new Uint8Array(1))).rejects.toMatchObject(error);
  expect(lost).toHaveLength(1);
  await expect(lease.confirm()).rejects.toMatchObject(error);
  expect(await store.get('jobs/j/end')).toBeUndefined();
});
