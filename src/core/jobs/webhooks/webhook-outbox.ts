/** Delivers the events of one job to its webhook, one after the other. */
import { setMaxListeners } from 'node:events';
import type { PostClient } from '../../http/post.ts';
import { type ErrorCode, messageOf, PagewrightError } from '../../runtime/errors.ts';
import type { UndeliveredEvent, WebhookSettings } from '../../model/webhook.ts';
import { withSignal } from '../../runtime/deadline.ts';
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
  readonly poster: PostClient;
  /** The client's signal: after it has aborted, little time is left. */
  readonly clientSignal: AbortSignal;
  /** True for a job that other processes continue by themselves: the receiver is not notified when one leaves it. */
  readonly isHandedOver?: boolean;
  /** Called for each event that is given up. */
  readonly onUndelivered?: (event: UndeliveredEvent) => void;
  /** @default deliveryTimes */
  readonly times?: DeliveryTimes;
}

/** Events that were not delivered when their job ended, to be stored. */
export interface UnsentEvents {
  /** By their numbers. Their data is to be read again. */
  readonly waiting: readonly (readonly [number, JobEventPayload])[];
  /** The number of the job's last event, which comes after them. */
  readonly end: number;
}

/**
 * The job never waits for the outbox. An event is sent once the previous one was delivered or given up, and its data is
 * read then. After a given-up event, each event has one attempt; after three in a row the receiver is down, and events
 * are given up unsent, except for occasional probes and the job's last event.
 */
