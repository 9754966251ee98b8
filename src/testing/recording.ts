/** Keeps what the engines of a run exchange, in one file. */
import { type FileHandle, open } from 'node:fs/promises';
import { PagewrightError, ValidationError } from '../errors.ts';
import type { Engine } from '../engines/engine.ts';
import type { PageRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  type RecordedExchange,
  recordedFailure,
  type RecordedHead,
  recordedResponse,
} from './recorded-exchange.ts';
import { recordedRequest, withoutSecrets } from './recorded-request.ts';
import { jsonLinesFormat, type RecordingFormat } from './recording-format.ts';
import { warcFormat } from './warc-format.ts';

/** How a run is recorded. */
export interface RecordingOptions {
  /**
   * What becomes of the values of headers whose names say that they open doors: `authorization`, `cookie`,
   * `set-cookie`, `x-api-key` and the like. URLs lose user name and password; bodies are kept as they are.
   * @default 'redact'
   */
  readonly secrets?: 'redact' | 'keep' | undefined;
}

/** A file that is being written. */
export interface Recording extends AsyncDisposable {
  /** The same engines, recorded: for `createClient({ engines: recording.engines })`. */
  readonly engines: (engines: readonly Engine[]) => readonly Engine[];
  /**
   * Ends the file. What is still under way is not recorded; close the client first. Rejects with
   * `STORAGE` when something could not be written: the file then has what came before.
   */
  close(): Promise<void>;
}

/**
 * Begins a recording; a file that is there is replaced. `.warc` and `.warc.gz` are web archives, every
 * other name is JSON lines. Each exchange is in the file before the page goes on, so that a run that
 * is killed leaves what it had. Rejects with `STORAGE` when the file cannot be made.
 *
 * @example
 * await using recording = await openRecording('run.jsonl');
 * await using client = createClient({ engines: recording.engines });
 */
export async function openRecording(
  path: string,
  options: RecordingOptions = {},
): Promise<Recording> {
  const format = formatOf(path);
  const handle = await open(path, 'w', 0o600).catch((error: unknown) => {
    throw notWritten(path, error);
  });
  const writer = new RecordingWriter(path, handle);
  void writer.append(await format.start());
  const tape = new Tape(writer, format, options.secrets === 'keep');
  const close = (): Promise<void> => writer.close();
  return {
    engines: (engines) => engines.map((engine) => tape.record(engine)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function formatOf(path: string): RecordingFormat {
  if (/\.warc(?:\.gz)?$/i.test(path)) return warcFormat(/\.gz$/i.test(path));
  if (!/\.gz$/i.test(path)) return jsonLinesFormat;
  const message = `"${path}": only web archives are packed; name it .jsonl, .warc or .warc.gz`;
  throw new ValidationError('openRecording', [{ path: ['path'], message }]);
}

/** Wraps engines, and counts their requests. */
class Tape {
  readonly #writer: RecordingWriter;
  readonly #format: RecordingFormat;
  readonly #keepsSecrets: boolean;
  #requests = 0;

  constructor(writer: RecordingWriter, format: RecordingFormat, keepsSecrets: boolean) {
    this.#writer = writer;
    this.#format = format;
    this.#keepsSecrets = keepsSecrets;
  }

  record(engine: Engine): Engine {
    const { name, can, cost } = engine;
    const isForSome = engine.handles !== undefined;
    void this.#append(this.#format.engine({ name, can: [...can], cost, isForSome }));
    return {
      ...{ name, can, cost },
      ...(isForSome ? { handles: (url) => engine.handles?.(url) ?? true } : {}),
      fetch: (request) => this.#fetch(engine, request),
      dispose: async () => engine.dispose?.(),
    };
  }

  async #fetch(engine: Engine, request: PageRequest): Promise<Snapshot> {
    const started = this.#requests++;
    const asked = recordedRequest(engine, request);
    const begun = {
      request: this.#keepsSecrets ? asked : { ...asked, headers: withoutSecrets(asked.headers) },
      ...(engine.can.has('render') ? { rendered: true as const } : {}),
    };
    let snapshot: Snapshot;
    try {
      snapshot = await engine.fetch(request);
    } catch (error) {
      const failure = recordedFailure(error, request.signal);
      // Whoever cancels does not wait for an answer, and will not when the run is replayed.
      if (failure.own?.['code'] !== 'CANCELLED') await this.#keep({ ...begun, failure, started });
      throw error;
    }
    const response = await recordedResponse(snapshot);
    const kept = this.#keepsSecrets ? response : discreet(response);
    await this.#keep({ ...begun, response: kept, started });
    return snapshot;
  }

  async #keep(exchange: RecordedExchange): Promise<void> {
    await this.#append(this.#format.exchange(exchange));
  }

  async #append(bytes: Promise<Uint8Array>): Promise<void> {
    await this.#writer.append(bytes);
  }
}

function discreet<Head extends RecordedHead>(response: Head): Head {
  return { ...response, headers: withoutSecrets(response.headers) };
}

/** Appends to the file, one part after the other, until something goes wrong. */
class RecordingWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  #last: Promise<void> = Promise.resolve();
  #length = 0;
  #failure: PagewrightError | undefined;
  #closing: Promise<void> | undefined;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Resolves when the part is in the file; never rejects: `close` does. */
  append(bytes: Uint8Array | Promise<Uint8Array>): Promise<void> {
    if (this.#closing !== undefined) return Promise.resolve();
    return (this.#last = this.#appendAfter(this.#last, bytes));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #appendAfter(
    before: Promise<void>,
    bytes: Uint8Array | Promise<Uint8Array>,
  ): Promise<void> {
    try {
      const [part] = await Promise.all([bytes, before]);
      if (this.#failure !== undefined) return;
      await this.#handle.writeFile(part);
      this.#length += part.length;
    } catch (error) {
      this.#failure ??= notWritten(this.#path, error);
      await before;
      // Half a part would hide the others from a reader.
      await this.#handle.truncate(this.#length).catch(() => undefined);
    }
  }

  async #end(): Promise<void> {
    await this.#last;
    await this.#handle.close();
    if (this.#failure !== undefined) throw this.#failure;
  }
}

function notWritten(path: string, cause: unknown): PagewrightError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PagewrightError(
    'STORAGE',
    `The recording ${path} cannot be written: ${reason}. Check that its folder exists and has room; what was recorded before is in it.`,
    { cause },
  );
}
