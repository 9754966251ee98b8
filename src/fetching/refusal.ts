/** What a caller is told of a site that refuses. */
import { PagewrightError } from '../errors.ts';

/** The error for a challenge page, and for a refusal without content. */
export function blockedBySite(
  url: string,
  statusCode: number,
  challenge: string | undefined,
  hasTriedStealth: boolean,
): PagewrightError {
  const what =
    challenge === undefined
      ? `refuses ${url} with status ${statusCode} and no content`
      : `answers ${url} with the challenge page of ${challenge} in place of the content`;
  const change = hasTriedStealth
    ? 'Stealth did not help: bring another way to the site (createClient({ proxy })), or ask it for access.'
    : "Try proxy: 'stealth', bring a proxy (createClient({ proxy })), or ask the site for access.";
  const message = `${new URL(url).host} ${what}. ${change}`;
  return new PagewrightError('BLOCKED_BY_SITE', message, { url, statusCode });
}

/** The error for a rate limit without content; `pause` is what its Retry-After asks for, in ms. */
export function hostBusy(
  url: string,
  statusCode: number,
  pause: number | undefined,
): PagewrightError {
  const asked = pause === undefined ? 'time' : `${seconds(pause)} s (Retry-After)`;
  return new PagewrightError(
    'HOST_BUSY',
    `${new URL(url).host} answers ${url} with status ${statusCode} and no content: it asks for ${asked}, which is more than retries and timeout allow. Try again later, or raise them.`,
    { url, statusCode, retryAfter: pause === undefined ? undefined : Math.ceil(pause) },
  );
}

/** The warning for a document that came with a Retry-After. */
export function pauseWarning(pause: number): string {
  return `The server asks to wait ${seconds(pause)} s before the next request (Retry-After).`;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
