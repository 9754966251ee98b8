/** The code that runs in a worker: one page after the other, each with one result. */
import { parentPort } from 'node:worker_threads';
import { computeHere } from '../formats/computations.ts';
import type { FormatRequest } from '../formats/format.ts';
import { builtInFormat, isTwoStep } from '../formats/index.ts';
import { BufferBound } from '../parsers/buffer-bound.ts';
import { type ProcessedPage, processPage } from './process-page.ts';
import { serializeError } from './serialized-error.ts';
import {
  type ComputationTask,
  ocrOverPort,
  type ProcessingTask,
  type WorkerMessage,
  type WorkerTask,
} from './worker-messages.ts';

/** Never aborts: a worker that takes too long is ended from outside. */
const never = new AbortController().signal;

/** Bytes of one buffer: no meaningful part of a document decompresses to more. */
const leastBound = 64 * 1024 * 1024;

/** Bytes of one buffer for a page that is a picture: 64 million pixels in four channels. */
const pictureBound = 4 * leastBound;

const buffers: BufferBound = new BufferBound(leastBound);

async function runTask(task: WorkerTask): Promise<WorkerMessage> {
  try {
    return { result: await ('snapshot' in task ? processTask(task) : computeTask(task)) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}

async function processTask({
  snapshot,
  plan,
  pictures: sent,
}: ProcessingTask): Promise<ProcessedPage> {
  try {
    const least = sent === undefined ? leastBound : pictureBound;
    buffers.most = Math.max(least, plan.limits.bodyBytes, snapshot.body.length);
    const formats = plan.formats.map(formatByName);
    const pictures = sent === undefined ? undefined : ocrOverPort(sent);
    return await processPage(snapshot, { ...plan, formats, pictures }, [], never);
  } finally {
    sent?.port.close();
  }
}

async function computeTask({ computation, input }: ComputationTask): Promise<unknown> {
  return computeHere(computation, input as Parameters<typeof computeHere>[1]);
}

function formatByName({ name, options }: ProcessingTask['plan']['formats'][number]): FormatRequest {
  const format = builtInFormat(name);
  if (format === undefined) throw new Error(`There is no built-in format "${name}".`);
  return { format: isTwoStep(format) ? format.reading : format, options };
}

const send = (message: WorkerMessage): void => parentPort?.postMessage(message);

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (task: WorkerTask) => {
  last = last.then(() => runTask(task)).then(send);
});

send('ready');
