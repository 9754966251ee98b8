/** One content coding undone as the data streams through. */
import type { Transform } from 'node:stream';
import { type ContentCoding, contentCoding } from './content-codings.ts';

/** Where a body's bytes go. */
export interface Sink {
  /** False asks to wait until `onDrain` is called. */
  write(chunk: Buffer): boolean;
  end(): void;
  onDrain: () => void;
}

/** What a decoder has to tell beside the data. */
export interface DecoderEvents {
  warn(warning: string): void;
  /** So many bytes came out in all. False when that is too much: nothing more is passed on. */
  mayGrowTo(length: number): boolean;
  /** The data stopped before its end; what was there has been passed on. */
  truncated(): void;
  corrupt(cause: Error): void;
}

/**
 * What is written comes out decoded at `next`. Data that is not encoded, though the server says so,
 * goes through unchanged with a warning. An `isDeclared` of false turns that around: data that is
 * encoded, though the server does not say so, is decoded with a warning.
 */
export class ContentDecoder implements Sink {
  readonly #name: string;
  readonly #isDeclared: boolean;
  readonly #next: Sink;
  readonly #events: DecoderEvents;
  #stream: Transform | undefined;
  #started = false;
  #length = 0;
  /** Input that may turn out not to be encoded: kept until the first output. */
  #held: Buffer[] | undefined = [];
  onDrain: () => void = () => undefined;

  constructor(name: string, isDeclared: boolean, next: Sink, events: DecoderEvents) {
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
    // One byte is enough where gzip was announced and cut, and no sign where it was not.
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
        `The body is taken as it is: the server calls it ${this.#name}-encoded, which it is not.`,
      );
    }
    return this.#next.write(input);
  }
}

/** True when the first bytes have no control characters but white space. */
function isText(bytes: Buffer): boolean {
  return bytes.subarray(0, 512).every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
