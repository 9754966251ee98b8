/** Delivers the events of one job to its webhook, one after the other. */
import { setMaxListeners } from 'node:events';
import type { Poster } from '../engines/http/post.ts';
import { type ErrorCode, messageOf, PagewrightError } from '../errors.ts';
import type { UndeliveredEvent, WebhookSettings } from '../model/webhook.ts';
import { withSignal } from '../network/deadline.ts';
import {
  type JobEventPayload,
  typeOf,
  webhookIdOf,
  type WebhookSender,
  writeMessage,
} from './webhook-message.ts';
import { type DeliveryTimes, deliveryTimes, WebhookReceiver } from './webhook-receiver.ts';

/** Settings of an outbox. */
export interface WebhookOutboxSettings extends WebhookSender {
  readonly webhook: WebhookSettings;
  /** The poster, which the outbox closes at the end. */
  readonly poster: Poster;
  /** The client's signal: after it has aborted, little time is left. */
  readonly clientSignal: AbortSignal;
  /** @default deliveryTimes */
  readonly times?: DeliveryTimes;
}

/**
 * The job never waits for the outbox. An event is sent when the event before was delivered or given up,
 * and its data is read then. After a given-up event, each event has one attempt; after three in a row the
 * receiver is down, and events are given up unsent, except for occasional probes and the job's last event.
 */
export class WebhookOutbox {
  readonly #setting: WebhookOutboxSettings;
  readonly #times: DeliveryTimes;
  readonly #receiver: WebhookReceiver;
  readonly #undelivered: UndeliveredEvent[] = [];
  readonly #hurry = new AbortController();
  readonly #halt = new AbortController();
  readonly #close = (): void => {
    this.#hurry.abort();
    this.#haltIn(this.#times.afterClose, 'CANCELLED', 'The client was closed before it was taken.');
  };
  #limit: NodeJS.Timeout | undefined;
  #number = 0;
  #hasEnded = false;
  #waiting = 0;
  #previous: Promise<void> = Promise.resolve();
  #finish: () => void = () => undefined;
  /** Resolves when the job has ended and no delivery is left. */
  readonly finished: Promise<void> = new Promise((resolve) => (this.#finish = resolve));

  constructor(setting: WebhookOutboxSettings) {
    this.#setting = setting;
    this.#times = setting.times ?? deliveryTimes;
    this.#receiver = new WebhookReceiver(new URL(setting.webhook.url), setting.poster, this.#times);
    const { clientSignal } = setting;
    setMaxListeners(0, clientSignal);
    if (clientSignal.aborted) this.#close();
    else clientSignal.addEventListener('abort', this.#close, { once: true });
  }

  /** Takes an event; `completed` or `failed` is the last one, later ones are ignored. */
  add(news: JobEventPayload): void {
    if (this.#hasEnded) return;
    const { webhook, jobId } = this.#setting;
    const number = this.#number++;
    // A job that failed may be resumed: its next event then has this number.
    const webhookId = webhookIdOf(jobId, news.event === 'failed' ? `${number} failed` : number);
    if (webhook.events.has(news.event)) {
      this.#waiting += 1;
      if (this.#waiting > mostWaiting && !isEnd(news)) this.#giveUp(news, webhookId, tooMany);
      else this.#previous = this.#previous.then(() => this.#deliver(news, webhookId));
    }
    this.#hasEnded = isEnd(news);
    if (this.#hasEnded) void this.#end();
  }

  /** Counts an event that an earlier process sent, such as the start, so that later events keep their ids. */
  passed(): void {
    this.#number += 1;
  }

  /** Events not delivered so far. */
  undelivered(): UndeliveredEvent[] {
    return [...this.#undelivered];
  }

  /** A sentence about undelivered events; undefined when there are none. */
  get warning(): string | undefined {
    const [first] = this.#undelivered;
    if (first === undefined) return undefined;
    const { host } = new URL(this.#setting.webhook.url);
    return `Webhook events did not reach ${host}, see job.undelivered(). The first: ${first.error}`;
  }

  /** Delivers one event; never rejects. */
  async #deliver(news: JobEventPayload, webhookId: string): Promise<void> {
    const [halt, hurry] = [this.#halt.signal, this.#hurry.signal];
    const down = isEnd(news) ? undefined : this.#receiver.down;
    if (down !== undefined) {
      const error = `Not sent, because the receiver is down: ${down.error}`;
      return this.#giveUp(news, webhookId, { code: down.code, error });
    }
    try {
      const message = await withSignal(writeMessage(this.#setting, news, webhookId), halt);
      const { attempts, failed } = await this.#receiver.send(message, { halt, hurry });
      if (failed === undefined) this.#waiting -= 1;
      else this.#giveUp(news, webhookId, failed, attempts);
    } catch (error) {
      this.#giveUp(news, webhookId, asReason(error));
    }
  }

  #giveUp(
    news: JobEventPayload,
    webhookId: string,
    { code, error }: UndeliveredReason,
    attempts = 0,
  ): void {
    this.#waiting -= 1;
    const page = news.url === undefined ? {} : { url: news.url };
    this.#undelivered.push({
      webhookId,
      type: typeOf(this.#setting, news),
      ...page,
      code,
      error,
      attempts,
    });
  }

  async #end(): Promise<void> {
    if (!this.#hurry.signal.aborted) {
      const { afterEnd } = this.#times;
      this.#haltIn(afterEnd, 'TIMEOUT', `Not taken within ${afterEnd} ms after the job's end.`);
    }
    await this.#previous;
    clearTimeout(this.#limit);
    this.#setting.clientSignal.removeEventListener('abort', this.#close);
    await this.#setting.poster.close().catch(() => undefined);
    this.#finish();
  }

  #haltIn(time: number, code: ErrorCode, message: string): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => {
      this.#halt.abort(new PagewrightError(code, message));
      this.#hurry.abort();
    }, time).unref();
  }
}

type UndeliveredReason = Pick<UndeliveredEvent, 'code' | 'error'>;

/** Waiting events at most, so that a receiver slower than the job does not fill the memory. */
const mostWaiting = 100_000;

const tooMany: UndeliveredReason = {
  code: 'WEBHOOK_FAILED',
  error: `Not sent, because ${mostWaiting} events are waiting: the receiver is too slow.`,
};

function isEnd({ event }: JobEventPayload): boolean {
  return event === 'completed' || event === 'failed';
}

function asReason(error: unknown): UndeliveredReason {
  if (error instanceof PagewrightError) return { code: error.code, error: error.message };
  return { code: 'HOOK_FAILED', error: `It cannot be written as JSON: ${messageOf(error)}` };
}
