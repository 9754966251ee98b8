/** Sends requests over impit, a native client with the TLS and HTTP/2 of a browser. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, HttpMethod, Impit, ImpitResponse } from 'impit';
import { PagewrightError } from '../../../runtime/errors.ts';
import { withDescriptors } from '../../../runtime/file-descriptors.ts';
import { loadPackage } from '../../../runtime/optional-packages.ts';
import { withSignal } from '../../../runtime/deadline.ts';
import type { NetworkPolicy } from '../../network/policy.ts';
import { isMistake } from '../../failure.ts';
import { openPolicyProxy, type PolicyProxy } from '../../proxies/policy-proxy.ts';
import { IdlePool, type IdleSessions, type StealthSession, StealthSessions } from './sessions.ts';
import {
  checkHeaderSize,
  exchangeEnding,
  gatherHeaders,
  NoResponse,
  type ResponseHead,
  sendAgainIfDead,
  type Transport,
  type TransportRequest,
  type TransportResult,
  clientClosed,
} from '../../transport.ts';

const limits = {
  connections: 2, // idle ones of one impit
  descriptorsPerConnection: 3, // impit's socket, and two of the proxy
  noTimeout: 2 ** 31 - 1, // milliseconds; the request's signal ends it sooner
  unwantedTime: 20, // milliseconds
  unwantedBytes: 16 * 1024,
};

/**
 * A transport over impit, whose sockets go through a policy proxy of ours: the policy holds, and
 * TLS stays impit's own. Limits of impit:
 *
 * - it decodes bodies itself: one with a wrong Content-Encoding is `DECOMPRESSION`, and bytes are
 *   counted at the proxy, headers and encryption included;
 * - an HTTP/2 stream that the server cancels seems complete, except for its Content-Length;
 * - it joins several Location headers, and does not report a bad certificate that was accepted;
 * - response headers are read up to 400 KB over TLS before the limit is applied.
 */
export function impitTransport(policy: NetworkPolicy): Transport {
  const idle = new IdlePool<ImpitVisit>();
  const open = new Set<ImpitVisit>();
  const sessions = new StealthSessions(drawBrowser);
  // An impit frees its memory late, so it is reused for the next visitor with the same browser; its
  // connections are not.
  let isClosed = false;

  const openVisit = async (
    request: TransportRequest,
    { key: visitorKey, identity: browser }: StealthSession<Browser>,
  ): Promise<ImpitVisit> => {
    const { route, headerBytes, skipTlsVerification, url, signal } = request;
    const { Impit } = await loadPackage("stealth: 'impit'", 'impit', () => import('impit'));
    let failure: Error | undefined;
    const onFailure = (error: Error): void => void (failure ??= error);
    const policyProxy = await openPolicyProxy({ policy, route, headerBytes, onFailure });
    const options = {
      browser,
      proxyUrl: policyProxy.url,
      ignoreTlsErrors: skipTlsVerification,
      followRedirects: false,
      timeout: limits.noTimeout,
    };
    let impit: InstanceType<typeof Impit>;
    try {
      impit = new Impit(options);
    } catch (error) {
      await policyProxy.close();
      throw error;
    }
    const visit: ImpitVisit = {
      impit,
      policyProxy,
      visitorKey,
      isOpen: true,
      get descriptors() {
        return 1 + limits.descriptorsPerConnection * policyProxy.connections;
      },
      takeFailure: () => {
        const taken = failure;
        failure = undefined;
        return taken;
      },
      destroy: () => {
        open.delete(visit);
        void policyProxy.close();
      },
    };
    open.add(visit);
    if (isClosed || signal.aborted) {
      visit.destroy();
      throw isClosed ? clientClosed(url) : signal.reason;
    }
    return visit;
  };

  return {
    async send(request) {
      const { signal, route, skipTlsVerification, headerBytes, visitor } = request;
      signal.throwIfAborted();
      const isFresh = request.freshConnection === true;
      const known = sessions.of(visitor);
      const { key: visitorKey, identity } = known;
      const key = [identity, skipTlsVerification, headerBytes, route?.url, route?.dns].join(' ');
      const send = async (visit: ImpitVisit): Promise<Omit<TransportResult, 'requests'>> => {
        const release = (): void => {
          // A visitor of many sites leaves a connection to each.
          if (visit.policyProxy.connections > limits.connections) visit.policyProxy.disconnect();
          idle.keep(key, visit);
        };
        const sent = await impitExchange(visit, request, release).catch((error: unknown) => {
          throw isClosed && error instanceof NoResponse ? clientClosed(request.url) : error;
        });
        return { ...sent, certificateError: undefined };
      };
      const take = (): ImpitVisit | undefined => {
        const reused = idle.take(key, (visit) => visit.visitorKey === visitorKey) ?? idle.take(key);
        const isOthers = reused?.visitorKey !== visitorKey;
        if (reused !== undefined && (isOthers || isFresh)) {
          reused.policyProxy.disconnect();
          reused.visitorKey = visitorKey;
        }
        return reused;
      };
      const open = (): Promise<ImpitVisit> => withSignal(openVisit(request, known), signal);
      return await withDescriptors(() => {
        const idle = take();
        if (!isFresh) return sendAgainIfDead({ idle, open, send });
        // One whose connections are new: what it does not answer is not sent again.
        return sendAgainIfDead({ idle: undefined, open: async () => idle ?? open(), send });
      }, signal);
    },
    async close() {
      isClosed = true;
      idle.clear();
      await Promise.all(
        [...open].map((visit) => {
          visit.destroy();
          return visit.policyProxy.close();
        }),
      );
    },
  };
}

