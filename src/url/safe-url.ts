/** Which URLs of a page may leave it as links. */

/**
 * True for relative URLs and for schemes that open a page, a message, a call or a place. Everything
 * else runs code (`javascript:`, `vbscript:`), carries a page of its own (`data:`, `blob:`), reads
 * this machine (`file:`) or starts a program of the reader's.
 */
export function isSafeUrl(url: string): boolean {
  const scheme = schemeOf(url);
  return scheme === undefined || safeSchemes.has(scheme);
}

/** The URL without user name and password; what is no http or https URL stays as it is. */
export function withoutCredentials(url: string): string {
  if (!url.includes('@')) return url;
  // Browsers skip white space inside, and take any number of slashes after the scheme.
  const written = url.replace(/[\t\n\r]/g, '');
  return written.replace(/^(\s*(?:https?:[/\\]*|[/\\]{2,}))[^/\\?#]*@/i, '$1');
}

/** True for schemes that run code or carry a page of their own, whatever is safe besides. */
export function isCodeUrl(url: string): boolean {
  return codeSchemes.has(schemeOf(url) ?? '');
}

/** `javascript` for `java\nscript:…`: read as browsers do, which skip white space and control characters. */
function schemeOf(url: string): string | undefined {
  const start = url.slice(0, 200).replace(/^[\u0000-\u0020]+/, '');
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(start.replace(/[\t\n\r]/g, '')) ?? [];
  return scheme?.toLowerCase();
}

const codeSchemes: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data', 'blob']);

const safeSchemes: ReadonlySet<string> = new Set(
  (
    'http https mailto tel sms geo maps magnet webcal xmpp irc ircs matrix nntp news sip sips ' +
    'ftp ftps sftp ssh git svn gemini gopher callto facetime skype whatsapp tg signal bitcoin doi urn'
  ).split(' '),
);
