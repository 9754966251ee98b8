/** A server that answers with exactly the bytes it is given, and an engine that may only ask it. */
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import type { Engine } from '../../src/core/model/engine.ts';
import { httpEngine } from '../../src/core/http/http-engine.ts';
import { PagewrightError } from '../../src/core/runtime/errors.ts';
import type { Snapshot } from '../../src/core/model/snapshot.ts';
import { startDeadline } from '../../src/core/runtime/deadline.ts';
import { defaultLimits } from '../../src/core/model/limits.ts';
import { createNetworkPolicy, type NetworkPolicy } from '../../src/core/http/network/policy.ts';

/** What the server does with a request. */
export interface Answer {
  /** Written one after the other, each in a packet of its own where that is possible. */
  readonly packets: readonly Buffer[];
  /** `stay` leaves the connection open and silent. */
  readonly then: 'end' | 'reset' | 'stay';
}

/** What became of one fetch. */
export interface Outcome {
  readonly snapshot?: Snapshot;
  readonly error?: unknown;
  /** Milliseconds. */
  readonly time: number;
}

/** How one fetch is limited. */
export interface FetchLimits {
  /** Milliseconds. @default generous */
  readonly timeout?: number;
  readonly bodyBytes?: number;
}

/** Milliseconds that are enough on any machine. */
export const generous = 5_000;

/** Starts the server, once for a file; it ends with the file's tests. */
export async function startRawServer(): Promise<RawServer> {
  const server = new RawServer();
  await server.listen();
  afterAll(() => server.close());
  return server;
}

class RawServer {
  readonly #sockets = new Set<Socket>();
  #answer: Answer = { packets: [], then: 'end' };
  readonly #server = net.createServer({ noDelay: true }, (socket) => {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!received.endsWith('\r\n\r\n')) return;
      received = '';
      void this.#reply(socket);
    });
  });

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /**
   * Fetches the answer with an engine of its own; rejects when that leaves a socket open. Throws
   * nothing for what the fetch does: that is the outcome.
   */
  async fetch(answer: Answer, limits: FetchLimits = {}): Promise<Outcome> {
    this.#answer = answer;
    const engine = httpEngine(this.#policy(), 'fuzz/1.0');
    const start = performance.now();
    const outcome = await this.#ask(engine, limits);
    const time = performance.now() - start;
    await engine.dispose?.();
    await this.#untilQuiet();
    return { ...outcome, time };
  }

  async #ask(
    engine: Engine,
    { timeout = generous, bodyBytes = defaultLimits.bodyBytes }: FetchLimits,
  ): Promise<Omit<Outcome, 'time'>> {
    using deadline = startDeadline(timeout, [], 'The fetch');
    const { signal } = deadline;
    const limits = { ...defaultLimits, bodyBytes };
    const request = { headers: {}, skipTlsVerification: true, limits, rendering: {}, signal };
    try {
      return { snapshot: await engine.fetch({ ...request, url: `${this.origin}/` }) };
    } catch (error) {
      return { error };
    }
  }

  async #reply(socket: Socket): Promise<void> {
    const { packets, then } = this.#answer;
    for (const packet of packets) {
      if (socket.destroyed) return;
      socket.write(packet);
      if (packets.length > 1) await new Promise((resolve) => setImmediate(resolve));
    }
    if (then === 'end') socket.end();
    else if (then === 'reset') socket.resetAndDestroy();
  }

  /** No redirect that damage has made leads anywhere else. */
  #policy(): NetworkPolicy {
    const { host } = new URL(this.origin);
    return {
      ...createNetworkPolicy({ allow: ['127.0.0.1'] }),
      check: (url) => {
        if (url.host !== host) throw new PagewrightError('BLOCKED_ADDRESS', 'not this server');
      },
    };
  }

  /** The engine is gone, so its sockets are. */
  async #untilQuiet(): Promise<void> {
    const start = performance.now();
    while (this.#sockets.size > 0) {
      if (performance.now() - start > 2_000) throw new Error('The engine left a socket open.');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