/** Recent browsers that impit impersonates. */
const browsers: readonly Browser[] = ['chrome151', 'chrome142', 'firefox144', 'firefox135'];

function drawBrowser(): Browser {
  return browsers[Math.floor(Math.random() * browsers.length)] ?? 'chrome151';
}

// One request and its response over one impit.

/** One impit with the proxy that all its sockets go through, used by one request at a time. */
export interface ImpitVisit extends IdleSessions {
  readonly impit: Impit;
  readonly policyProxy: PolicyProxy;
  /** The visitor that its connections belong to. */
  visitorKey: string;
  /** Why the proxy did not reach a target or got a bad response; returned once. */
  takeFailure(): Error | undefined;
}

/**
 * Sends a request and settles when the body of its response is complete, cut off or not wanted; calls `release` when
 * the impit may serve another request, and destroys it otherwise. Rejects with the signal's reason
 * at once when it aborts, and with `NoResponse` when there is none.
 */
async function impitExchange(
  visit: ImpitVisit,
  request: TransportRequest,
  release: () => void,
): Promise<Pick<TransportResult, 'head' | 'cut' | 'bytes'>> {
  const { url, method, headers, body, headerBytes, onHead, signal } = request;
  const ending = exchangeEnding({ release, destroy: () => visit.destroy() }, signal);
  const { policyProxy } = visit;
  const bytesBefore = policyProxy.bytesRead;
  let isWanted = true as boolean;
  if (!ending.isOver) receive().catch(ending.fail);
  const result = await ending.result;
  return { ...result, bytes: isWanted ? policyProxy.bytesRead - bytesBefore : 0 };

  async function receive(): Promise<void> {
    visit.takeFailure();
    const why = (error: unknown): Error => visit.takeFailure() ?? impitFailure(error, url);
    let response: ImpitResponse;
    try {
      response = await visit.impit.fetch(url.href, {
        method: method as HttpMethod,
        headers: sentHeaders(headers),
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
        redirect: 'manual',
      });
    } catch (error) {
      throw new NoResponse(why(error));
    }
    // Over plain http the proxy responds for a silent target.
    const failure = visit.takeFailure();
    if (failure !== undefined) throw new NoResponse(failure);

    const lines = [...response.headers].flat();
    checkHeaderSize(lines, headerBytes);
    const head = { statusCode: response.status, headers: decodedHeaders(gatherHeaders(lines)) };
    let resume = (): void => undefined;
    const taker = onHead(head, { resume: () => resume(), fail: ending.fail });
    isWanted = taker !== undefined;
    if (taker === undefined)
      return (await endsSoon(response)) ? ending.done(head) : ending.drop(head);
    let cut: Error | undefined;
    let size = 0;
    try {
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
    ending.done(head, cut);
  }
}

/** Hints that contradict the caller's User-Agent are removed: '' means that to impit. */
function sentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  if (!('user-agent' in headers)) return { ...headers };
  const hints = { 'sec-ch-ua': '', 'sec-ch-ua-mobile': '', 'sec-ch-ua-platform': '' };
  return { ...hints, ...headers };
}

