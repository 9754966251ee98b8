/** A monitor: rounds at their time, in one process at a time, and their digests for loops and the webhook. */
import { setMaxListeners } from 'node:events';
import { namesCallers } from '../../core/runtime/call-site.ts';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { isStoreError } from '../../core/jobs/durable/job-store.ts';
import { isLeased, Lease, LeaseWatch } from '../../core/jobs/durable/lease.ts';
import {
  optionsToResume,
  optionsToSeal,
  optionsToStore,
  type StoredOptions,
} from '../../core/jobs/durable/stored-options.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import { cancellation, withSignal } from '../../core/runtime/deadline.ts';
import {
  type MonitorOptions,
  type MonitorSettings,
  withPlainSchemas,
} from '../../core/options/monitor-options.ts';
import type { ClientParts } from '../../parts.ts';
import { DigestSender } from './digest-sender.ts';
import type { MonitorDigest } from './digest.ts';
import {
  type BegunRound,
  storedDigests,
  type MonitorState,
  MonitorStore,
  type PageState,
  unknownMonitor,
} from './monitor-store.ts';
import type { MonitorJobs, RoundSetting } from './run-round.ts';
import { afterRound, dueAt, nextRoundAt } from './schedule.ts';
import { isoTime } from '../../core/runtime/clock.ts';

const delays = {
  clock: 500, // milliseconds between two checks of the clock
  store: 2000, // milliseconds between two checks of the store, for rounds of other processes
  recovery: 15_000, // milliseconds after a failure of the store before the next attempt
};

/** The client's part of a monitor. */
export interface MonitorSetting {
  readonly id: string;
  /** The caller's options; undefined for a monitor that is only opened again. */
  readonly options: MonitorOptions | undefined;
  readonly parts: ClientParts;
  readonly jobs: MonitorJobs;
  /** Checks options; throws as `client.monitor()` does. */
  readonly parse: (options: unknown) => MonitorSettings;
}

/** A monitor now. Times are ISO 8601. */
export interface MonitorStatus {
  readonly id: string;
  readonly targets: readonly {
    readonly url: string;
    readonly isSite: boolean;
    /** Milliseconds between two looks; absent where only `check()` looks. */
    readonly every?: number;
    /** Absent where only `check()` looks. */
    readonly nextAt?: string;
  }[];
  /** Rounds that have ended. */
  readonly rounds: number;
  /** True while a round is under way, in whichever process. */
  readonly isRunning: boolean;
  readonly lastAt?: string;
  readonly nextAt?: string;
  /** Pages that could not be read in the last round, or are missing. */
  readonly failing: readonly string[];
  /** Pages that are counted and not reported. */
  readonly volatile: readonly string[];
  /** Digests that wait for the webhook. */
  readonly undelivered: number;
}

/**
 * Watches pages and sites from the moment it is made. A loop over it gets the digests with news, in every process
 * the next one that no loop has finished, and keeps the process alive; without a loop nothing does. Rounds never
 * overlap: one process at a time runs them, another takes over if it dies, and a round that was missed is made up
 * for once.
 *
 * @example
 * await using monitor = client.monitor({ targets: ['https://example.com/prices'], every: '1h' });
 * for await (const { summary } of monitor) console.log(summary);
 */
export class Monitor implements AsyncIterable<MonitorDigest>, AsyncDisposable {
  static {
    namesCallers(this);
  }

  readonly id: string;
  readonly #setting: MonitorSetting;
  readonly #stop = new AbortController();
  readonly #store: MonitorStore;
  readonly #watch: LeaseWatch;
  readonly #sender: DigestSender;
  readonly #ended: Promise<void>;
  #opened: Promise<void> = Promise.resolve();
  /** Opens the monitor again, after the store has failed. */
  #reopen: (() => void) | undefined;
  /** The options given to this process, and their stored form. */
  #given: { readonly settings: MonitorSettings; readonly stored: StoredOptions } | undefined;
  /** Callers that wait for a round. */
  #checks: WaitingCheck[] = [];
  #working: Promise<unknown> = Promise.resolve();
  #readers = 0;
  /** Ended rounds that this process knows of. */
  #rounds = 0;
  readonly #waiting = new Set<() => void>();
  /** The time of the next round, by the client's clock. */
  #nextAt = -Infinity;
  #lookedAt = -Infinity;
  #restUntil = -Infinity;
  #warned = '';
  /** Ends the pause between two checks of the clock. */
  #resume: () => void = () => undefined;
  #isWoken = false;

  constructor(setting: MonitorSetting) {
    const { id, parts, options } = setting;
    this.id = id;
    this.#setting = setting;
    this.#store = new MonitorStore(parts.store, id);
    this.#watch = new LeaseWatch(this.#store.values);
    this.#sender = new DigestSender(id, parts);
    this.#signal.addEventListener('abort', () => this.#wake());
    this.#stopWith(parts.signal);
    this.#openSoon(options);
    this.#ended = this.#run();
  }

