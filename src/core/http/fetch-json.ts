/** Requests to the server of a search engine: retried where that may help, and what goes wrong as an error. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../runtime/errors.ts';
import { parseJson, memberOf } from '../runtime/json.ts';
import { cleanMessage } from '../../extract/llm/model-failure.ts';
import type { ModelNetwork, ModelPost, ModelReply } from '../../extract/llm/model.ts';
import { retryAfter } from '../../content/text/http-headers.ts';
import type { JsonRequest } from '../model/search-engine.ts';

const bounds = {
  answerBytes: 8 * 1024 * 1024,
  attempts: 3,
  firstGap: 500, // milliseconds before the second attempt; the gap doubles
  longestPause: 10_000, // milliseconds; a server that asks for a longer wait is not tried again
};

/** The network of a client: what it has for models, and GET requests. */
export interface SearchNetwork extends Pick<ModelNetwork, 'clock'> {
  send(
    request: Omit<ModelPost, 'body'> & { readonly body?: Uint8Array | undefined },
  ): Promise<ModelReply>;
}

/** The engine that asks. */
export interface AskingEngine {
  readonly name: string;
  readonly network: SearchNetwork;
  readonly signal: AbortSignal;
}

/** The JSON of the answer. Rejects with `SEARCH_FAILED`, and as `send` does. */
export async function fetchJson(engine: AskingEngine, request: JsonRequest): Promise<unknown> {
  const { network, signal } = engine;
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetchOnce(engine, request);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const pause = pauseBefore(error);
      if (pause === undefined || tries >= bounds.attempts) throw error;
      const gap = bounds.firstGap * 2 ** (tries - 1) * (0.5 + network.clock.random() / 2);
      await sleep(Math.max(gap, pause), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Milliseconds to wait at least; undefined where the same request fails again. */
function pauseBefore(error: unknown): number | undefined {
  if (!(error instanceof PagewrightError)) return undefined;
  const { code, statusCode, retryable, retryAfter: pause = 0 } = error;
  const isRefused = code === 'SEARCH_FAILED' && !isBusy(statusCode);
  return retryable && !isRefused && pause <= bounds.longestPause ? pause : undefined;
}

function isBusy(statusCode = 0): boolean {
  return statusCode === 429 || statusCode >= 500;
}

async function fetchOnce(
  { name, network, signal }: AskingEngine,
  { url: given, query = {}, headers = {}, body }: JsonRequest,
): Promise<unknown> {
  const url = new URL(given);
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const lowerCase = Object.entries(headers).map(([key, value]): [string, string] => [
    key.toLowerCase(),
    value,
  ]);
  const reply = await network.send({
    url,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(lowerCase),
    },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    bodyBytes: bounds.answerBytes,
    signal,
  });
  const place = `${name} at ${url.host}`;
  const text = Buffer.from(reply.body).toString('utf8');
  const value = parseJson(text);
  if (reply.statusCode < 200 || reply.statusCode >= 300) {
    // The server may repeat the key.
    const secrets = Object.values(headers).flatMap((header) => [header, ...header.split(' ')]);
    const keys = [...url.searchParams].filter(([name]) => /key|token|secret/i.test(name));
    const said = withoutSecrets(messageIn(value), [...secrets, ...keys.map(([, key]) => key)]);
    throw refusal(place, reply, said, network.clock.now());
  }
  if (value === undefined) {
    const message = `The search engine ${place} returned something that is not JSON. Check its URL, and that its JSON API is enabled.`;
    throw new PagewrightError('SEARCH_FAILED', message, { statusCode: reply.statusCode });
  }
  return value;
}

/** The message of an error in the forms that the engines use. */
function messageIn(value: unknown): string {
  const error = memberOf(value, 'error') ?? memberOf(value, 'detail') ?? memberOf(value, 'message');
  const inner =
    memberOf(error, 'detail') ?? memberOf(error, 'error') ?? memberOf(error, 'message') ?? error;
  return typeof inner === 'string' ? inner : '';
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  // Short values may be words of any message.
  const long = secrets.filter((secret) => secret.length >= 6);
  return long.reduce((words, secret) => words.replaceAll(secret, '[hidden]'), text);
}

function refusal(
  place: string,
  { statusCode, headers }: ModelReply,
  said: string,
  now: number,
): PagewrightError {
  const words = cleanMessage(said).replace(/[.\s]+$/, '');
  const sentence = words === '' ? '' : `: ${words}`;
  const message = `The search engine ${place} answered ${statusCode}${sentence}. ${remedyFor(statusCode)}`;
  return new PagewrightError('SEARCH_FAILED', message, {
    statusCode,
    retryAfter: retryAfter([headers['retry-after']].flat()[0], now),
  });
}

function remedyFor(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) {
    return 'Redirects are not followed: use the URL that it leads to.';
  }
  return remedies[statusCode] ?? (isBusy(statusCode) ? 'Try again later.' : 'Check the options.');
}

const remedies: Readonly<Record<number, string>> = {
  401: 'Check the API key.',
  402: 'The account has no quota left: check its plan.',
  403: 'Check the API key, and that the JSON API is enabled.',
  404: 'Check the URL.',
  429: 'It limits the request rate: send fewer requests, or try again later.',
};
