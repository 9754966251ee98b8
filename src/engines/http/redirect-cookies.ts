/** Cookies that servers set on the way through the redirects of one fetch. */
import type { CookieJar } from 'tough-cookie';

/** A jar that is made when the first cookie comes: most pages are reached without one. */
export class RedirectCookies {
  #jar: CookieJar | undefined;

  /** Takes over the Set-Cookie headers of a response; what the site may not set is ignored. */
  async keep(setCookies: readonly string[], from: URL): Promise<void> {
    if (setCookies.length === 0) return;
    const { CookieJar } = await import('tough-cookie');
    this.#jar ??= new CookieJar();
    for (const cookie of setCookies) {
      await this.#jar.setCookie(cookie, from.href, { ignoreError: true });
    }
  }

  /** The Cookie header for a URL: the caller's cookies, those of the jar in place of their namesakes. */
  async header(url: URL, given: string | undefined): Promise<string | undefined> {
    if (this.#jar === undefined) return given;
    const stored = await this.#jar.getCookies(url.href);
    const names = new Set(stored.map((cookie) => cookie.key));
    const own = (given ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0]?.trim() ?? ''));
    const pairs = [...own, ...stored.map((cookie) => cookie.cookieString())];
    return pairs.length === 0 ? undefined : pairs.join('; ');
  }
}
