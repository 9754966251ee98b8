/** A response body on its way in: decompressed as it streams, counted, and stopped at the limit. */
import { PagewrightError } from '../../errors.ts';
import { contentCoding } from './content-codings.ts';
import { ContentDecoder, type Sink } from './content-decoder.ts';

/** A whole body. */
export interface DecodedBody {
  readonly body: Uint8Array;
  readonly warnings: readonly string[];
  /** True when compressed data stopped before its end. */
  readonly truncated: boolean;
}

/** What a reader is told about the body. */
export interface BodyReaderOptions {
  /** The Content-Encoding header: codings in the order in which they were applied. */
  readonly contentEncoding: string;
  /** The Content-Length header, when there is one. */
  readonly contentLength: string | undefined;
  /** Bytes after decompression. */
  readonly limit: number;
  /** For messages. */
  readonly url: string;
}

/** Who reads a body is told when to stop and when to go on. */
export interface BodyReaderEvents {
  /** Nothing more is wanted: `BODY_TOO_LARGE` or `DECOMPRESSION`. */
  onFailure(error: PagewrightError): void;
  /** The reader asked to wait and can take more now. */
  onDrain(): void;
}

/**
 * Reads one body: `write` what arrives, then call `end` once. The constructor throws
 * `BODY_TOO_LARGE` when the headers already say so.
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #events: BodyReaderEvents;
  readonly #first: Sink;
  readonly #decoders: ContentDecoder[] = [];
  readonly #warnings: string[] = [];
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #truncated = false;
  #failure: PagewrightError | undefined;
  #settle: () => void = () => undefined;

  constructor(options: BodyReaderOptions, events: BodyReaderEvents) {
    this.#options = options;
    this.#events = events;
    let sink: Sink = {
      write: (chunk) => this.#collect(chunk),
      end: () => this.#settle(),
      onDrain: () => undefined,
    };
    for (const name of this.#codings()) {
      const decoder = new ContentDecoder(name, sink, {
        warn: (warning) => this.#warnings.push(warning),
        truncated: () => (this.#truncated = true),
        corrupt: (cause) => this.#fail(corrupt(name, options.url, cause)),
      });
      this.#decoders.push(decoder);
      sink = decoder;
    }
    this.#first = sink;
    this.#first.onDrain = () => events.onDrain();
    if (this.#decoders.length === 0 && Number(options.contentLength) > options.limit) {
      throw tooLarge(options);
    }
  }

  /** Takes the next bytes; false asks to wait for `onDrain`. */
  write(chunk: Buffer): boolean {
    return this.#failure !== undefined || this.#first.write(chunk);
  }

  /** Nothing more will come. Rejects with what `onFailure` has told, or tells now. */
  end(): Promise<DecodedBody> {
    return new Promise((resolve, reject) => {
      this.#settle = () => {
        if (this.#failure !== undefined) return reject(this.#failure);
        const [only = Buffer.alloc(0), ...others] = this.#chunks;
        const body = others.length === 0 ? only : Buffer.concat(this.#chunks, this.#length);
        resolve({ body, warnings: this.#warnings, truncated: this.#truncated });
      };
      if (this.#failure === undefined) this.#first.end();
      else this.#settle();
    });
  }

  /** Frees the decompressors. */
  destroy(): void {
    for (const decoder of this.#decoders) decoder.destroy();
  }

  #codings(): readonly string[] {
    const { contentEncoding } = this.#options;
    const names = contentEncoding
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== '' && name !== 'identity');
    if (names.length <= maximumCodings && names.every((name) => contentCoding(name))) return names;
    const shown = JSON.stringify(contentEncoding.slice(0, 100));
    this.#warnings.push(`The body is taken as it is: its encoding is ${shown}, which is unknown.`);
    return [];
  }

  #collect(chunk: Buffer): boolean {
    this.#length += chunk.length;
    if (this.#length > this.#options.limit) this.#fail(tooLarge(this.#options));
    else this.#chunks.push(chunk);
    return true;
  }

  #fail(error: PagewrightError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#chunks.length = 0;
    this.destroy();
    this.#settle();
    this.#events.onFailure(error);
  }
}

/** More than any server applies; each costs work for every byte. */
const maximumCodings = 5;

function tooLarge({ url, limit }: BodyReaderOptions): PagewrightError {
  return new PagewrightError(
    'BODY_TOO_LARGE',
    `The body of ${url} is larger than ${limit} bytes. Raise limits.bodyBytes to read it.`,
    { url },
  );
}

function corrupt(name: string, url: string, cause: Error): PagewrightError {
  return new PagewrightError(
    'DECOMPRESSION',
    `The ${name} data of ${url} is damaged (${cause.message}). Ask for it unencoded with headers: { 'accept-encoding': 'identity' }.`,
    { url, cause },
  );
}