  get #signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** True once it was stopped in this process. */
  get isStopped(): boolean {
    return this.#signal.aborted;
  }

  /** Gives the monitor other options, from the next round on. Targets that stay keep their versions. */
  change(options: MonitorOptions): void {
    this.#openSoon(options);
    this.#nextAt = -Infinity;
    this.#wake();
  }

  /**
   * Runs a round over all targets now and gives its digest, also one without news. Rejects with `CANCELLED` when the
   * monitor stops or `signal` aborts, and with `STORAGE`.
   */
  async check(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<MonitorDigest> {
    this.#signal.throwIfAborted();
    const { signal = new AbortController().signal } = options;
    let check: WaitingCheck | undefined;
    try {
      signal.throwIfAborted();
      const digest = new Promise<MonitorDigest>((resolve, reject) => {
        check = { resolve, reject };
        this.#checks.push(check);
      });
      this.#restUntil = -Infinity;
      this.#wake();
      return await withSignal(digest, signal);
    } catch (error) {
      // A round that has not begun is no longer needed.
      this.#checks = this.#checks.filter((one) => one !== check);
      throw signal.aborted ? cancellation(signal, `A check of monitor ${this.id}`) : error;
    }
  }

  /** Reads the state from the storage. Rejects with `JOB_NOT_FOUND` for an unknown id, and with `STORAGE`. */
  async status(): Promise<MonitorStatus> {
    await this.#opened;
    const { targets, volatileAfter, webhook } = await this.#settings();
    const state = await this.#store.readState();
    const pages = Object.values(state.pages).flatMap((of) => Object.entries(of));
    const urlsOf = (has: (page: PageState) => boolean): string[] => [
      ...new Set(pages.flatMap(([url, page]) => (has(page) ? [url] : []))),
    ];
    const next = (time: number): { readonly nextAt?: string } =>
      time === Infinity ? {} : { nextAt: isoTime(Math.max(time, state.lastAt ?? this.#now())) };
    return {
      id: this.id,
      targets: targets.map((target) => {
        const { url, isSite, every } = target;
        const interval = every === undefined ? {} : { every };
        return { url, isSite, ...interval, ...next(dueAt(target, state)) };
      }),
      rounds: state.rounds,
      isRunning: state.begun !== undefined && (await this.#watch.isHeld()),
      ...(state.lastAt === undefined ? {} : { lastAt: isoTime(state.lastAt) }),
      ...next(nextRoundAt(targets, state)),
      failing: urlsOf(({ failures }) => failures !== undefined),
      volatile: urlsOf(({ changes = 0 }) => changes >= volatileAfter),
      undelivered: webhook === undefined ? 0 : state.rounds - state.delivered,
    };
  }

  /** Resolves when no round and no delivery to the webhook is under way in this process; never rejects. */
  async settled(): Promise<void> {
    await this.#working;
  }

  /**
   * Stops it in this process: loops end, and a round under way is left to be finished by the next process that
   * opens the monitor. It stays in the storage: `client.monitors.remove(id)` removes it.
   */
  async stop(): Promise<void> {
    this.#stop.abort(new PagewrightError('CANCELLED', `Monitor ${this.id} was stopped.`));
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * Digests with news, or all with `notifyUnchanged`. A digest whose loop body did not finish is given again. Rejects
   * with `JOB_NOT_FOUND` when another process removes the monitor.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<MonitorDigest, void, undefined> {
    this.#readers += 1;
    this.#wake();
    try {
      await this.#opened;
      let position = await this.#store.position();
      while (!this.isStopped) {
        const { rounds } = await this.#store.readState();
        // A monitor that was removed may have left its position.
        position = Math.min(position, rounds);
        for (position = Math.max(position, rounds - storedDigests); position < rounds;) {
          const digest = await this.#store.digest(position + 1);
          if (digest !== undefined && isNotified(digest, await this.#settings())) yield digest;
          position += 1;
          const isThere = (await this.#store.readOptions()) !== undefined;
          if (isThere) await this.#store.writePosition(position);
          if (this.#signal.aborted) return;
        }
        await this.#roundAfter(rounds);
      }
      const reason: unknown = this.#signal.reason;
      if (await this.#isRemoved(reason)) throw reason;
    } catch (error) {
      if (!this.isStopped || (await this.#isRemoved(error))) throw error;
    } finally {
      this.#readers -= 1;
    }
  }

  // The rounds.

  /** Never rejects. */
  async #run(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.#tick();
      } catch (error) {
        if (await this.#isRemoved(error)) this.#stop.abort(error);
        if (this.#signal.aborted) break;
        this.#restUntil = performance.now() + delays.recovery;
        for (const { reject } of this.#checks.splice(0)) reject(error);
        this.#warn(`Monitor ${this.id}: ${messageOf(error)}`);
      }
      await this.#pause();
    }
    for (const { reject } of this.#checks.splice(0)) reject(this.#signal.reason);
    await this.#sender.close();
    this.#wakeReaders();
  }

  /** True for the error of a monitor that existed, and that another process removed. */
  async #isRemoved(error: unknown): Promise<boolean> {
    if (!(error instanceof PagewrightError) || error.code !== 'JOB_NOT_FOUND') return false;
    return this.#opened.then(
      () => true,
      () => false,
    );
  }

  async #tick(): Promise<void> {
    const now = performance.now();
    const isWanted = this.#checks.length > 0;
    if (now < this.#restUntil) return;
    this.#reopen?.();
    await this.#opened;
    if (!isWanted && this.#now() < this.#nextAt) {
      if (this.#readers === 0 || now - this.#lookedAt < delays.store) return;
    }
    this.#lookedAt = now;
    const settings = await this.#settings();
    const state = await this.#store.readState();
    this.#noteState(state, settings);
    if (!isWanted && this.#now() < this.#nextAt) return;
    // The lease of a new monitor is free.
    if ((await this.#watch.isHeld()) && !this.#watch.isUntaken) return;
    const work = this.#holdLease((store, signal) => this.#round(settings, store, signal));
    this.#working = work.catch(() => undefined);
    await work;
  }

  /** Runs `work` while this process has the lease; does nothing if another one was faster. */
  async #holdLease(
    work: (store: MonitorStore, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const lost = new AbortController();
    const lease = new Lease(this.#store.values, this.id, (cause) => {
      const message = `Another process took over monitor ${this.id}.`;
      lost.abort(new PagewrightError('STORAGE', message, { cause }));
    });
    const signal = AbortSignal.any([this.#signal, lost.signal]);
    try {
      await lease.take(this.#signal);
    } catch (error) {
      if (!this.isStopped && (await isLeased(this.#store.values))) return;
      throw error;
    }
    try {
      const store = new MonitorStore(this.#setting.parts.store, this.id, () => lease.confirm());
      await work(store, signal);
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      await lease.release().catch(() => undefined);
    }
  }

  async #round(settings: MonitorSettings, store: MonitorStore, signal: AbortSignal): Promise<void> {
    const before = await store.readState();
    const begun = before.begun ?? this.#begin(settings, before);
    if (begun === undefined) return;
    const isResumed = before.begun !== undefined;
    // A check wants a round that begins after its call.
    const checks = isResumed ? [] : this.#checks.splice(0);
    try {
      const state = { ...before, begun };
      if (!isResumed) await store.writeState(state);
      const { parts, jobs } = this.#setting;
      const comparison = { store: parts.store, clock: parts.clock, monitorId: this.id };
      const setting = { settings, store, jobs, comparison, model: parts.model, isResumed, signal };
      const digest = await this.#finish(setting, state, begun);
      for (const { resolve } of checks) resolve(digest);
    } catch (error) {
      for (const { reject } of checks) reject(error);
      throw error;
    }
    await this.#deliver(settings, store, signal);
  }

  /** A round over the targets that are due, or over all for a check; undefined if none is due. */
  #begin({ targets }: MonitorSettings, state: MonitorState): BegunRound | undefined {
    const now = this.#now();
    const wanted = targets.filter(
      (target) => this.#checks.length > 0 || dueAt(target, state) + state.delay <= now,
    );
    if (wanted.length === 0) return undefined;
    return { number: state.rounds + 1, at: now, targets: wanted.map(({ key }) => key) };
  }

  /** The digest is stored before the state, so that a round that is run again gives the same one. */
  async #finish(
    setting: RoundSetting,
    state: MonitorState,
    begun: BegunRound,
  ): Promise<MonitorDigest> {
    const { settings, store, jobs } = setting;
    const { runRound } = await loadModule(() => import('./run-round.ts'));
    const result = await runRound(setting, state, begun);
    const digest = await store.addDigest(result.digest);
    const now = this.#now();
    const { begun: _, ...others } = state;
    const isIn = new Set(begun.targets);
    const targets = settings.targets.flatMap((target) => {
      const { key } = target;
      const known = state.targets[key];
      if (!isIn.has(key)) return known === undefined ? [] : [[key, known] as const];
      return [
        [key, afterRound(target, state, { at: begun.at, now, since: result.since[key] })] as const,
      ];
    });
    const next: MonitorState = {
      ...others,
      rounds: begun.number,
      lastAt: begun.at,
      delay: Math.round(this.#setting.parts.clock.random() * settings.jitter),
      targets: Object.fromEntries(targets),
      pages: result.pages,
    };
    await store.writeState(next);
    this.#noteState(next, settings);
    const dropped = Object.entries(state.targets).flatMap(([key, { since }]) =>
      since === undefined || key in next.targets ? [] : [since],
    );
    for (const id of [...result.obsolete, ...dropped]) await jobs.remove(id).catch(() => undefined);
    return digest;
  }

  /** Sends pending digests in order. Digests that the receiver does not take wait for the next round. */
  async #deliver(
    settings: MonitorSettings,
    store: MonitorStore,
    signal: AbortSignal,
  ): Promise<void> {
    const state = await store.readState();
    let { delivered } = state;
    for (delivered = Math.max(delivered, state.rounds - storedDigests); delivered < state.rounds;) {
      const digest = await store.digest(delivered + 1);
      const isDone =
        digest === undefined ||
        settings.webhook === undefined ||
        !isNotified(digest, settings) ||
        (await this.#sender.send(digest, settings.webhook, signal));
      if (!isDone) return;
      delivered += 1;
      await store.writeState({ ...state, delivered });
    }
  }

  #stopWith(signal: AbortSignal): void {
    const stop = (): void => this.#stop.abort(cancellation(signal, `Monitor ${this.id}`));
    setMaxListeners(0, signal);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true, signal: this.#signal });
  }

  // The options.

  #openSoon(options: MonitorOptions | undefined): void {
    this.#reopen = undefined;
    if (options?.signal !== undefined) this.#stopWith(options.signal);
    const opened = this.#opened.catch(() => undefined).then(() => this.#open(options));
    this.#opened = opened;
    opened.catch((error: unknown) => {
      if (this.#opened === opened && isStoreError(error)) {
        this.#reopen = () => this.#openSoon(options);
      }
    });
  }

  async #open(options: MonitorOptions | undefined): Promise<void> {
    if (options === undefined) {
      await this.#settings();
      return;
    }
    const { signal: _, ...given } = options;
    const { parse, parts } = this.#setting;
    const plain = await withPlainSchemas(given, parse(given));
    const settings = parse(plain);
    const before = await this.#store.readOptions();
    const { vault } = parts;
    const stored =
      vault === undefined
        ? optionsToStore(plain)
        : await optionsToSeal(plain, async () => {
            const opened = await vault();
            return (text) => opened.seal(text, this.id);
          });
    this.#given = { settings, stored };
    if (before !== undefined && sameJson(before.options, stored)) return;
    await this.#store.writeOptions({
      version: 1,
      id: this.id,
      options: stored,
      targets: settings.targets.map(({ url }) => url),
      createdAt: before?.createdAt ?? this.#now(),
    });
  }

  /** The options that were given last, in whichever process. */
  async #settings(): Promise<MonitorSettings> {
    const monitor = await this.#store.readOptions();
    if (monitor === undefined) throw unknownMonitor(this.id);
    if (this.#given !== undefined && sameJson(this.#given.stored, monitor.options)) {
      return this.#given.settings;
    }
    const { parse, parts } = this.#setting;
    const opened = await parts.vault?.();
    const unseal = opened && ((sealed: string) => opened.open(sealed, this.id));
    const options = optionsToResume(monitor.options, {}, { free: new Set(), unseal });
    const settings = parse({ ...options, id: this.id });
    this.#given = { settings, stored: monitor.options };
    return settings;
  }

  // Waiting.

  #now(): number {
    return this.#setting.parts.clock.now();
  }

  #noteState(state: MonitorState, { targets }: MonitorSettings): void {
    // A round that a dead process began is due now.
    this.#nextAt = state.begun === undefined ? nextRoundAt(targets, state) : -Infinity;
    this.#rounds = state.rounds;
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves when more rounds than these have ended, or the monitor stops. */
  async #roundAfter(rounds: number): Promise<void> {
    while (!this.isStopped && this.#rounds <= rounds) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Warns once of a recurring failure. */
  #warn(sentence: string): void {
    if (sentence !== this.#warned) this.#setting.parts.logger.warn(sentence);
    this.#warned = sentence;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#resume();
  }

  /** Its timer keeps the process alive for a loop or a check only, so everything else that ends it has to wake it. */
  async #pause(): Promise<void> {
    if (!this.#isWoken) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
        timer = setTimeout(resolve, delays.clock);
        if (this.#readers === 0 && this.#checks.length === 0) timer.unref();
      });
      clearTimeout(timer);
    }
    this.#isWoken = false;
  }
}

interface WaitingCheck {
  resolve(digest: MonitorDigest): void;
  reject(error: unknown): void;
}

/** True for a digest that loops and the webhook get. */
function isNotified({ hasNews }: MonitorDigest, { notifyUnchanged }: MonitorSettings): boolean {
  return hasNews || notifyUnchanged;
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
