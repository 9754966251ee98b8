/** Percent-escapes in one spelling, so that equal URLs are equal strings (RFC 3986, 6.2.2). */

/** `%7euser%2fx` → `~user%2Fx`: unreserved characters decoded, the hex of the others in upper case. */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}
