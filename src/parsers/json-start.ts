/** Whether a text without a type of its own is JSON. */
import { TextDecoder } from 'node:util';

/** Bytes; parsing more only to know what it is would hold up the process. */
const maximumParsed = 100_000;

/** Bytes of a longer text that are looked at. */
const looked = 4096;

/** `text` is the beginning of `body`, without byte order mark and white space. */
export function isJson(text: string, body: Uint8Array): boolean {
  if (!/^(?:\{\s*["}]|\[\s*[\]{["\d\-tfn])/.test(text)) return false;
  if (body.length <= maximumParsed) return parses(body);
  const end = Buffer.from(body.subarray(-looked)).toString('latin1').trimEnd();
  return end.endsWith(text.startsWith('{') ? '}' : ']') && startsLikeJson(text.slice(0, looked));
}

function parses(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}

/** True when there is nothing but tokens of JSON, none of them next to one that needs a comma between. */
function startsLikeJson(text: string): boolean {
  const token =
    /\s*(?:([{[,:])|([}\]])|("(?:[^"\\\0-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?![\w"]))/y;
  let mayBeValue = true;
  for (let at = 0; at < text.length - 1; at = token.lastIndex) {
    token.lastIndex = at;
    const [found, before, , value] = token.exec(text) ?? [];
    // The last token is cut.
    if (found === undefined) return text.length >= looked && isCutToken(text.slice(at));
    if (value !== undefined && !mayBeValue) return false;
    mayBeValue = before !== undefined;
  }
  return true;
}

function isCutToken(rest: string): boolean {
  return /^\s*(?:"(?:[^"\\\0-\x1f]|\\.)*\\?|-?[\d.eE+-]*|[a-z]{0,5})$/.test(rest);
}
