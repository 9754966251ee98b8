/** What is published while a test runs. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';
import type { ChannelMessages } from 'pagewright';

type Watched = {
  readonly [
    Name in keyof ChannelMessages as Name extends `pagewright:${infer Short}` ? Short : never
  ]: ChannelMessages[Name][];
};

const traced = ['request', 'page', 'job', 'model'] as const;

/** The messages at their end, in that order, and those of retries. Times are checked and removed. */
export function watch(): Watched & { readonly started: string[] } {
  const watched = { request: [], retry: [], page: [], job: [], model: [], started: [] as string[] };
  const listen = (channel: string, hear: (message: object) => void): void => {
    const listener = (message: unknown): void => hear(message as object);
    subscribe(channel, listener);
    onTestFinished(() => void unsubscribe(channel, listener));
  };
  for (const name of traced) {
    listen(`tracing:pagewright:${name}:start`, () => watched.started.push(name));
    listen(`tracing:pagewright:${name}:asyncEnd`, (message) => {
      const { durationMs, ...rest } = message as { durationMs: number };
      if (!(durationMs >= 0 && durationMs < 60_000)) throw new Error(`durationMs: ${durationMs}`);
      // Node adds the undefined result of the work.
      if ('result' in rest && rest.result !== undefined) throw new Error('The result is told.');
      (watched[name] as object[]).push(rest);
    });
  }
  listen('pagewright:retry', (message) => (watched.retry as object[]).push(message));
  return watched;
}