/**
 * True if an unwanted body has already arrived: the connection is not worth reading a longer one.
 */
async function endsSoon(response: ImpitResponse): Promise<boolean> {
  const reader = response.body.getReader();
  const late = sleep(limits.unwantedTime, undefined, { ref: false });
  for (let size = 0; size < limits.unwantedBytes;) {
    const next = await Promise.race([reader.read(), late]);
    if (next === undefined || next.done) return next !== undefined;
    size += next.value.byteLength;
  }
  return false;
}

/** impit decodes these silently. */
const decodedByImpit: ReadonlySet<string> = new Set(['gzip', 'deflate', 'br', 'zstd']);

function decodedHeaders(headers: Record<string, string[]>): ResponseHead['headers'] {
  const codings = headers['content-encoding'] ?? [];
  if (!decodedByImpit.has(codings.join(', '))) return headers;
  const { 'content-encoding': _, 'content-length': __, ...rest } = headers;
  return rest;
}

// Maps impit's errors to errors as in Node.

/**
 * An error with the code that Node's sockets, TLS or parser would have; `cause` is impit's own.
 * Errors from elsewhere stay unchanged.
 */
export function impitFailure(error: unknown, url: URL): Error {
  if (error instanceof Error && isMistake(error)) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const kind = impitErrorKinds.find(({ pattern }) => pattern.test(text));
  const message = summary(text);
  if (kind?.code === 'DECOMPRESSION') {
    return new PagewrightError(
      'DECOMPRESSION',
      `The encoded data of ${url.href} is damaged (${message}). Request it unencoded with headers: { 'accept-encoding': 'identity' }.`,
      { url: url.href, cause: error },
    );
  }
  return Object.assign(new Error(message, { cause: error }), { code: kind?.code ?? 'ECONNRESET' });
}

/** impit reports library errors as text. The first match counts. */
const impitErrorKinds: readonly { readonly pattern: RegExp; readonly code: string }[] = [
  { pattern: /Too many open files|os error 2[34]\b/, code: 'EMFILE' },
  { pattern: /^LocalProtocolError|^InvalidURL/, code: 'ERR_INVALID_CHAR' },
  { pattern: /Parse\(\s*TooLarge/, code: 'HPE_HEADER_OVERFLOW' },
  { pattern: /hyper::Error\(\s*(?:Parse|UnexpectedMessage)/, code: 'HPE_INVALID_CONSTANT' },
  { pattern: /hyper::Error\(\s*Body.*chunk/is, code: 'HPE_INVALID_CHUNK_SIZE' },
  { pattern: /hyper::Error\(\s*Body/, code: 'ECONNRESET' },
  {
    pattern: /IncompleteBody|UnexpectedEof|IncompleteMessage|code: 104|BrokenPipe/,
    code: 'ECONNRESET',
  },
  { pattern: /Certificate|UnknownIssuer|NotValidFor/, code: 'ERR_TLS_CERTIFICATE' },
  { pattern: /AlertReceived|HandshakeFailure|InvalidContentType|rustls|tls/i, code: 'EPROTO' },
  { pattern: /kind: Decode/, code: 'DECOMPRESSION' },
  { pattern: /ConnectionRefused|code: 111/, code: 'ECONNREFUSED' },
  { pattern: /^\w*Timeout/, code: 'ETIMEDOUT' },
];

function summary(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}
