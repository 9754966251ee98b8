/** Text as HTML has it (HTML Standard, 13.3: escaping a string). */

/** Text that stands between tags. */
export function escapeText(text: string): string {
  return /[&<>\u00a0]/.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('\u00a0', '&nbsp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
    : text;
}

/** Text that stands in double quotes. */
export function escapeAttribute(value: string): string {
  return /[&"\u00a0]/.test(value)
    ? value.replaceAll('&', '&amp;').replaceAll('\u00a0', '&nbsp;').replaceAll('"', '&quot;')
    : value;
}
