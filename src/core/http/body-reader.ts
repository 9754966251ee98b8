/** Reads a response body: decompresses it as it streams, counts it, and stops at the limit. */
import type { Transform } from 'node:stream';
import { PagewrightError } from '../runtime/errors.ts';
import type { Limits } from '../model/request-options.ts';
import { copyBytes } from '../runtime/yield-to-event-loop.ts';
import { contentCoding, type ContentCoding } from './content-codings.ts';

/** A complete body. */
export interface DecodedBody {
  readonly body: Uint8Array;
  readonly warnings: readonly string[];
  /** True when compressed data stopped before its end. */
  readonly truncated: boolean;
}

/** The facts that a reader needs about the body. */
export interface BodyReaderOptions {
  /** The Content-Encoding header: codings in the order in which they were applied. */
  readonly contentEncoding: string;
  /** The Content-Length header, if there is one. */
  readonly contentLength: string | undefined;
  /** Decode gzip that no header declares: once, and with a warning. */
  readonly unpackUndeclared: boolean;
  readonly limits: Pick<Limits, 'bodyBytes' | 'compressionRatio'>;
  /** Cut a body larger than `limits.bodyBytes` instead of failing. @default false */
  readonly truncates?: boolean | undefined;
  /** For messages. */
  readonly url: string;
}

/** Events that pause, resume or stop the sender of a body. */
export interface BodyReaderEvents {
  /** No more data is needed: `BODY_TOO_LARGE` or `DECOMPRESSION`, or the body is full. */
  onStop(reason: Error): void;
  /** The reader has drained and takes more data. */
  onDrain(): void;
}

