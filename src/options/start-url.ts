/** The URL that a job starts from. */
import { ValidationError } from '../errors.ts';
import { normalizeUrl, parseUrl } from '../url/normalize-url.ts';

/**
 * Checked and normalised. A job asks for many pages, so that a user name or password in its URL is
 * refused rather than left out or sent everywhere. Throws `ValidationError`, and what `parseUrl` throws.
 */
export function startUrl(subject: string, input: string | URL, remedy: string): string {
  const url = parseUrl(String(input));
  if (url.username !== '' || url.password !== '') {
    const message = `url: has a user name or password, which ${subject} does not send; ${remedy}`;
    throw new ValidationError(subject, [{ path: ['url'], message }]);
  }
  return normalizeUrl(url, {});
}
