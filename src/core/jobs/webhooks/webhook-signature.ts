/** Signatures of webhook messages: made by the sender, checked by the receiver. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { PagewrightError } from '../../runtime/errors.ts';
import { signatureHeaders } from '../../model/webhook.ts';

/** What a receiver has of a message. */
export interface ReceivedWebhook {
  /** The body as it came: JSON that was parsed and written again has other bytes. */
  readonly body: Uint8Array | string;
  /** The header `X-Pagewright-Signature-Timed`. */
  readonly signature: string | readonly string[] | null | undefined;
  /** The `secret` of the webhook. */
  readonly secret: string;
  /** Milliseconds between the clock of the sender and that of the receiver, at most. @default 300000 */
  readonly tolerance?: number | undefined;
}

/**
 * True for a message that was signed with the secret within the last 5 minutes: one that somebody captured and sends
 * again is refused after that. Within them, `webhookId` tells a message that comes twice. Throws `BAD_REQUEST` without a
 * secret, and for a body that was parsed.
 *
 * @example
 * const signature = request.headers['x-pagewright-signature-timed'];
 * if (!verifyWebhook({ body, signature, secret })) return response.writeHead(403).end();
 */
export function verifyWebhook(received: ReceivedWebhook): boolean {
  const { body, signature, secret, tolerance = 5 * 60 * 1000 } = received;
  if (typeof secret !== 'string' || secret === '') {
    throw new PagewrightError('BAD_REQUEST', 'verifyWebhook: secret has to be a text.');
  }
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    const message =
      'verifyWebhook: body has to be the bytes or the text that came, not a parsed value.';
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const [, time = '', digest = ''] =
    /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(signature)) ?? [];
  if (time === '' || Math.abs(Date.now() - Number(time) * 1000) > tolerance) return false;
  return timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(secret, `${time}.`, body)));
}

/** The headers that sign a body now: each attempt has its own. */
export function signedHeaders(
  body: Uint8Array,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  if (secret === undefined) return {};
  const time = String(Math.floor(Date.now() / 1000));
  return {
    [signatureHeaders.body]: `sha256=${digestOf(secret, body)}`,
    [signatureHeaders.timed]: `t=${time},v1=${digestOf(secret, `${time}.`, body)}`,
  };
}

function digestOf(secret: string, ...parts: readonly (Uint8Array | string)[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}
