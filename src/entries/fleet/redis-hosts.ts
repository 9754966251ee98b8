/** The host state that the processes of a fleet share in Redis, by the clock of Redis. */
import { randomUUID } from 'node:crypto';
import type { HostTurn, SharedHosts, TurnOutcome, TurnRequest } from '../../core/model/pace.ts';
import { startDeadline, withSignal } from '../../core/runtime/deadline.ts';
import { type FleetConnection, type FleetSettings, hostKey } from './redis-connections.ts';
import { type RedisScript, runScript } from './redis-script.ts';
import { giveTurn, takeTurn } from './turn-scripts.ts';

const mostWait = 2000; // milliseconds for Redis; then the process spaces only its own requests
const turnLife = 30_000; // milliseconds after which the turn of a dead process ends

/** Takes turns and gives them back in Redis, by one script each. */
export class RedisHosts implements SharedHosts {
  readonly #settings: FleetSettings;
  readonly #open: () => Promise<FleetConnection>;

  /** `open` gives the connection on which the scripts run. */
  constructor(settings: FleetSettings, open: () => Promise<FleetConnection>) {
    this.#settings = settings;
    this.#open = open;
  }

  async take(host: string, { delay, most, perMinute, isHop }: TurnRequest): Promise<HostTurn> {
    const id = randomUUID();
    const [limit = 0, starts = 0] = [most, perMinute].map((one) => (one === Infinity ? 0 : one));
    const values = [id, delay, limit, turnLife, isHop ? 1 : 0, starts];
    const taking = this.#run(takeTurn, host, values);
    const reply = await inTime(taking);
    // A turn that Redis gives later is of no use.
    if (reply === undefined)
      taking.then(
        () => this.#give(host, id),
        () => undefined,
      );
    const [state, wait] = (reply ?? ['granted', 0]) as [HostTurn['state'], number];
    let isOver = state !== 'granted' || reply === undefined;
    const end = (outcome?: TurnOutcome): void => {
      if (isOver) return;
      isOver = true;
      this.#give(host, id, outcome);
    };
    return { state, wait, end };
  }

  /** Never rejects: a turn that is not given back ends by itself. */
  #give(host: string, id: string, outcome?: TurnOutcome): void {
    const { isGood, sentFor = 0, pause = 0 } = outcome ?? {};
    const result = isGood === undefined ? 'none' : isGood ? 'good' : 'bad';
    const values = [id, result, Math.round(sentFor), Math.round(pause)];
    this.#run(giveTurn, host, values).catch(() => undefined);
  }

  async #run(
    script: RedisScript,
    host: string,
    values: readonly (string | number)[],
  ): Promise<unknown> {
    const { send } = await this.#open();
    const key = hostKey(this.#settings, host);
    return runScript(send, script, [key, `${key}:starts`], values);
  }
}

/** The reply, or undefined where Redis does not answer in time. */
async function inTime(reply: Promise<unknown>): Promise<unknown> {
  // Its timer keeps the process alive until Redis answers: the connection does not.
  using deadline = startDeadline(mostWait, [], 'Redis');
  // Without Redis no page is sent to workers either, which is reported.
  return await withSignal(reply, deadline.signal).catch(() => undefined);
}
