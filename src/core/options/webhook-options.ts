/** Options of a webhook: type, default and check. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isPlainHeader } from '../../content/text/http-headers.ts';
import { holdsToken } from '../http/network/credentials.ts';
import { requestHeaders } from '../http/request-headers.ts';
import { ValidationError } from '../runtime/errors.ts';
import { signatureHeaders, type WebhookEvent, type WebhookSettings } from '../model/webhook.ts';
import { check } from '../checks/check.ts';
import { type Input, option, redacted, required, schemaOf } from '../checks/option.ts';
import { canParseUrl } from '../url/normalize-url.ts';

const webhookRows = {
  /** http or https. A private address has to be in the client's `network.allow`. */
  url: required(
    z.union([z.string(), z.instanceof(URL)]).transform((given, context) => {
      const problem = urlProblem(String(given));
      if (problem === undefined) return String(given).replace(/#.*$/s, '');
      context.addIssue({ code: 'custom', message: problem });
      return z.NEVER;
    }),
  ),
  /** Sent with each event. Content-Type and the headers of the signature cannot be set. */
  headers: option(z.record(z.string(), z.string()).superRefine(checkHeaders).register(redacted)),
  /** Any JSON, which each event has. @default {} */
  metadata: option(
    z.custom(
      isJson,
      'expected JSON: null, booleans, finite numbers, texts, arrays and plain objects',
    ),
  ),
  /**
   * Signs each event: `X-Pagewright-Signature: sha256=<hex HMAC-SHA256 of the body>`, and with its time
   * `X-Pagewright-Signature-Timed`, which `verifyWebhook()` checks. @default no signature
   */
  secret: option(
    z.custom<string>((value) => typeof value === 'string' && value !== '', 'expected a text'),
  ),
};

/** The receiver and selection of a job's events. `Event` are the events of the job. */
export interface WebhookOptions<Event extends WebhookEvent = WebhookEvent> extends Input<
  typeof webhookRows
> {
  /** The events to send. @default all */
  readonly events?: readonly Event[] | undefined;
}

/** The option `webhook` of a job: a URL, or an object with options. */
export type WebhookOption<Event extends WebhookEvent = WebhookEvent> =
  string | URL | WebhookOptions<Event>;

/** Its secret, its headers, and its URL where that has a token. */
export function isWebhookSecret([name, header]: readonly string[], value: string | URL): boolean {
  if (header !== undefined) return name === 'headers' && !isPlainHeader(header);
  return name === 'secret' || ((name ?? 'url') === 'url' && holdsToken(value));
}

/** The events of a job that keeps pages. */
export const pageJobEvents = ['started', 'page', 'completed', 'failed'] as const;

/** The events of an extraction. */
export const extractEvents = ['started', 'completed', 'failed'] as const;

/** Checks the option `webhook`; throws `ValidationError`. */
export function parseWebhook(
  subject: string,
  given: unknown,
  events: readonly WebhookEvent[],
): WebhookSettings | undefined {
  if (given === undefined) return undefined;
  const isUrl = typeof given === 'string' || given instanceof URL;
  // The check would show the value, which may hold the secret.
  if (!isUrl && (typeof given !== 'object' || given === null || Array.isArray(given))) {
    const message = 'webhook: expected a URL, or an object with a url';
    throw new ValidationError(subject, [{ path: ['webhook'], message }]);
  }
  const none = 'expected at least one event; leave it out for all';
  const schema = schemaOf({ ...webhookRows, events: option(z.array(z.enum(events)).min(1, none)) });
  const webhook = check(subject, schema, isUrl ? { url: given } : given, { at: ['webhook'] });
  return {
    url: webhook.url,
    headers: requestHeaders(webhook.headers ?? {}, undefined),
    metadata: webhook.metadata ?? {},
    events: new Set(webhook.events ?? events),
    secret: webhook.secret,
  };
}

function isJson(value: unknown): boolean {
  try {
    return value === undefined || isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}

/** The problem of a receiver's URL. The URL may hold a token and is not repeated. */
function urlProblem(text: string): string | undefined {
  if (!canParseUrl(text)) return 'expected an absolute URL';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return 'expected an http: or https: URL';
  if (username === '' && password === '') return undefined;
  return 'has a user name or password, which is not sent; use headers.Authorization';
}

/** Headers for the type and the signature of the body. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'content-type',
  ...Object.values(signatureHeaders),
]);

function checkHeaders(headers: Readonly<Record<string, string>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', path: [name], message: problem });
    }
  }
}

function headerProblem(name: string, value: string): string | undefined {
  if (reservedHeaders.has(name.toLowerCase())) return 'is set for each event; leave it out';
  try {
    requestHeaders({ [name]: value }, undefined);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
