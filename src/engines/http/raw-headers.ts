/** Header lines as they came. */

/** Names and values by turns, gathered by lower-case name; HTTP/2's own fields are left out. */
export function gatherHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!name.startsWith(':')) (headers[name] ??= []).push(rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/** For clients whose own limit is another one. Throws what Node's parser throws. */
export function checkHeaderSize(rawHeaders: readonly string[], limit: number): void {
  const size = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (size <= limit) return;
  throw Object.assign(new Error('response headers too large'), { code: 'HPE_HEADER_OVERFLOW' });
}