export class WebhookOutbox {
  readonly #setting: WebhookOutboxSettings;
  readonly #times: DeliveryTimes;
  readonly #receiver: WebhookReceiver;
  readonly #undelivered: UndeliveredEvent[] = [];
  readonly #hurry = new AbortController();
  readonly #halt = new AbortController();
  readonly #close = (): void => {
    this.#isClosing = true;
    this.#hurry.abort();
    this.#haltIn(this.#times.afterClose, 'CANCELLED', 'The client was closed before it was taken.');
  };
  #limit: NodeJS.Timeout | undefined;
  #number = 0;
  /** Events before it were delivered by an earlier process of the job. */
  #first = 0;
  /** Numbers of events that ended the job before its failed pages were retried. */
  #ends: readonly number[] = [];
  /** Events delivered, given up or not wanted, without a gap from the first event on. */
  #position = 0;
  #store: ((position: number) => Promise<void>) | undefined;
  #confirm: (() => Promise<void>) | undefined;
  #hasEnded = false;
  #isClosing = false;
  /** True when the process that resumes the job sends the events that wait. */
  #isLeft = false;
  readonly #waiting = new Map<number, JobEventPayload>();
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

  /** Accepts an event; `completed` or `failed` is the last one, later ones are ignored. */
  add(news: JobEventPayload): void {
    if (this.#hasEnded) return;
    while (this.#ends.includes(this.#number)) this.passed();
    const number = this.#number;
    if (number < this.#first && !isEnd(news)) this.#number += 1;
    else if (!this.#setting.webhook.events.has(news.event)) this.passed();
    else {
      this.#number += 1;
      this.#waiting.set(number, news);
      if (this.#waiting.size > mostWaiting && !isEnd(news)) this.#giveUp(number, news, tooMany);
      else this.#previous = this.#previous.then(() => this.#deliver(number, news));
    }
    this.#hasEnded = isEnd(news);
    if (this.#hasEnded) void this.#end();
  }

  /**
   * Counts the events before `number` as sent by an earlier process, so that later events keep their ids.
   *
   * @default one event
   */
  passed(number: number = this.#number + 1): void {
    this.#number = number;
    this.#previous = this.#previous.then(() => {
      if (!this.#isLeft && number > this.#position) void this.#advance(number);
    });
  }

  /**
   * Stores the position from now on: the number of events that need not be sent again. The next event is sent when it
   * is stored, so that a killed process had at most one event in flight. `confirm` is called before an event is sent;
   * it rejects when another process sends the events.
   */
  storePosition(store: (position: number) => Promise<void>, confirm?: () => Promise<void>): void {
    this.#store = store;
    this.#confirm = confirm;
    void store(this.#position);
  }

  /** Events before `position` that are added from now on are counted, and not sent. */
  startAt(position: number): void {
    this.#first = this.#position = position;
  }

  /** Leaves out numbers: their events are not sent again, because the job continues. */
  leaveOut(ends: readonly number[]): void {
    this.#ends = ends;
  }

  /** Sends the events from here on: they differ from the events that the earlier process sent. */
  startHere(): void {
    if (this.#number >= this.#first) return;
    this.startAt(this.#number);
    void this.#advance(this.#number);
  }

  /** The number of the next event. */
  get next(): number {
    return this.#number;
  }

  /** The events that wait, when the end of the job is the next event. */
  get unsent(): UnsentEvents {
    const waiting = [...this.#waiting].map(([number, { read: _, ...news }]) => {
      return [number, news] as const;
    });
    return { waiting, end: this.#number };
  }

  /**
   * Leaves waiting events to the process that resumes the job. Resolves when the event in flight is accepted or fails,
   * after a few seconds at most.
   */
  async leave(): Promise<void> {
    this.#isLeft = true;
    this.#hurry.abort();
    const stop = (): void => this.#halt.abort(new PagewrightError('CANCELLED', leftUnsent));
    const limit = setTimeout(stop, this.#times.afterLeave);
    await this.#previous;
    clearTimeout(limit);
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
  async #deliver(number: number, news: JobEventPayload): Promise<void> {
    const { attempts, failed } = await this.#attempt(number, news);
    if (failed === undefined) this.#waiting.delete(number);
    else this.#giveUp(number, news, failed, attempts);
    // A closed client gives up no event that another process may send.
    this.#isLeft ||= failed !== undefined && this.#isClosing && this.#store !== undefined;
    // The end of a job that is resumed is the end of one process only.
    const isDone = this.#isLeft ? failed === undefined && !isEnd(news) : true;
    const stored = isDone ? this.#advance(number + 1) : undefined;
    if (attempts > 0) await stored;
  }

  async #attempt(number: number, news: JobEventPayload): Promise<DeliveryAttempt> {
    const [halt, hurry] = [this.#halt.signal, this.#hurry.signal];
    if (this.#isLeft && (news.event !== 'failed' || this.#setting.isHandedOver === true)) {
      return { attempts: 0, failed: { code: 'CANCELLED', error: leftUnsent } };
    }
    const down = isEnd(news) ? undefined : this.#receiver.down;
    if (down !== undefined) {
      const error = `Not sent, because the receiver is down: ${down.message}`;
      return { attempts: 0, failed: { code: down.code, error } };
    }
    try {
      const webhookId = this.#idOf(number, news);
      const message = await withSignal(writeMessage(this.#setting, news, webhookId), halt);
      const signals = { halt, hurry, confirm: () => this.#mayGoOn() };
      const { attempts, failed } = await this.#receiver.send(message, signals);
      return { attempts, failed: failed && asReason(failed) };
    } catch (error) {
      return { attempts: 0, failed: asReason(error) };
    }
  }

  async #mayGoOn(): Promise<void> {
    try {
      await this.#confirm?.();
    } catch (error) {
      this.#isLeft = true;
      throw error;
    }
  }

  async #advance(position: number): Promise<void> {
    this.#position = position;
    await this.#store?.(position);
  }

  #idOf(number: number, { event }: JobEventPayload): string {
    // A job that failed may be resumed: its next event then has this number.
    return webhookIdOf(this.#setting.jobId, event === 'failed' ? `${number} failed` : number);
  }

  #giveUp(
    number: number,
    news: JobEventPayload,
    { code, error }: UndeliveredReason,
    attempts = 0,
  ): void {
    this.#waiting.delete(number);
    const page = news.url === undefined ? {} : { url: news.url };
    const type = typeOf(this.#setting, news);
    const event = { webhookId: this.#idOf(number, news), type, ...page, code, error, attempts };
    this.#undelivered.push(event);
    this.#setting.onUndelivered?.(event);
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

/** `failed` is undefined for an event that was delivered. */
interface DeliveryAttempt {
  readonly attempts: number;
  readonly failed: UndeliveredReason | undefined;
}

const leftUnsent = 'The job was left before it was taken: client.jobs.resume() sends it.';

const mostWaiting = 100_000; // events, so that a slow receiver does not fill the memory

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
