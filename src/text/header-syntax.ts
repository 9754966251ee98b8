/** What headers may be made of. */

/** A token of RFC 9110, section 5.6.2. */
export const headerName: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Without control characters. */
export const headerValue: RegExp = /^[^\0-\x08\x0a-\x1f\x7f]*$/;

/**
 * A received value without long runs of blanks, which nobody writes and patterns take long for. Applied where
 * an answer comes in: everything behind it reads values of this form.
 */
export function tidyHeader(value: string): string {
  return value.replace(/[ \t\r\n]{9,}/g, ' ').trim();
}
