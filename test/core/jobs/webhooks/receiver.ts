/** A receiver on this machine, and an outbox that sends to it in a hurry. */
import { createHmac } from 'node:crypto';
import { openPoster } from '../../../../src/core/http/post.ts';
import type {
  UndeliveredEvent,
  WebhookBody,
  WebhookSettings,
} from '../../../../src/core/model/webhook.ts';
import {
  createNetworkPolicy,
  type NetworkConfig,
} from '../../../../src/core/http/network/policy.ts';
import {
  type Behaviour,
  type FixtureServer,
  serve,
} from '../../../../src/entries/testing/index.ts';
import {
  type DeliveryTimes,
  deliveryTimes,
} from '../../../../src/core/jobs/webhooks/webhook-receiver.ts';
import { WebhookOutbox } from '../../../../src/core/jobs/webhooks/webhook-outbox.ts';

/** What a receiver answers to the attempts one after the other; the last one again and again. */
export type Answer = number | Behaviour;

export interface Receiver extends AsyncDisposable {
  readonly server: FixtureServer;
  readonly url: string;
  /** All attempts, in order of arrival. */
  readonly bodies: () => WebhookBody[];
}

/** Answers a status, or misbehaves. */
export async function receiver(answers: readonly Answer[] = [200]): Promise<Receiver> {
  let attempt = 0;
  const answer: Behaviour = async (exchange) => {
    const now = answers[Math.min(attempt++, answers.length - 1)] ?? 200;
    if (typeof now === 'function') await now(exchange);
    else exchange.response.writeHead(now, { location: '/elsewhere' }).end('thanks');
  };
  const server = await serve({}, { behaviours: { '*': answer } });
  return {
    server,
    url: server.url('/hook?token=t0ken'),
    bodies: () => server.log.map(({ body }) => JSON.parse(Buffer.from(body).toString())),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The times of a test: nothing waits long. */
const hurried: DeliveryTimes = {
  ...deliveryTimes,
  gaps: [10, 10, 10, 10],
  longestPause: 20,
  probeGap: 600_000,
};

export interface OutboxOptions {
  readonly url: string;
  readonly webhook?: Partial<WebhookSettings>;
  readonly times?: Partial<DeliveryTimes>;
  readonly network?: NetworkConfig;
  readonly clientSignal?: AbortSignal;
  readonly jobId?: string;
}

export function openOutbox(options: OutboxOptions): WebhookOutbox {
  const { url, webhook, times, network = { allow: ['127.0.0.1'] }, jobId = 'job-1' } = options;
  return new WebhookOutbox({
    source: 'crawl',
    jobId,
    webhook: {
      url,
      headers: {},
      metadata: {},
      events: new Set(['started', 'page', 'completed', 'failed']),
      secret: undefined,
      ...webhook,
    },
    poster: openPoster({ policy: createNetworkPolicy(network), userAgent: 'test/1' }),
    clientSignal: options.clientSignal ?? new AbortController().signal,
    times: { ...hurried, ...times },
  });
}

/** A page of a job, read when it is its turn. */
export function addPage(outbox: WebhookOutbox, number: number): void {
  const url = `http://site.test/${number}`;
  outbox.add({ event: 'page', url, read: () => [{ markdown: `page ${number}` }] });
}

export function signature(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** `page http://site.test/3` for each. */
export function named(events: readonly Pick<UndeliveredEvent, 'type' | 'url'>[]): string[] {
  return events.map(({ type, url }) => (url === undefined ? type : `${type} ${url}`));
}
