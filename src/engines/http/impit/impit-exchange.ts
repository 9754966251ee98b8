/** One request and its response over one impit. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Impit, ImpitResponse } from 'impit';
import type { Gate } from '../../gate.ts';
import type { Reusable } from '../idle-pool.ts';
import { impitFailure } from './impit-failure.ts';
import { checkHeaderSize, gatherHeaders } from '../raw-headers.ts';
import type { ResponseHead, TransportRequest, TransportResult } from '../transport.ts';

/** One impit with the gate that all its sockets go through, used by one request at a time. */
export interface ImpitVisit extends Reusable {
  readonly impit: Impit;
  readonly gate: Gate;
  /** Whose connections it has. */
  visitorKey: string;
  /** Why the gate did not reach a target or was not answered well, told once. */
  takeFailure(): Error | undefined;
}

/** Failed without a response. */
export class NoImpitAnswer extends Error {
  constructor(cause: unknown) {
    super('no answer', { cause });
  }
}

type ImpitResult = Pick<TransportResult, 'head' | 'cut' | 'bytes'>;

/**
 * Sends a GET and settles when its body is complete, cut off or not wanted; calls `release` when the
 * impit may serve another request, and destroys it otherwise. Rejects with the signal's reason at
 * once when it aborts, and with `NoImpitAnswer` when there is no response.
 */
export function impitExchange(
  visit: ImpitVisit,
  request: TransportRequest,
  release: () => void,
): Promise<ImpitResult> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const finish = (settle: () => void, isReusable: boolean): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', abort);
      if (isReusable) release();
      else visit.destroy();
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error), false);
    const abort = (): void => fail(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    talk(visit, request, fail).then(
      ({ isWhole, ...result }) => finish(() => resolve(result), isWhole),
      fail,
    );
  });
}

async function talk(
  visit: ImpitVisit,
  { url, headers, headerBytes, onHead }: TransportRequest,
  fail: (error: Error) => void,
): Promise<ImpitResult & { readonly isWhole: boolean }> {
  visit.takeFailure();
  const bytesBefore = visit.gate.bytesRead;
  const why = (error: unknown): Error => visit.takeFailure() ?? impitFailure(error, url);
  let response: ImpitResponse;
  try {
    response = await visit.impit.fetch(url.href, { headers: sent(headers), redirect: 'manual' });
  } catch (error) {
    throw new NoImpitAnswer(why(error));
  }
  // Over plain http it is the gate that answers for a target that does not.
  const failure = visit.takeFailure();
  if (failure !== undefined) throw new NoImpitAnswer(failure);

  const lines = [...response.headers].flat();
  checkHeaderSize(lines, headerBytes);
  const head = { statusCode: response.status, headers: decodedHeaders(gatherHeaders(lines)) };
  let resume = (): void => undefined;
  const taker = onHead(head, { resume: () => resume(), fail });
  let cut: Error | undefined;
  let size = 0;
  try {
    if (taker === undefined)
      return { head, cut: undefined, bytes: 0, isWhole: await ends(response) };
    for await (const chunk of response.body) {
      size += chunk.byteLength;
      if (taker.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) continue;
      await new Promise<void>((drained) => (resume = drained));
    }
    if (size < Number(head.headers['content-length'])) cut = why('IncompleteBody');
  } catch (error) {
    cut = why(error);
    if ((cut as NodeJS.ErrnoException).code === 'DECOMPRESSION') throw cut;
  }
  return { head, cut, bytes: visit.gate.bytesRead - bytesBefore, isWhole: cut === undefined };
}

/** Hints that would contradict the caller's User-Agent are taken out: that is what '' means to impit. */
function sent(headers: Readonly<Record<string, string>>): Record<string, string> {
  if (!('user-agent' in headers)) return { ...headers };
  const hints = { 'sec-ch-ua': '', 'sec-ch-ua-mobile': '', 'sec-ch-ua-platform': '' };
  return { ...hints, ...headers };
}

/** Whether a body that nobody wants is here already: for a longer one the connection is not worth it. */
async function ends(response: ImpitResponse): Promise<boolean> {
  const reader = response.body.getReader();
  const late = sleep(unwantedTime, undefined, { ref: false });
  for (let size = 0; size < unwantedBytes;) {
    const next = await Promise.race([reader.read(), late]);
    if (next === undefined || next.done) return next !== undefined;
    size += next.value.byteLength;
  }
  return false;
}

/** Milliseconds. */
const unwantedTime = 20;

const unwantedBytes = 16 * 1024;

/** impit has undone these, and says so nowhere. */
const decodedByImpit: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br', 'zstd']);

function decodedHeaders(headers: Record<string, string[]>): ResponseHead['headers'] {
  const codings = headers['content-encoding'] ?? [];
  if (!decodedByImpit.has(codings.join(', '))) return headers;
  const { 'content-encoding': _, 'content-length': __, ...rest } = headers;
  return rest;
}
