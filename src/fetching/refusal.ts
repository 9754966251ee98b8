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
  return new PagewrightError('BLOCKED_BY_SITE', `${new URL(url).host} ${what}. ${change}`, { url });
}

/** The warning for a document that came with a Retry-After. */
export function pauseWarning(pause: number): string {
  return `The server asks to wait ${Math.ceil(pause / 1000)} s before the next request (Retry-After).`;
}
