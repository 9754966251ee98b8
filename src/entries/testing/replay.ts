/** Replays a recording instead of the network. */
import type { Engine } from '../../core/model/engine.ts';
import { BodyReader } from '../../core/http/body-reader.ts';
import { redirectTarget } from '../../core/http/redirect.ts';
import { type ErrorCode, PagewrightError } from '../../core/runtime/errors.ts';
import type { PageRequest } from '../../core/model/request.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import { nearestName } from '../../core/checks/option-errors.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { type ArchivedResponse, readRecording } from './read-recording.ts';
import {
  canonical,
  errorOf,
  matchedHeaders,
  type RecordedBytes,
  type RecordedExchange,
  type RecordedHead,
  type RecordedRequest,
  recordedRequest,
  recordedUrl,
  requestKey,
  snapshotOf,
  unpackBytes,
  commonStart,
} from './recorded-exchange.ts';
import type { RecordedEngine } from './recording.ts';

/** Options of a replay. */
export interface ReplayOptions {
  /**
   * Request headers that distinguish requests, such as `accept-language`. For headers that recordings
   * redact only the presence counts.
   * @default none
   */
  readonly matchHeaders?: readonly string[] | undefined;
  /**
   * The result of a request that is made more often than it was recorded: the last answer
   * again, or an error.
   * @default 'repeat'
   */
  readonly onExhausted?: 'repeat' | 'error' | undefined;
  /** Serve the complete part of a truncated file, with a warning. @default false: that is `STORAGE` */
  readonly acceptCut?: boolean | undefined;
  /** Bytes of the file, unpacked; it is held in memory. @default 536870912 (512 MiB) */
  readonly maxBytes?: number | undefined;
}

/** An open replay. */
export interface Replay {
  /**
   * Stand-ins for the recorded engines, which answer from the file: for
   * `createClient({ engines: replay.engines })`. The client's own engines are left out, so nothing reaches
   * the network, and no browser is started.
   */
  readonly engines: () => readonly Engine[];
  /** Faults of a file that can still be replayed. */
  readonly warnings: readonly string[];
  /** Recorded requests that were not made yet, once for each answer left. */
  unused(): readonly { readonly engine: string; readonly url: string }[];
}

/**
 * Reads a recording of `openRecording`, or a WARC file of another tool, whose responses come
 * from an engine called `http`. A repeated request gets the answers in their order.
 *
 * Rejects with `STORAGE` for a file that cannot be read. The engines reject with `CACHE_MISS` for a
 * request that was not recorded; the message names the nearest one.
 *
 * @example
 * const replay = await openReplay('run.jsonl');
 * await using client = createClient({ engines: replay.engines });
 */
export async function openReplay(path: string, options: ReplayOptions = {}): Promise<Replay> {
  const { acceptCut = false, maxBytes = 536_870_912 } = options;
  const script = new ReplayScript(path, options);
  const warnings: string[] = [];
  const exchanges: RecordedExchange[] = [];
  for await (const part of readRecording(path, acceptCut, maxBytes)) {
    if ('warning' in part) warnings.push(part.warning);
    else if ('engine' in part) script.addEngine(part.engine);
    else if ('archived' in part) script.addArchived(part.archived);
    else exchanges.push(part.exchange);
  }
  script.addExchanges(exchanges);
  return { engines: () => script.engines(), warnings, unused: () => script.unused() };
}

/** The engine for archives of other tools. */
const archiveEngine: RecordedEngine = { name: 'http', can: [], cost: 10, isForSome: false };

/** The recorded exchanges, and the position in each sequence. */
class ReplayScript {
  readonly #path: string;
  readonly #engines = new Map<string, RecordedEngine>();
  /** Engines and the origins of their requests. */
  readonly #origins = new Set<string>();
  readonly #exchanges: ResponseSequences<RecordedExchange>;
  readonly #archived: ResponseSequences<ArchivedResponse>;

