/** Limits what the pages of a browser make it report, before any of it becomes a string. */
import { ShortenedJson } from './shortened-json.ts';

const megabyte = 1024 * 1024;

/** In bytes. */
const limits = {
  /** An answer to a command. The largest is a page of 50 MB, most of it escaped. */
  answer: 128 * megabyte,
  /** An event. The largest is a request with its body. */
  event: 8 * megabyte,
  /** An event that only informs. Playwright retains 200 messages and 200 errors of each page. */
  notice: 32 * 1024,
  /** A string of an event that is too long. */
  string: 16 * 1024,
  /** What one context may report at once, and per second after that. */
  burst: 64 * megabyte,
  perSecond: 4 * megabyte,
  /** Cost of each event besides its length. */
  perEvent: 256,
} as const;

/** The error message that replaces an answer that is too long. */
export const answerTooLong: string = `The browser's answer has more than ${limits.answer} bytes`;

/** A context whose messages are counted. */
interface Allowance {
  /** Bytes that it may still report. */
  left: number;
  /** `performance.now()` when `left` was computed. */
  at: number;
  isOver: boolean;
  readonly onOver: () => void;
}

/**
 * Reads the messages of the DevTools protocol from the pipe of a browser, where each ends with a
 * zero byte, and hands on what is within the limits:
 *
 * - An answer that is too long becomes an error, so that its call rejects.
 * - An event that is too long loses its long strings. If it is still too long it is dropped, and its
 *   context is over its limit unless the event is one that nothing waits for.
 * - Each context has an allowance. Notices are dropped in its second half. At its end the context is
 *   over its limit: none of its events are handed on, and its owner closes it.
 */
export class MessageFilter {
  readonly #deliver: (message: Buffer) => void;
  readonly #allowances = new Map<string, Allowance>();
  /** The context of each session. */
  readonly #contexts = new Map<string, string>();
  #message = new IncomingMessage();

  constructor(deliver: (message: Buffer) => void) {
    this.#deliver = deliver;
  }

  /** Counts what a context reports, until disposed; `onOver` is called once, when it is over its limit. */
  watch(contextId: string, onOver: () => void): Disposable {
    const at = performance.now();
    this.#allowances.set(contextId, { left: limits.burst, at, isOver: false, onOver });
    return {
      [Symbol.dispose]: () => {
        this.#allowances.delete(contextId);
        for (const [session, context] of this.#contexts) {
          if (context === contextId) this.#contexts.delete(session);
        }
      },
    };
  }

  /** Takes the next bytes of the pipe. */
  write(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.#message.add(chunk.subarray(start, end + 1));
      this.#handle(this.#message);
      this.#message = new IncomingMessage();
      start = end + 1;
    }
    if (start < chunk.length) this.#message.add(chunk.subarray(start));
  }

  #handle(message: IncomingMessage): void {
    const { id, method } = message.kind;
    const { bytes } = message;
    const isOfTarget = method.startsWith('Target.') && bytes !== undefined;
    const target = isOfTarget ? this.#contextOfTarget(method, bytes) : undefined;
    const context = this.#contexts.get(message.session ?? '') ?? target;
    const allowance = this.#allowances.get(context ?? '');
    if (id !== undefined) {
      if (allowance !== undefined) spend(allowance, message.size / 4);
      this.#deliver(bytes ?? errorFor(id, message.session));
    } else if (allowance === undefined) {
      if (bytes !== undefined) this.#deliver(bytes);
    } else if (allows(allowance, message) && bytes !== undefined) {
      this.#deliver(bytes);
    }
  }

  /** Sessions begin and end with events of their targets. */
  #contextOfTarget(method: string, bytes: Buffer): string | undefined {
    const { params } = JSON.parse(bytes.toString('latin1', 0, bytes.length - 1)) as TargetEvent;
    const { sessionId, targetInfo } = params ?? {};
    const context = targetInfo?.browserContextId;
    if (sessionId === undefined) return context;
    if (method === 'Target.detachedFromTarget') this.#contexts.delete(sessionId);
    else if (context !== undefined) this.#contexts.set(sessionId, context);
    return context;
  }
}

