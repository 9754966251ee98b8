/** What a request header may be made of. */

/** A token of RFC 9110, section 5.6.2. */
export const headerName: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Without control characters. */
export const headerValue: RegExp = /^[^\0-\x08\x0a-\x1f\x7f]*$/;