  constructor(recording: string, { matchHeaders = [], onExhausted = 'repeat' }: ReplayOptions) {
    const repeats = onExhausted === 'repeat';
    this.#path = recording;
    this.#exchanges = new ResponseSequences({
      recording,
      matchHeaders: matchHeaders.map((name) => name.toLowerCase()),
      // The number of attempts before a time limit depends on timing.
      repeats: ({ failure }) => repeats || failure?.wasAborted === true,
    });
    this.#archived = new ResponseSequences({
      recording,
      matchHeaders: [],
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
      name,
      cost,
      can: new Set(can),
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

// Recorded answers by request: the first request gets the first answer, the second the second.

/** Settings of the lookup. */
interface ResponseSequencesSettings<Answer> {
  /** Path of the recording, for messages. */
  readonly recording: string;
  /** Lower-case names of request headers in the key. */
  readonly matchHeaders: readonly string[];
  /** True for a last answer that is repeated. */
  readonly repeats: (last: Answer) => boolean;
}

interface ResponseSequence<Answer> {
  readonly request: RecordedRequest;
  readonly answers: Answer[];
  next: number;
}

/** The answers of one recording. */
class ResponseSequences<Answer> {
  readonly #settings: ResponseSequencesSettings<Answer>;
  readonly #sequences = new Map<string, ResponseSequence<Answer>>();

  constructor(settings: ResponseSequencesSettings<Answer>) {
    this.#settings = settings;
  }