/** The part of `Target` events that is read here. */
interface TargetEvent {
  readonly params?: {
    readonly sessionId?: string;
    readonly targetInfo?: { readonly browserContextId?: string };
  };
}

/** The kind of a message, from its first bytes. */
interface Kind {
  /** The command that it answers; undefined for an event. */
  readonly id: string | undefined;
  readonly method: string;
  readonly limit: number;
}

const noticeMethods = ['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded'];

const tellingBytes = 96; // bytes at the start and the end of a message that identify it

/** A message that is being received. */
class IncomingMessage {
  size = 0;
  #pieces: Buffer[] = [];
  #tail: Buffer = Buffer.alloc(0);
  #kind: Kind | undefined;
  #shortened: ShortenedJson | undefined;
  #isDropped = false;

  add(piece: Buffer): void {
    this.size += piece.length;
    const tail = piece.length < tellingBytes ? Buffer.concat([this.#tail, piece]) : piece;
    this.#tail = tail.subarray(-tellingBytes);
    if (this.#isDropped) return;
    if (this.#shortened === undefined) this.#pieces.push(piece);
    else this.#shortened.add(piece);
    if (this.size > limits.notice) this.#hold(this.kind);
  }

  get kind(): Kind {
    this.#kind ??= kindOf(this.#joined());
    return this.#kind;
  }

  /** The session it belongs to. */
  get session(): string | undefined {
    return /"sessionId":"(\w+)"\}\0$/.exec(this.#tail.toString('latin1'))?.[1];
  }

  /** The bytes to pass on; undefined if it is too long. */
  get bytes(): Buffer | undefined {
    if (this.#isDropped) return undefined;
    return this.#shortened?.bytes ?? this.#joined();
  }

  #joined(): Buffer {
    const [first, ...others] = this.#pieces;
    if (first !== undefined && others.length === 0) return first;
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  #hold({ id, limit }: Kind): void {
    if (this.#shortened === undefined && this.size > limit && id === undefined) {
      this.#shortened = new ShortenedJson(limits.string);
      for (const piece of this.#pieces) this.#shortened.add(piece);
      this.#pieces = [];
    }
    this.#isDropped = (this.#shortened?.length ?? this.size) > limit;
    if (this.#isDropped) [this.#shortened, this.#pieces] = [undefined, []];
  }
}

function kindOf(message: Buffer): Kind {
  const head = message.toString('latin1', 0, tellingBytes);
  const [, id, method = ''] = /^\{"(?:id":(\d+),|method":"([\w.]+)")/.exec(head) ?? [];
  if (id !== undefined) return { id, method, limit: limits.answer };
  return { id, method, limit: noticeMethods.includes(method) ? limits.notice : limits.event };
}

/** Counts an event; false if it must not be passed on. */
function allows(allowance: Allowance, { size, kind, bytes }: IncomingMessage): boolean {
  if (allowance.isOver) return false;
  const isNotice = kind.limit === limits.notice;
  const isDropped = bytes === undefined || (isNotice && leftOf(allowance) < limits.burst / 2);
  const length = isDropped ? 0 : bytes.length;
  // A page that logs keeps the browser busy, whether it is read or not. What is left out of other
  // events may be a picture in a URL.
  const dropped = (size - length) / (isNotice ? 1 : 4);
  spend(allowance, length + dropped + limits.perEvent);
  if (bytes === undefined && !isNotice && !kind.method.startsWith('Network.')) end(allowance);
  return !isDropped && !allowance.isOver;
}

function spend(allowance: Allowance, bytes: number): void {
  allowance.left = leftOf(allowance) - bytes;
  allowance.at = performance.now();
  if (allowance.left < 0) end(allowance);
}

function leftOf({ left, at }: Allowance): number {
  const since = (performance.now() - at) / 1000;
  return Math.min(limits.burst, left + since * limits.perSecond);
}

function end(allowance: Allowance): void {
  if (allowance.isOver) return;
  allowance.isOver = true;
  allowance.onOver();
}

function errorFor(id: string, sessionId: string | undefined): Buffer {
  const error = { code: -32_000, message: answerTooLong };
  return Buffer.from(`${JSON.stringify({ id: Number(id), error, sessionId })}\0`);
}
