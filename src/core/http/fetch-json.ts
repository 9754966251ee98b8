/** Requests to the server of a search engine: retried where useful, with failures as errors. */
import { PagewrightError } from '../runtime/errors.ts';
import { parseJson, memberOf } from '../runtime/json.ts';
import { mayPass, retry, retryPolicies } from '../runtime/retry.ts';
import { cleanMessage } from '../../extract/llm/model-failure.ts';
import type { ModelNetwork, ModelPost, ModelReply } from '../../extract/llm/model.ts';
import { lowerCaseNames, retryAfter } from '../../content/text/http-headers.ts';
import type { JsonRequest } from '../model/search-engine.ts';

const answerBytes = 8 * 1024 * 1024;

/** The network of a client: that for models, plus GET requests. */
export interface SearchNetwork extends Pick<ModelNetwork, 'clock'> {
  send(
    request: Omit<ModelPost, 'body'> & { readonly body?: Uint8Array | undefined },
  ): Promise<ModelReply>;
}

/** The calling engine. */
export interface AskingEngine {
  readonly name: string;
  readonly network: SearchNetwork;
  readonly signal: AbortSignal;
}

/** JSON of the response. Rejects with `SEARCH_FAILED`, and as `send` does. */
export function fetchJson(engine: AskingEngine, request: JsonRequest): Promise<unknown> {
  const options = { signal: engine.signal, clock: engine.network.clock };
  return retry(retryPolicies.searchEngine, () => fetchOnce(engine, request), options);
}

async function fetchOnce(
  { name, network, signal }: AskingEngine,
  { url: given, query = {}, headers = {}, body }: JsonRequest,
): Promise<unknown> {
  const url = new URL(given);
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const reply = await network.send({
    url,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...lowerCaseNames(headers),
    },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    bodyBytes: answerBytes,
    signal,
  });
  const location = `${name} at ${url.host}`;
  const text = Buffer.from(reply.body).toString('utf8');
  const value = parseJson(text);
  if (reply.statusCode < 200 || reply.statusCode >= 300) {
    // The server may repeat the key.
    const secrets = Object.values(headers).flatMap((header) => [header, ...header.split(' ')]);
    const keys = [...url.searchParams].filter(([name]) => /key|token|secret/i.test(name));
    const reason = withoutSecrets(messageIn(value), [...secrets, ...keys.map(([, key]) => key)]);
    throw refusal(location, reply, reason, network.clock.now());
  }
  if (value === undefined) {
    const message = `The search engine ${location} returned something that is not JSON. Check its URL, and that its JSON API is enabled.`;
    throw new PagewrightError('SEARCH_FAILED', message, { statusCode: reply.statusCode });
  }
  return value;
}

/** The message of an error in the formats of the engines. */
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
  location: string,
  { statusCode, headers }: ModelReply,
  reason: string,
  now: number,
): PagewrightError {
  const words = cleanMessage(reason).replace(/[.\s]+$/, '');
  const sentence = words === '' ? '' : `: ${words}`;
  const message = `The search engine ${location} answered ${statusCode}${sentence}. ${remedyFor(statusCode)}`;
  return new PagewrightError('SEARCH_FAILED', message, {
    statusCode,
    retryAfter: retryAfter([headers['retry-after']].flat()[0], now),
  });
}

function remedyFor(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) {
    return 'Redirects are not followed: use the URL that it leads to.';
  }
  const isBusy = mayPass(retryPolicies.searchEngine, { statusCode });
  return remedies[statusCode] ?? (isBusy ? 'Try again later.' : 'Check the options.');
}

const remedies: Readonly<Record<number, string>> = {
  401: 'Check the API key.',
  402: 'The account has no quota left: check its plan.',
  403: 'Check the API key, and that the JSON API is enabled.',
  404: 'Check the URL.',
  429: 'It limits the request rate: send fewer requests, or try again later.',
};