  /** Must be called in the order of the requests. */
  add(request: RecordedRequest, answer: Answer): void {
    const key = requestKey(request, this.#settings.matchHeaders);
    const sequence = this.#sequences.get(key) ?? { request, answers: [], next: 0 };
    this.#sequences.set(key, sequence);
    sequence.answers.push(answer);
  }

  /** The next answer; throws `CACHE_MISS` if there is none. */
  take(request: RecordedRequest): Answer {
    const { recording, matchHeaders, repeats } = this.#settings;
    const sequence = this.#sequences.get(requestKey(request, matchHeaders));
    const last = sequence?.answers.at(-1);
    if (sequence === undefined || last === undefined) {
      const recorded = [...this.#sequences.values()].map(({ request }) => request);
      throw missingExchange(recording, request, replayHint(request, recorded, matchHeaders));
    }
    const next = sequence.answers[sequence.next];
    if (next !== undefined) {
      sequence.next += 1;
      return next;
    }
    if (repeats(last)) return last;
    throw exhaustedExchange(recording, request, sequence.answers.length);
  }

  /** The requests of untaken answers, once for each answer. */
  unused(): { engine: string; url: string }[] {
    return [...this.#sequences.values()].flatMap(({ request: { engine, url }, answers, next }) =>
      answers.slice(next).map(() => ({ engine, url })),
    );
  }
}

// Answers from a web archive of another tool: single responses, whose redirects are followed.

/** Returns the next response of a URL; throws if there is none. */
type NextResponse = (url: string) => ArchivedResponse;

/** Answers one request. Rejects like an engine. */
async function archivedSnapshot(
  request: Pick<PageRequest, 'url' | 'limits' | 'truncatesBody'>,
  next: NextResponse,
): Promise<Snapshot> {
  const { url: start, limits } = request;
  const redirects: string[] = [];
  let bytes = 0;
  for (let url = new URL(start); ;) {
    const { statusCode, headers, body } = next(url.href);
    bytes += body.length;
    const { location } = headers;
    const locations = location === undefined ? [] : [location];
    const target = redirectTarget({ statusCode, locations }, url);
    if (target === undefined) {
      const unpacked = await unpack(url.href, { headers, body }, request);
      const facts = { url: url.href, statusCode, headers, redirects, bytes };
      return { ...facts, ...unpacked, engine: 'http', requests: redirects.length + 1 };
    }
    redirects.push(url.href);
    if (redirects.length > limits.redirects) {
      const message = `${start} redirects more than ${limits.redirects} times. Raise limits.redirects if it is not a loop.`;
      throw new PagewrightError('TOO_MANY_REDIRECTS', message, { url: start });
    }
    url = target;
  }
}

async function unpack(
  url: string,
  { headers, body }: Pick<ArchivedResponse, 'headers' | 'body'>,
  { limits, truncatesBody }: Pick<PageRequest, 'limits' | 'truncatesBody'>,
): Promise<Pick<Snapshot, 'body' | 'warnings' | 'isCut'>> {
  const reader = new BodyReader(
    {
      url,
      limits,
      contentLength: undefined,
      unpackUndeclared: false,
      truncates: truncatesBody,
      contentEncoding: headers['content-encoding'] ?? '',
    },
    { onStop: () => undefined, onDrain: () => undefined },
  );
  try {
    reader.write(body);
    const { body: unpacked, warnings, truncated } = await reader.end();
    if (!truncated) return { body: unpacked, warnings };
    const warning = `The body of ${url} ends before its end: its packed data was cut.`;
    return { body: unpacked, warnings: [...warnings, warning], isCut: true };
  } finally {
    reader.destroy();
  }
}

// The error for a request without a recorded answer, with the nearest recorded request.

/** The code of a cache-only request without a copy: no fetch is made. */
const missingCode: ErrorCode = 'CACHE_MISS';

const mostCompared = 2000; // URLs compared by edit distance

/** The error for a request that was not recorded. */
function missingExchange(
  recording: string,
  request: RecordedRequest,
  hint: string,
): PagewrightError {
  const what = `The recording ${recording} has no answer to ${describeRequest(request)}`;
  return new PagewrightError(missingCode, `${what}: ${hint}. Record it again, or ask as before.`, {
    url: request.url,
  });
}

/** The error for a request made more often than it was recorded. */
function exhaustedExchange(
  recording: string,
  request: RecordedRequest,
  times: number,
): PagewrightError {
  const often = times === 1 ? 'once' : `${times} times`;
  return new PagewrightError(
    missingCode,
    `The recording ${recording} has ${describeRequest(request)} ${often}, and all of that was replayed. Record it again, or repeat the last answer with openReplay(path, { onExhausted: 'repeat' }).`,
    { url: request.url },
  );
}

function describeRequest({ url, method, engine }: RecordedRequest): string {
  return `${method ?? 'GET'} ${url} (engine ${engine})`;
}

function replayHint(
  request: RecordedRequest,
  recorded: readonly RecordedRequest[],
  matchHeaders: readonly string[],
): string {
  const same = recorded.filter(({ url }) => url === request.url);
  if (same.length > 0) {
    const differences = same.map((one) => differencesOf(request, one, matchHeaders));
    const [fewest = []] = differences.sort((one, other) => one.length - other.length);
    return `the same URL was recorded with ${fewest.join(' and ')}`;
  }
  const urls = nearbyUrls(request.url, recorded);
  const similar = nearestName(request.url, urls) ?? urls[0];
  return similar === undefined ? 'it holds none' : `the nearest that was recorded is ${similar}`;
}

function differencesOf(
  request: RecordedRequest,
  recorded: RecordedRequest,
  matchHeaders: readonly string[],
): string[] {
  const differences: string[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown): void => {
    const [now, before] = [canonical(ours), canonical(theirs)];
    if (now !== before) differences.push(`${what} ${before} in place of ${now}`);
  };
  compare('engine', request.engine, recorded.engine);
  compare('method', request.method, recorded.method);
  compare('body', request.body, recorded.body);
  compare('rendering', request.rendering, recorded.rendering);
  compare('headers', matchedHeaders(request, matchHeaders), matchedHeaders(recorded, matchHeaders));
  return differences;
}

/** The URLs with the longest common start: a whole site has too many URLs for an edit distance. */
function nearbyUrls(url: string, recorded: readonly RecordedRequest[]): string[] {
  return [...new Set(recorded.map((one) => one.url))]
    .map((candidate) => ({ candidate, common: commonStart(url, candidate) }))
    .sort((one, other) => other.common - one.common)
    .slice(0, mostCompared)
    .map(({ candidate }) => candidate);
}
