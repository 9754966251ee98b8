/** Answers from a recording in place of the network. */
import type { Engine } from '../engines/engine.ts';
import { PagewrightError } from '../errors.ts';
import type { PageRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { withSignal } from '../network/deadline.ts';
import { AnswerSequences } from './answer-sequences.ts';
import { archivedSnapshot } from './archived-pages.ts';
import { readRecording } from './read-recording.ts';
import { type RecordedBytes, unpackBytes } from './recorded-bytes.ts';
import {
  errorOf,
  type RecordedExchange,
  type RecordedHead,
  snapshotOf,
} from './recorded-exchange.ts';
import { type RecordedRequest, recordedRequest, recordedUrl } from './recorded-request.ts';
import type { RecordedEngine } from './recording-format.ts';
import type { ArchivedResponse } from './recording-part.ts';
import { canParseUrl } from '../url/can-parse-url.ts';

/** How a recording is replayed. */
export interface ReplayOptions {
  /**
   * Request headers that make a request another one, such as `accept-language`. Of those that recordings
   * redact only the presence counts.
   * @default none
   */
  readonly matchHeaders?: readonly string[] | undefined;
  /**
   * What becomes of a request that is made more often than it was recorded: it gets the last answer
   * again, or fails.
   * @default 'repeat'
   */
  readonly onExhausted?: 'repeat' | 'error' | undefined;
  /** Serve a file that breaks off, as far as it goes, with a warning. @default false: that is `STORAGE` */
  readonly acceptCut?: boolean | undefined;
  /** Bytes of the file, unpacked; it is held in memory. @default 536870912 (512 MiB) */
  readonly maxBytes?: number | undefined;
}

/** A recording that is replayed. */
export interface Replay {
  /**
   * Engines like those that were recorded, which answer from the file: for
   * `createClient({ engines: replay.engines })`. Those of the client are left out, so nothing reaches
   * the network, and no browser is started.
   */
  readonly engines: () => readonly Engine[];
  /** What is wrong with the file though it is of use. */
  readonly warnings: readonly string[];
  /** Requests that were recorded and not made yet, as often as they are left. */
  unused(): readonly { readonly engine: string; readonly url: string }[];
}

/**
 * Reads a recording: one of `openRecording`, or a WARC file of another tool, whose responses come
 * from an engine called `http`. A request that is made again gets the answers in their order.
 *
 * Rejects with `STORAGE` for a file that cannot be read. The engines reject with `CACHE_MISS` for a
 * request that was not recorded; the message names the nearest.
 *
 * @example
 * const replay = await openReplay('run.jsonl');
 * await using client = createClient({ engines: replay.engines });
 */
export async function openReplay(path: string, options: ReplayOptions = {}): Promise<Replay> {
  const { acceptCut = false, maxBytes = 536_870_912 } = options;
  const script = new Script(path, options);
  const warnings: string[] = [];
  const exchanges: RecordedExchange[] = [];
  for await (const part of readRecording(path, { acceptCut, maxBytes })) {
    if ('warning' in part) warnings.push(part.warning);
    else if ('engine' in part) script.addEngine(part.engine);
    else if ('archived' in part) script.addArchived(part.archived);
    else exchanges.push(part.exchange);
  }
  script.addExchanges(exchanges);
  return { engines: () => script.engines(), warnings, unused: () => script.unused() };
}

/** What answers from archives of other tools. */
const archiveEngine: RecordedEngine = { name: 'http', can: [], cost: 10, isForSome: false };

/** All that was recorded, and what of it comes next. */
class Script {
  readonly #path: string;
  readonly #engines = new Map<string, RecordedEngine>();
  /** Engines and the origins that they were asked for. */
  readonly #origins = new Set<string>();
  readonly #exchanges: AnswerSequences<RecordedExchange>;
  readonly #archived: AnswerSequences<ArchivedResponse>;

  constructor(recording: string, { matchHeaders = [], onExhausted = 'repeat' }: ReplayOptions) {
    const repeats = onExhausted === 'repeat';
    this.#path = recording;
    this.#exchanges = new AnswerSequences({
      recording,
      matchHeaders: matchHeaders.map((name) => name.toLowerCase()),
      // How often a page was asked for until its time was over, time decides.
      repeats: ({ failure }) => repeats || failure?.wasAborted === true,
    });
    this.#archived = new AnswerSequences({
      ...{ recording, matchHeaders: [] },
      repeats: () => repeats,
    });
  }

  addEngine(engine: RecordedEngine): void {
    this.#engines.set(engine.name, engine);
  }

  addArchived(response: ArchivedResponse): void {
    this.addEngine(archiveEngine);
    this.#archived.add(archivedRequest(response.url), response);
  }

  addExchanges(exchanges: readonly RecordedExchange[]): void {
    const inOrder = [...exchanges].sort((one, other) => startOf(one) - startOf(other));
    for (const exchange of inOrder) {
      const { request } = exchange;
      this.#exchanges.add(request, exchange);
      this.#origins.add(`${request.engine} ${originOf(request.url)}`);
    }
  }

  engines(): Engine[] {
    return [...this.#engines.values()].map((engine) => this.#standIn(engine));
  }

  unused(): { engine: string; url: string }[] {
    return [...this.#exchanges.unused(), ...this.#archived.unused()];
  }

  #standIn(engine: RecordedEngine): Engine {
    const { name, can, cost, isForSome } = engine;
    return {
      ...{ name, cost, can: new Set(can) },
      ...(isForSome ? { handles: (url) => this.#origins.has(`${name} ${originOf(url)}`) } : {}),
      fetch: async (request) => {
        request.signal.throwIfAborted();
        const answer =
          engine === archiveEngine
            ? archivedSnapshot(request, (url) => this.#archived.take(archivedRequest(url)))
            : this.#replay(engine, request);
        return withSignal(answer, request.signal);
      },
    };
  }

  async #replay(engine: RecordedEngine, request: PageRequest): Promise<Snapshot> {
    const exchange = this.#exchanges.take(recordedRequest(engine, request));
    const { response, failure } = exchange;
    if (failure !== undefined) throw errorOf(failure);
    const { body: packed = '', ...head } = response ?? {};
    return snapshotOf(head as RecordedHead, await this.#unpack(packed, request));
  }

  async #unpack(
    packed: RecordedBytes,
    { url, limits, truncatesBody = false }: PageRequest,
  ): Promise<Uint8Array> {
    const { bodyBytes } = limits;
    let body: Uint8Array | undefined;
    try {
      body = await unpackBytes(packed, truncatesBody ? Infinity : bodyBytes);
    } catch (cause) {
      const message = `The recording ${this.#path} cannot be read: the body of ${url} is damaged. Record it again.`;
      throw new PagewrightError('STORAGE', message, { url, cause });
    }
    if (body !== undefined) return truncatesBody ? body.subarray(0, bodyBytes) : body;
    const message = `The body of ${url} is larger than ${bodyBytes} bytes. Raise limits.bodyBytes to read it.`;
    throw new PagewrightError('BODY_TOO_LARGE', message, { url });
  }
}

function archivedRequest(url: string): RecordedRequest {
  return { engine: archiveEngine.name, url: recordedUrl(url), headers: {}, rendering: {} };
}

function startOf({ started = 0 }: RecordedExchange): number {
  return started;
}

function originOf(url: string): string {
  return canParseUrl(url) ? new URL(url).origin : '';
}
