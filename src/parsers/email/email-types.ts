/** Which files are mails: asked before the code that reads them is loaded. */

/** Media types of a message. */
export const emailTypes: ReadonlySet<string> = new Set(['message/rfc822', 'message/global']);
