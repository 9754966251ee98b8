/** Percent-escapes in one spelling, so that equal URLs are equal strings (RFC 3986, 6.2.2). */

/**
 * `%7euser%2fx` → `~user%2Fx`: unreserved characters decoded, the hex of the others in upper case.
 * Applied twice it is the same: after a bare `%` nothing is decoded, or `%%32e` would become `%2e`.
 */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (escape, offset: number) => {
    const upper = escape.toUpperCase();
    const character = unreserved.get(upper);
    return character === undefined || followsBarePercent(text, offset) ? upper : character;
  });
}

/** `%41` → `A`, for every character that needs no escape. */
const unreserved: ReadonlyMap<string, string> = new Map(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~', (character) => [
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    character,
  ]),
);

function followsBarePercent(text: string, offset: number): boolean {
  return (
    text[offset - 1] === '%' ||
    (text[offset - 2] === '%' && /[0-9a-f]/i.test(text[offset - 1] ?? ''))
  );
}
