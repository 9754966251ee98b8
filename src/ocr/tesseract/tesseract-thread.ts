/**
 * One thread of Tesseract. It runs the script that tesseract.js gives its own workers, and is told by
 * the same messages: its `createWorker` has no thread to end before it has started, crashes with it, and
 * fetches languages from the network.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { messageOf, MissingDependencyError } from '../../errors.ts';
import { readLanguage } from './language-data.ts';

/** What the thread is started with. */
export interface TesseractData {
  readonly languages: readonly string[];
  readonly folder: string | undefined;
}

interface Reply {
  readonly jobId: string;
  readonly status: 'resolve' | 'reject' | 'progress';
  readonly data: unknown;
}

/** Only LSTM: the engine of Tesseract 4 and 5. */
const lstmOnly = 1;

/** Reads one picture after the other. Keeps the process alive only while it does. */
export class TesseractThread {
  readonly #worker: Worker;
  #isOver = false;
  #failure: unknown;
  #jobs = 0;
  #waiting:
    { id: string; settle: (reply: Reply | { readonly failure: unknown }) => void } | undefined;

  /** Ends the thread when it cannot be started, or when the signal aborts. */
  static async start(data: TesseractData, signal: AbortSignal): Promise<TesseractThread> {
    const script = threadScript();
    const languages = await Promise.all(
      data.languages.map(async (name) => ({ name, bytes: await readLanguage(name, data.folder) })),
    );
    signal.throwIfAborted();
    const thread = new TesseractThread(script);
    try {
      await thread.#ask('load', { options: { lstmOnly: true } }, signal);
      for (const { name, bytes } of languages) {
        const args = [`./${name}.traineddata`, bytes];
        await thread.#ask('FS', { method: 'writeFile', args }, signal);
      }
      const langs = data.languages.join('+');
      await thread.#ask('initialize', { langs, oem: lstmOnly, config: {} }, signal);
      // It tells what it thinks of each picture.
      await thread.#ask('setParameters', { params: { debug_file: '/dev/null' } }, signal);
    } catch (error) {
      thread.end();
      throw error;
    }
    return thread;
  }

  private constructor(script: string) {
    this.#worker = new Worker(script, {
      name: 'pagewright-tesseract',
      execArgv: [],
      env: {},
      // Not the process's own. Whoever reads them keeps the process alive.
      stdout: true,
      stderr: true,
    });
    this.#worker.unref();
    const fail = (failure: unknown): void => {
      this.#isOver = true;
      this.#failure ??= failure;
      this.#waiting?.settle({ failure: this.#failure });
    };
    this.#worker.on('error', fail);
    this.#worker.on('messageerror', fail);
    this.#worker.once('exit', (code) => fail(new Error(`Tesseract ended with exit code ${code}.`)));
    this.#worker.on('message', (reply: Reply) => {
      if (reply.status !== 'progress' && reply.jobId === this.#waiting?.id)
        this.#waiting.settle(reply);
    });
  }

  /** False once it has ended, or is about to. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** What Tesseract makes of the picture, as it comes. Aborting ends the thread. */
  async recognize(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const payload = {
      image: new Uint8Array(bytes),
      options: { rotateAuto: true },
      output: { text: false, blocks: true },
    };
    return this.#ask('recognize', payload, signal);
  }

  /** Whatever it is doing. */
  end(): void {
    this.#isOver = true;
    void this.#worker.terminate();
  }

  async #ask(action: string, payload: object, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#isOver) throw this.#failure ?? new Error('The thread of Tesseract was closed.');
    const id = `${action}-${(this.#jobs += 1)}`;
    const answered = new Promise<Reply | { readonly failure: unknown }>((settle) => {
      this.#waiting = { id, settle };
    });
    const abort = (): void => {
      this.end();
      this.#waiting?.settle({ failure: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#worker.ref();
    try {
      this.#worker.postMessage({ workerId: 'pagewright', jobId: id, action, payload });
      const reply = await answered;
      if ('failure' in reply) throw reply.failure;
      if (reply.status === 'reject') throw new Error(`Tesseract: ${messageOf(reply.data)}`);
      return reply.data;
    } finally {
      this.#waiting = undefined;
      signal.removeEventListener('abort', abort);
      this.#worker.unref();
    }
  }
}

function threadScript(): string {
  try {
    return createRequire(import.meta.url).resolve('tesseract.js/src/worker-script/node/index.js');
  } catch (error) {
    throw new MissingDependencyError('tesseract.js', 'tesseractOcr()', error);
  }
}
