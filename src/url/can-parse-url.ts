/** Whether text is a URL, told the same way however often it is asked. */

/**
 * As `URL.canParse`, which Node 20 and 22 get wrong after some thousand calls: the compiled call takes
 * Latin-1 text for UTF-8, and hosts such as `faß.example` are no URLs any more. Text in ASCII is the
 * same in both.
 */
export function canParseUrl(url: string, base?: string): boolean {
  if (isAscii(url) && (base === undefined || isAscii(base))) return URL.canParse(url, base);
  try {
    return new URL(url, base).href !== '';
  } catch {
    return false;
  }
}

function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}