/**
 * Reads one body: `write` each chunk, then call `end` once. The constructor throws `BODY_TOO_LARGE`
 * if the headers declare too much.
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #events: BodyReaderEvents;
  readonly #first: ByteSink;
  readonly #decoders: ContentDecoder[] = [];
  readonly #warnings: string[] = [];
  readonly #chunks: Buffer[] = [];
  /** Bytes received over the wire. */
  #received = 0;
  #length = 0;
  #truncated = false;
  #failure: PagewrightError | undefined;
  #isFull = false;
  #settle: () => void = () => undefined;

  constructor(options: BodyReaderOptions, events: BodyReaderEvents) {
    this.#options = options;
    this.#events = events;
    let sink: ByteSink = {
      write: (chunk) => this.#collect(chunk),
      end: () => this.#settle(),
      onDrain: () => undefined,
    };
    const codings = this.#codings();
    if (options.unpackUndeclared) sink = this.#unpackUndeclared(sink);
    for (const name of codings) sink = this.#decoder(name, true, sink);
    this.#first = sink;
    this.#first.onDrain = () => events.onDrain();
    const isTooLarge = Number(options.contentLength) > options.limits.bodyBytes;
    if (codings.length === 0 && isTooLarge && options.truncates !== true) throw tooLarge(options);
  }

  /** True when the body was larger than the limit and was cut there. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Writes the next chunk; false: wait for `onDrain`. */
  write(chunk: Buffer): boolean {
    const before = this.#received;
    this.#received += chunk.length;
    if (this.#failure !== undefined || this.#isFull) return true;
    // Data that decodes to nothing still costs time and transfer.
    if (before <= mostReceived(this.#options.limits.bodyBytes)) return this.#first.write(chunk);
    if (this.#options.truncates === true) this.#fill();
    else this.#fail(tooLarge(this.#options));
    return true;
  }

  /** Ends the body. Rejects with the error passed to `onStop`, now or before. */
  async end(): Promise<DecodedBody> {
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      if (this.#failure === undefined && !this.#isFull) this.#first.end();
      else resolve();
    });
    if (this.#failure !== undefined) throw this.#failure;
    const [only] = this.#chunks;
    const body =
      only !== undefined && this.#chunks.length === 1 ? only : await copyBytes(this.#chunks);
    return { body, warnings: this.#warnings, truncated: this.#truncated };
  }

  /** Frees the decompressors. */
  destroy(): void {
    for (const decoder of this.#decoders) decoder.destroy();
  }

  /** No text starts with the first byte of gzip data: most bodies need no decoder. */
  #unpackUndeclared(next: ByteSink): ByteSink {
    let chosen: ByteSink | undefined;
    const choose = (chunk: Buffer): ByteSink => {
      if (chunk[0] !== 0x1f) return next;
      const decoder = this.#decoder('gzip', false, next);
      decoder.onDrain = () => sink.onDrain();
      return decoder;
    };
    const sink: ByteSink = {
      write: (chunk) => (chosen ??= choose(chunk)).write(chunk),
      end: () => (chosen ?? next).end(),
      onDrain: () => undefined,
    };
    return sink;
  }

  #decoder(name: string, isDeclared: boolean, next: ByteSink): ByteSink {
    const decoder = new ContentDecoder(name, isDeclared, next, {
      warn: (warning) => this.#warnings.push(warning),
      mayGrowTo: (length) => this.#mayGrowTo(length),
      truncated: () => (this.#truncated = true),
      corrupt: (cause) => this.#fail(corrupt(name, this.#options.url, cause)),
    });
    this.#decoders.push(decoder);
    return decoder;
  }

  /** The codings to decode, in the order in which they were applied, without meaningless names. */
  #codings(): readonly string[] {
    const { contentEncoding } = this.#options;
    const names = contentEncoding
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== '' && !harmless.test(name));
    const known = names.filter((name) => contentCoding(name) !== undefined);
    if (names.length === known.length && names.length <= maximumCodings) return known;
    const coding = JSON.stringify(contentEncoding.slice(0, 100));
    this.#warnings.push(`The body is used as is: its encoding, ${coding}, is unknown.`);
    return [];
  }

  #collect(chunk: Buffer): boolean {
    if (this.#isFull) return true;
    const room = this.#options.limits.bodyBytes - this.#length;
    if (this.#options.truncates === true && chunk.length > room) {
      this.#chunks.push(chunk.subarray(0, room));
      this.#length += room;
      this.#fill();
      return true;
    }
    this.#length += chunk.length;
    if (this.#mayGrowTo(this.#length)) this.#chunks.push(chunk);
    return true;
  }

  /** Called for every layer: expanding to a large input of the next is work, too. */
  #mayGrowTo(length: number): boolean {
    const { truncates = false, limits } = this.#options;
    const { bodyBytes, compressionRatio } = limits;
    if (length > bodyBytes && !truncates) this.#fail(tooLarge(this.#options));
    else if (length > unsuspicious && length > compressionRatio * this.#received) {
      this.#fail(tooDense(this.#options));
    }
    return this.#failure === undefined;
  }

  #fill(): void {
    this.#isFull = true;
    this.#stop(new Error('the body is larger than what is wanted of it'));
  }

  #fail(error: PagewrightError): void {
    if (this.#failure !== undefined || this.#isFull) return;
    this.#failure = error;
    this.#chunks.length = 0;
    this.#stop(error);
  }

  #stop(reason: Error): void {
    this.destroy();
    this.#settle();
    this.#events.onStop(reason);
  }
}

/** The maximum bytes on the wire for a body of this size: incompressible data grows by less. */
function mostReceived(bodyBytes: number): number {
  return bodyBytes + bodyBytes / 50 + 4_096;
}

const maximumCodings = 5; // more than any server applies; each costs work for every byte

/** Values that servers send for a body that is not encoded: nothing, or its charset. */
const harmless = /^(?:identity|none|7bit|8bit|binary|utf-?8|us-ascii|iso-8859-\d+|windows-\d+)$/;

const unsuspicious = 10_000_000; // bytes accepted at any compression ratio: decoded in milliseconds

function tooLarge({ url, limits }: BodyReaderOptions): PagewrightError {
  return new PagewrightError(
    'BODY_TOO_LARGE',
    `The body of ${url} is larger than ${limits.bodyBytes} bytes. Raise limits.bodyBytes to read it.`,
    { url },
  );
}

function tooDense({ url, limits }: BodyReaderOptions): PagewrightError {
  return new PagewrightError(
    'DECOMPRESSION',
    `The body of ${url} unpacks to over ${limits.compressionRatio} times what was sent. Raise limits.compressionRatio to read it.`,
    { url },
  );
}

function corrupt(name: string, url: string, cause: Error): PagewrightError {
  return new PagewrightError(
    'DECOMPRESSION',
    `The ${name} data of ${url} is damaged (${cause.message}). Request it unencoded with headers: { 'accept-encoding': 'identity' }.`,
    { url, cause },
  );
}

