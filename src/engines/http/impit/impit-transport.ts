/** Requests over impit, a native client with the TLS and HTTP/2 of a browser. */
import type { Browser } from 'impit';
import { PagewrightError } from '../../../errors.ts';
import { withSignal } from '../../../network/deadline.ts';
import type { NetworkPolicy } from '../../../network/policy.ts';
import { openGate } from '../../gate.ts';
import { IdlePool } from '../idle-pool.ts';
import { impitExchange, type ImpitVisit, NoImpitAnswer } from './impit-exchange.ts';
import { impitMissing } from './impit-failure.ts';
import type { Transport, TransportRequest, TransportResult } from '../transport.ts';
import { type Visitor, Visitors } from '../visitors.ts';

/**
 * A transport over impit, whose sockets go through a gate of ours: the policy holds, and TLS stays
 * impit's own. What impit keeps from us:
 *
 * - it decodes bodies itself: one that is wrongly called encoded is `DECOMPRESSION`, and bytes are
 *   counted at the gate, headers and encryption included;
 * - an HTTP/2 stream that the server cancels ends like a complete one, but for its Content-Length;
 * - several Location headers are one to it, and nothing is told about a bad certificate that was accepted;
 * - response headers are read up to 400 KB over TLS before the limit is applied.
 */
export function impitTransport(policy: NetworkPolicy): Transport {
  const idle = new IdlePool<ImpitVisit>();
  const open = new Set<ImpitVisit>();
  const visitors = new Visitors(drawBrowser);
  // An impit takes memory that comes back late, so that it is handed on to the next visitor with the
  // same browser; the connections are not.
  let isClosed = false;

  const openVisit = async (
    request: TransportRequest,
    { key: visitorKey, identity: browser }: Visitor<Browser>,
  ): Promise<ImpitVisit> => {
    const { route, headerBytes, skipTlsVerification, url, signal } = request;
    const { Impit } = await import('impit').catch((error: unknown) => {
      throw impitMissing(error);
    });
    let failure: Error | undefined;
    const onFailure = (error: Error): void => void (failure ??= error);
    const gate = await openGate({ policy, route, headerBytes, onFailure });
    const options = {
      browser,
      proxyUrl: gate.url,
      ignoreTlsErrors: skipTlsVerification,
      followRedirects: false,
      timeout: noTimeout,
    };
    let impit: InstanceType<typeof Impit>;
    try {
      impit = new Impit(options);
    } catch (error) {
      await gate.close();
      throw error;
    }
    const visit: ImpitVisit = {
      impit,
      gate,
      visitorKey,
      isOpen: true,
      takeFailure: () => {
        const taken = failure;
        failure = undefined;
        return taken;
      },
      destroy: () => {
        open.delete(visit);
        void gate.close();
      },
    };
    open.add(visit);
    if (isClosed || signal.aborted) {
      visit.destroy();
      throw isClosed ? closed(url) : signal.reason;
    }
    return visit;
  };

  return {
    async send(request) {
      const { signal, route, skipTlsVerification, headerBytes, visitor } = request;
      signal.throwIfAborted();
      const known = visitors.of(visitor);
      const { key: visitorKey, identity } = known;
      const key = [identity, skipTlsVerification, headerBytes, route?.url, route?.dns].join(' ');
      const ask = async (
        kept: ImpitVisit | undefined,
        requests: number,
      ): Promise<TransportResult> => {
        const visit = kept ?? (await withSignal(openVisit(request, known), signal));
        const sent = await impitExchange(visit, request, () => idle.keep(key, visit));
        return { ...sent, requests, certificateError: undefined };
      };
      const reused = idle.take(key, (visit) => visit.visitorKey === visitorKey) ?? idle.take(key);
      const isOthers = reused?.visitorKey !== visitorKey;
      if (reused !== undefined && (isOthers || request.freshConnection === true)) {
        reused.gate.disconnect();
        reused.visitorKey = visitorKey;
      }
      try {
        return await ask(reused, 1);
      } catch (error) {
        if (!(error instanceof NoImpitAnswer)) throw error;
        if (isClosed) throw closed(request.url);
        if (reused === undefined || !isReset(error.cause)) throw error.cause;
        return await ask(undefined, 2).catch((again: unknown) => {
          throw again instanceof NoImpitAnswer ? again.cause : again;
        });
      }
    },
    async close() {
      isClosed = true;
      idle.clear();
      await Promise.all(
        [...open].map((visit) => {
          visit.destroy();
          return visit.gate.close();
        }),
      );
    },
  };
}

/** Browsers of the last years that impit can be. */
const browsers: readonly Browser[] = ['chrome151', 'chrome142', 'firefox144', 'firefox135'];

function drawBrowser(): Browser {
  return browsers[Math.floor(Math.random() * browsers.length)] ?? 'chrome151';
}

function isReset(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET';
}

/** Milliseconds; the signal of the request ends it sooner. */
const noTimeout = 2 ** 31 - 1;

function closed({ href }: URL): PagewrightError {
  return new PagewrightError(
    'CANCELLED',
    `The client is closed and cannot fetch ${href}. Make a new one.`,
  );
}
