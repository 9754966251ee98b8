/** Manages Tesseract threads: started when needed, ended when idle, each with the data of its languages. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import PQueue from 'p-queue';
import { messageOf, MissingDependencyError, PagewrightError } from '../../core/runtime/errors.ts';
import { freeDescriptors, threadDescriptors } from '../../core/runtime/file-descriptors.ts';
import { loadPackage } from '../../core/runtime/optional-packages.ts';

/** A pool with as many threads as pictures are read concurrently. */
export class TesseractPool {
  readonly #data: TesseractData;
  /** Queues pictures while all threads are busy. */
  readonly #line: PQueue;
  readonly #idleTime: number;
  /** Idle threads, each with the timer that ends it; the most recently used is last. */
  readonly #idle = new Map<TesseractThread, NodeJS.Timeout>();
  /** Changes with each `close()`: earlier threads are not reused. */
  #epoch = 0;

  constructor(data: TesseractData, limit: number, idleTime: number) {
    this.#data = data;
    this.#line = new PQueue({ concurrency: limit });
    this.#idleTime = idleTime;
  }

  /** Rejects at once with the signal's reason when it aborts, which ends the thread. */
  recognize(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    return this.#line.add(() => this.#read(bytes, signal), { signal });
  }

  /** Ends idle threads now, and busy ones as soon as they are idle. */
  close(): void {
    this.#epoch += 1;
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      thread.end();
    }
    this.#idle.clear();
  }

  #takeIdle(): TesseractThread | undefined {
    for (const [thread, timer] of [...this.#idle].reverse()) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (thread.isUsable) return thread;
    }
    return undefined;
  }

  #rest(thread: TesseractThread): void {
    const timer = setTimeout(() => {
      this.#idle.delete(thread);
      thread.end();
    }, this.#idleTime);
    timer.unref();
    this.#idle.set(thread, timer);
  }

  async #read(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const epoch = this.#epoch;
    let thread: TesseractThread | undefined;
    try {
      thread = this.#takeIdle() ?? (await TesseractThread.start(this.#data, signal));
      return await thread.recognize(bytes, signal);
    } finally {
      if (thread?.isUsable === true) {
        if (epoch === this.#epoch) this.#rest(thread);
        else thread.end();
      }
    }
  }
}

// One Tesseract thread. It runs the script of tesseract.js's own workers, with the same messages: the
// library's `createWorker` cannot end a thread before it has started, crashes with it, and fetches
// languages from the network.

/** The start data of a thread. */
interface TesseractData {
  readonly languages: readonly string[];
  readonly folder: string | undefined;
}

interface Reply {
  readonly jobId: string;
  readonly status: 'resolve' | 'reject' | 'progress';
  readonly data: unknown;
}

const lstmOnly = 1; // the engine of Tesseract 4 and 5

/** Reads pictures one after the other. Keeps the process alive only while it reads. */
class TesseractThread {
  readonly #worker: Worker;
  #isOver = false;
  #failure: unknown;
  #jobs = 0;
  #waiting:
    { id: string; settle: (reply: Reply | { readonly failure: unknown }) => void } | undefined;

  /** Ends the thread when it cannot start, or when the signal aborts. */
  static async start(data: TesseractData, signal: AbortSignal): Promise<TesseractThread> {
    const script = await threadScript();
    const languages = await Promise.all(
      data.languages.map(async (name) => ({ name, bytes: await readLanguage(name, data.folder) })),
    );
    await freeDescriptors(threadDescriptors);
    signal.throwIfAborted();
    const thread = new TesseractThread(script);
    try {
      await thread.#request('load', { options: { lstmOnly: true } }, signal);
      for (const { name, bytes } of languages) {
        const args = [`./${name}.traineddata`, bytes];
        await thread.#request('FS', { method: 'writeFile', args }, signal);
      }
      const langs = data.languages.join('+');
      await thread.#request('initialize', { langs, oem: lstmOnly, config: {} }, signal);
      // Suppresses Tesseract's debug output for each picture.
      await thread.#request('setParameters', { params: { debug_file: '/dev/null' } }, signal);
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
      // Not the process's own streams. A reader of them would keep the process alive.
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

  /** False once the thread has ended, or is about to. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** Tesseract's unchecked result for the picture. Aborting ends the thread. */
  async recognize(bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const payload = {
      image: new Uint8Array(bytes),
      options: { rotateAuto: true },
      output: { text: false, blocks: true },
    };
    return this.#request('recognize', payload, signal);
  }

  /** Ends the thread, even while it is busy. */
  end(): void {
    this.#isOver = true;
    void this.#worker.terminate();
  }

  async #request(action: string, payload: object, signal: AbortSignal): Promise<unknown> {
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

function threadScript(): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  return loadPackage('tesseractOcr()', 'tesseract.js', () =>
    Promise.resolve(resolve('tesseract.js/src/worker-script/node/index.js')),
  );
}

// Reads the data of a language from a local file. Nothing is downloaded.

const mostBytes = 200e6; // bytes of one language, unpacked; the largest have 50 MB

/** Folders in `@tesseract.js-data` packages, the best first. */
const editions = ['4.0.0_best_int', '4.0.0'];

/**
 * Reads `<language>.traineddata`, packed or not, from the folder or else from the npm package
 * `@tesseract.js-data/<language>`. Throws `MISSING_DEPENDENCY` without it.
 */
async function readLanguage(
  language: string,
  folder: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const folders = folder === undefined ? packageFolders(language) : [folder];
  for (const one of folders) {
    for (const ending of ['.gz', '']) {
      const bytes = await readIfThere(join(one, `${language}.traineddata${ending}`));
      if (bytes !== undefined) return unpackedData(bytes, language);
    }
  }
  if (folder === undefined) {
    const name = `@tesseract.js-data/${language}`;
    throw new MissingDependencyError(
      name,
      `OCR in the language "${language}" without dataFolder needs the package "${name}", which is not installed. Run: npm install ${name}`,
    );
  }
  throw new PagewrightError(
    'MISSING_DEPENDENCY',
    `There is neither ${language}.traineddata.gz nor ${language}.traineddata in the dataFolder ${folder}.`,
  );
}

/** Resolved from this file, and from the working directory: one of them has the application's packages. */
function packageFolders(language: string): string[] {
  const bases = [import.meta.url, join(process.cwd(), 'package.json')];
  return bases.flatMap((base) => {
    try {
      const entry = createRequire(base).resolve(`@tesseract.js-data/${language}`);
      return editions.map((edition) => join(dirname(entry), edition));
    } catch {
      return [];
    }
  });
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new PagewrightError('MISSING_DEPENDENCY', `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function unpackedData(bytes: Buffer, language: string): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new Uint8Array(bytes);
  try {
    return new Uint8Array(await promisify(gunzip)(bytes, { maxOutputLength: mostBytes }));
  } catch (error) {
    const message = `The data of the language "${language}" is damaged: ${messageOf(error)}`;
    throw new PagewrightError('MISSING_DEPENDENCY', message, { cause: error });
  }
}