// Decodes one content coding as the data streams through.

/** The target of a body's bytes. */
interface ByteSink {
  /** False: wait until `onDrain` is called. */
  write(chunk: Buffer): boolean;
  end(): void;
  onDrain: () => void;
}

/** Events of a decoder besides the data. */
interface DecoderEvents {
  warn(warning: string): void;
  /** Reports the total number of decoded bytes. False when it is too large: the rest is dropped. */
  mayGrowTo(length: number): boolean;
  /** The data stopped before its end; all data before has been passed on. */
  truncated(): void;
  corrupt(cause: Error): void;
}

/**
 * Writes decoded data to `next`. Data that is not encoded, although declared so, passes unchanged
 * with a warning. With `isDeclared` false the reverse: data that is encoded, although not declared
 * so, is decoded with a warning.
 */
class ContentDecoder implements ByteSink {
  readonly #name: string;
  readonly #isDeclared: boolean;
  readonly #next: ByteSink;
  readonly #events: DecoderEvents;
  #stream: Transform | undefined;
  #started = false;
  #length = 0;
  /** Input that may turn out not to be encoded: held until the first output. */
  #held: Buffer[] | undefined = [];
  onDrain: () => void = () => undefined;

  constructor(name: string, isDeclared: boolean, next: ByteSink, events: DecoderEvents) {
    this.#name = name;
    this.#isDeclared = isDeclared;
    this.#next = next;
    this.#events = events;
  }

  write(chunk: Buffer): boolean {
    this.#held?.push(chunk);
    if (this.#started) return (this.#stream ?? this.#next).write(chunk);
    const head = this.#takeHeld();
    return head.length < 4 || this.#start(head);
  }

  end(): void {
    const head = this.#started ? undefined : this.#takeHeld();
    if (head !== undefined && head.length > 0) this.#start(head);
    (this.#stream ?? this.#next).end();
  }

  destroy(): void {
    this.#stream?.destroy();
  }

  #takeHeld(): Buffer {
    const held = this.#held ?? [];
    return held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
  }

  #start(head: Buffer): boolean {
    this.#started = true;
    const coding = contentCoding(this.#name);
    // One byte is enough if gzip was declared and cut, and no sign if it was not.
    const mayMatch = this.#isDeclared || head.length > 1;
    if (coding === undefined || !mayMatch || !coding.matches(head)) return this.#passOn(head);
    if (!this.#isDeclared) {
      this.#events.warn(
        `The body was ${this.#name}-encoded once more than the server says; it was decoded.`,
      );
    }
    const stream = coding.open(head);
    this.#stream = stream;
    if (coding.certain) this.#held = undefined;
    this.#next.onDrain = () => stream.resume();
    stream.on('data', (chunk: Buffer) => this.#pass(stream, chunk));
    stream.on('drain', () => this.onDrain());
    stream.on('end', () => this.#next.end());
    stream.on('error', (error) => this.#fail(error, coding));
    return stream.write(head);
  }

  #pass(stream: Transform, chunk: Buffer): void {
    this.#held = undefined;
    this.#length += chunk.length;
    if (!this.#events.mayGrowTo(this.#length)) return;
    if (!this.#next.write(chunk)) stream.pause();
  }

  #fail(error: NodeJS.ErrnoException, coding: ContentCoding): void {
    const input = this.#takeHeld();
    if (error.code === 'Z_BUF_ERROR') {
      this.#events.truncated();
      this.#next.end();
    } else if (!coding.certain && input.length > 0 && isText(input)) {
      const ended = this.#stream?.writableEnded === true;
      this.#stream = undefined;
      this.#passOn(input);
      if (ended) this.#next.end();
      else this.onDrain();
    } else {
      this.#events.corrupt(error);
    }
  }

  #passOn(input: Buffer): boolean {
    this.#held = undefined;
    this.#next.onDrain = () => this.onDrain();
    if (this.#isDeclared) {
      this.#events.warn(
        `The body is used as is: the server calls it ${this.#name}-encoded, which it is not.`,
      );
    }
    return this.#next.write(input);
  }
}

/** True when the first bytes have no control characters except white space. */
function isText(bytes: Buffer): boolean {
  return bytes.subarray(0, 512).every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
