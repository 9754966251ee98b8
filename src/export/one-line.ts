/** Text of a page on one line of markdown. */

/** White space is one blank; cut after 300 characters; nothing in it ends a link or begins one. */
export function oneLine(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 1000) : '';
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  const short = line.length > 300 ? `${line.slice(0, 299).replace(/[\ud800-\udbff]$/, '')}…` : line;
  // A backslash before `<` would be a part of a bare link that stands before it.
  return short.replace(/[\\[\]>`]/g, '\\$&').replaceAll('<', '&lt;');
}
