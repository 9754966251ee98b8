/** The inside of a reading thread: one page after the other, each with one answer. */
import { parentPort } from 'node:worker_threads';
import { computeHere } from '../formats/computations.ts';
import { builtInFormat, isTwoStep } from '../formats/index.ts';
import type { FormatRequest } from '../formats/format.ts';
import { BufferBound } from '../parsers/buffer-bound.ts';
import { askForPictures } from './picture-port.ts';
import { type PageReading, readPage } from './read-page.ts';
import { packError } from './sent-error.ts';
import type { ComputationTask, ReadingTask, ThreadMessage, ThreadTask } from './thread-messages.ts';

/** Nobody aborts in here: a thread that takes too long is ended from outside. */
const never = new AbortController().signal;

/** Bytes of one buffer: no part of a document that says something unpacks to more. */
const leastBound = 64 * 1024 * 1024;
/** The same of a page that is a picture: 64 million pixels in four colors. */
const pictureBound = 4 * leastBound;
const buffers: BufferBound = new BufferBound(leastBound);

async function answer(task: ThreadTask): Promise<ThreadMessage> {
  try {
    return { result: await ('snapshot' in task ? read(task) : compute(task)) };
  } catch (error) {
    return { error: packError(error) };
  }
}

async function read({ snapshot, plan, pictures: sent }: ReadingTask): Promise<PageReading> {
  try {
    const least = sent === undefined ? leastBound : pictureBound;
    buffers.most = Math.max(least, plan.limits.bodyBytes, snapshot.body.length);
    const formats = plan.formats.map(formatByName);
    const pictures = sent === undefined ? undefined : askForPictures(sent);
    return await readPage(snapshot, { ...plan, formats, pictures }, [], never);
  } finally {
    sent?.port.close();
  }
}

async function compute({ computation, input }: ComputationTask): Promise<unknown> {
  return computeHere(computation, input as Parameters<typeof computeHere>[1]);
}

function formatByName({ name, options }: ReadingTask['plan']['formats'][number]): FormatRequest {
  const format = builtInFormat(name);
  if (format === undefined) throw new Error(`There is no built-in format "${name}".`);
  return { format: isTwoStep(format) ? format.reading : format, options };
}

const send = (message: ThreadMessage): void => parentPort?.postMessage(message);

let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (task: ThreadTask) => {
  last = last.then(() => answer(task)).then(send);
});
send('ready');
