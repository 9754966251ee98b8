/** Records the exchanges of the engines of a run in one file: JSON lines or WARC (ISO 28500, WARC 1.1). */
import { type FileHandle, open } from 'node:fs/promises';
import type { Engine } from '../../core/model/engine.ts';
import { PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import type { Capability, PageRequest } from '../../core/model/request.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { DamagedFile } from '../export/warc/byte-queue.ts';
import {
  informationRecord,
  recordBytes,
  requestRecord,
  responseRecord,
  warcRecord,
  type WrittenRecord,
} from '../export/warc/write-record.ts';
import {
  type RecordedExchange,
  recordedFailure,
  type RecordedHead,
  recordedRequest,
  recordedResponse,
  unpackBytes,
  withoutSecrets,
} from './recorded-exchange.ts';

/** Options of a recording. */
export interface RecordingOptions {
  /**
   * The treatment of values of headers whose names mark credentials: `authorization`, `cookie`,
   * `set-cookie`, `x-api-key` and the like. URLs lose user name and password; of the body of a request only a hash is kept,
   * bodies of responses are kept as they are.
   * @default 'redact'
   */
  readonly secrets?: 'redact' | 'keep' | undefined;
}

/** A recording in progress. */
export interface Recording extends AsyncDisposable {
  /** Wraps engines with recording: for `createClient({ engines: recording.engines })`. */
  readonly engines: (engines: readonly Engine[]) => readonly Engine[];
  /**
   * Ends the file. Requests in flight are not recorded; close the client first. Rejects with
   * `STORAGE` if a write failed: the file then has the exchanges before it.
   */
  close(): Promise<void>;
}

/**
 * Begins a recording; an existing file is replaced. `.warc` and `.warc.gz` are web archives, every
 * other name is JSON lines. Each exchange is in the file before the page goes on, so that a killed
 * run leaves its exchanges. Rejects with `STORAGE` if the file cannot be created.
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
  // Wraps engines, and counts their requests.
  const keepsSecrets = options.secrets === 'keep';
  let requests = 0;
  const close = (): Promise<void> => writer.close();
  return {
    engines: (engines) => engines.map((engine) => record(engine)),
    close,
    [Symbol.asyncDispose]: close,
  };

  function record(engine: Engine): Engine {
    const { name, can, cost } = engine;
    const isForSome = engine.handles !== undefined;
    void append(format.engine({ name, can: [...can], cost, isForSome }));
    return {
      name,
      can,
      cost,
      ...(isForSome ? { handles: (url) => engine.handles?.(url) ?? true } : {}),
      fetch: (request) => fetch(engine, request),
      // The answers of an open page depend on earlier steps in it: they are not recorded.
      ...(engine.open && { open: engine.open.bind(engine) }),
      dispose: async () => engine.dispose?.(),
    };
  }

  async function fetch(engine: Engine, request: PageRequest): Promise<Snapshot> {
    const started = requests++;
    const recorded = recordedRequest(engine, request);
    const begun = {
      request: keepsSecrets ? recorded : { ...recorded, headers: withoutSecrets(recorded.headers) },
      ...(engine.can.has('render') ? { rendered: true as const } : {}),
    };
    let snapshot: Snapshot;
    try {
      snapshot = await engine.fetch(request);
    } catch (error) {
      const failure = recordedFailure(error, request.signal);
      // A caller that cancels does not wait for an answer, neither now nor in the replay.
      if (failure.own?.['code'] !== 'CANCELLED') await keep({ ...begun, failure, started });
      throw error;
    }
    const response = await recordedResponse(snapshot);
    const stored = keepsSecrets ? response : discreet(response);
    await keep({ ...begun, response: stored, started });
    return snapshot;
  }

  async function keep(exchange: RecordedExchange): Promise<void> {
    await append(format.exchange(exchange));
  }

  async function append(bytes: Promise<Uint8Array>): Promise<void> {
    await writer.append(bytes);
  }
}

function formatOf(path: string): RecordingFormat {
  if (/\.warc(?:\.gz)?$/i.test(path)) return warcFormat(/\.gz$/i.test(path));
  if (!/\.gz$/i.test(path)) return jsonLinesFormat;
  const message = `"${path}": only web archives are packed; name it .jsonl, .warc or .warc.gz`;
  throw new ValidationError('openRecording', [{ path: ['path'], message }]);
}

function discreet<Head extends RecordedHead>(response: Head): Head {
  return { ...response, headers: withoutSecrets(response.headers) };
}

/** Appends to the file, one part after the other, until a write fails. */
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
      // An incomplete part would hide later parts from a reader.
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

// The format of a recording.

const recordingVersion = 1; // written, and the only one read

/** Throws for a version that this release cannot read. */
export function checkVersion(version: unknown): void {
  if (version === recordingVersion) return;
  const known = `this release reads version ${recordingVersion}`;
  throw new DamagedFile(`has version ${String(version).slice(0, 20)}, and ${known}`);
}

/** An engine of the run; a replay must make the same choice among engines. */
export interface RecordedEngine {
  readonly name: string;
  readonly can: readonly Capability[];
  readonly cost: number;
  /** True for an engine that serves certain URLs only. */
  readonly isForSome: boolean;
}

/** A format of recordings: each part is complete bytes, to be appended. */
interface RecordingFormat {
  start(): Promise<Uint8Array>;
  engine(engine: RecordedEngine): Promise<Uint8Array>;
  exchange(exchange: RecordedExchange): Promise<Uint8Array>;
}

/** One line of JSON per part. */
const jsonLinesFormat: RecordingFormat = {
  start: () => line({ pagewright: 'recording', version: recordingVersion }),
  engine: (engine) => line({ engine }),
  exchange: (exchange) => line(exchange),
};

function line(value: unknown): Promise<Uint8Array> {
  return Promise.resolve(Buffer.from(`${JSON.stringify(value)}\n`));
}

// A recording as a WARC file (ISO 28500, WARC 1.1), for the tools of web archives.

/** Types of the records for facts that HTTP cannot express. */
export const exchangeType = 'application/vnd.pagewright.exchange+json';

export const engineType = 'application/vnd.pagewright.engine+json';

/**
 * Writes for each exchange a request, its response (a resource for a page rendered by a browser) and a
 * metadata record with all the rest; for a failure only the metadata record. With `isGzip` each record is a gzip
 * member of its own.
 */
function warcFormat(isGzip: boolean): RecordingFormat {
  const version = { 'pagewright-recording': String(recordingVersion) };
  return {
    start: () => recordBytes(isGzip, informationRecord(version)),
    engine: (engine) => recordBytes(isGzip, metadataRecord(engineType, engine)),
    exchange: async (exchange) => recordBytes(isGzip, ...(await recordsOf(exchange))),
  };
}

async function recordsOf(exchange: RecordedExchange): Promise<readonly WrittenRecord[]> {
  const { request, response, rendered = false } = exchange;
  const { url } = request;
  if (response === undefined) return [metadataRecord(exchangeType, exchange, { url })];
  const { body: packed, ...head } = response;
  const { statusCode, headers } = head;
  const body = (await unpackBytes(packed, Infinity)) ?? Buffer.alloc(0);
  // A page rendered by a browser is not the response of the server.
  const contentType = headers['content-type'] ?? 'text/html; charset=utf-8';
  const answer = rendered
    ? warcRecord({ type: 'resource', contentType, block: body, payload: body, url: head.url })
    : responseRecord({ url: head.url, statusCode, headers, body });
  const rest = { ...exchange, response: { ...head, body: '' } };
  const fields = { 'WARC-Concurrent-To': answer.id };
  return [
    requestRecord(request, fields),
    answer,
    metadataRecord(exchangeType, rest, { url, fields }),
  ];
}

/** A record of facts that HTTP cannot express. */
function metadataRecord(
  contentType: string,
  value: unknown,
  more: { readonly url?: string; readonly fields?: Readonly<Record<string, string>> } = {},
): WrittenRecord {
  return warcRecord({ type: 'metadata', contentType, block: JSON.stringify(value), ...more });
}
