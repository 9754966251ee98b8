/** The code that runs in a worker: one page after the other, each with one result. */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { parentPort } from 'node:worker_threads';
import { hookFailed, messageOf } from '../runtime/errors.ts';
import { runComputation } from '../../content/formats/computations.ts';
import { builtInModule, type Format, type FormatRequest } from '../../content/formats/format.ts';
import { assets } from '../../content/formats/assets/index.ts';
import { plainMarkdown } from '../../content/formats/markdown.ts';
import { builtInFormat } from '../../content/formats/index.ts';
import { importOwn, ownModuleFailed } from '../hooks/own-module.ts';
import { BufferBound } from '../../content/parsers/buffer-bound.ts';
import type { Parser } from '../../content/parsers/parser.ts';
import { type ProcessedPage, processPage } from './process-page.ts';
import { serializeError } from './serialized-error.ts';
import {
  type ComputationTask,
  ocrOverPort,
  type ProcessingTask,
  type SentCode,
  type WorkerMessage,
  type WorkerTask,
} from './worker-messages.ts';

globalThis.console = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }));

/** Never aborts: a worker that takes too long is ended externally. */
const never = new AbortController().signal;

const leastBound = 64 * 1024 * 1024; // bytes of a buffer: no useful part of a document is larger

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
  parsers: sentParsers,
  pictures: sent,
}: ProcessingTask): Promise<ProcessedPage> {
  try {
    const least = sent === undefined ? leastBound : pictureBound;
    buffers.most = Math.max(least, plan.limits.bodyBytes, snapshot.body.length);
    const { url } = snapshot;
    const parsers: Parser[] = [];
    for (const code of sentParsers) parsers.push(await load<Parser>('parser', 'parse', code, url));
    const formats: FormatRequest[] = [];
    for (const { options, ...code } of plan.formats) {
      const format = builtIn(code) ?? (await load<Format>('format', 'run', code, url));
      formats.push({ format, options, uses: {} });
    }
    const pictures = sent === undefined ? undefined : ocrOverPort(sent);
    const processed = await processPage(snapshot, { ...plan, formats, pictures }, parsers, never);
    for (const code of plan.formats) {
      if (builtIn(code) === undefined) {
        refuseUncloneable(`The format "${code.name}"`, processed.values.get(code.name), url);
      }
    }
    refuseUncloneable('The hook "beforeFormats"', processed.hooked, url);
    return processed;
  } finally {
    sent?.port.close();
  }
}

async function computeTask({ computation, input }: ComputationTask): Promise<unknown> {
  return runComputation(computation, input);
}

function builtIn({ name, module }: SentCode): Format | undefined {
  if (module !== builtInModule) return undefined;
  return [assets, plainMarkdown].find((one) => one.name === name) ?? builtInFormat(name);
}

/** Loads a format or parser of the caller. Throws `HOOK_FAILED`. */
async function load<Code extends Format | Parser>(
  kind: 'format' | 'parser',
  method: keyof Code,
  { name, module }: SentCode,
  url: string,
): Promise<Code> {
  const what = `The ${kind} "${name}"`;
  const exported = await importOwn(module, what, url);
  const found = Object.values(exported).find((value) => {
    const code = value as Partial<Code> | null | undefined;
    return code?.name === name && typeof code[method] === 'function';
  });
  if (found === undefined) throw ownModuleFailed(what, url, module, 'does not export it.');
  return found as Code;
}

function refuseUncloneable(what: string, value: unknown, url: string): void {
  try {
    structuredClone(value);
  } catch (error) {
    const problem = new TypeError(`its value cannot leave the worker: ${messageOf(error)}`);
    throw hookFailed(what, url, problem);
  }
}

/** Omits the cause of an error that cannot be cloned. */
function send(message: WorkerMessage): void {
  try {
    parentPort?.postMessage(message);
  } catch (problem) {
    const sent = message !== 'ready' && 'error' in message ? message.error : { other: problem };
    const error =
      'other' in sent ? { other: new Error(messageOf(sent.other)) } : { ...sent, cause: undefined };
    parentPort?.postMessage({ error } satisfies WorkerMessage);
  }
}

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (task: WorkerTask) => {
  last = last.then(() => runTask(task)).then(send);
});

send('ready');
