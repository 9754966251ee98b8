/** Masks secrets that pages send and load, by field name: in URLs, JSON and text. */
import { looksRandom } from '../../runtime/identifiers.ts';
import { withoutCredentials } from '../../url/links.ts';
import { isCredentialName } from './credentials.ts';
import { decodePercent } from '../../runtime/percent-encoding.ts';

/** Replaces a secret, as in telemetry. */
const masked = 'REDACTED';

/** The URL without user name and password, with secrets of its query and fragment masked. */
export function maskUrl(url: string): string {
  return maskText(withoutCredentials(url));
}

/** The text with secrets masked: parameters, fields of JSON, forms and scripts, bearer and JSON web tokens. */
export function maskText(text: string): string {
  return maskWithin(text, 0);
}

/** `depth`: the number of encodings around the text. */
function maskWithin(text: string, depth: number): string {
  return text
    .replace(dottedWords, maskToken)
    .replace(authorization, `$1 ${masked}`)
    .replace(parameter, maskParameter)
    .replace(innerParameter, maskParameter)
    .replace(encodedWord, (word: string) => maskEncoded(word, depth))
    .replace(
      quotedValue,
      (pair: string, head: string, _: string, spaced = '', plain = '', quote = '') =>
        isSecret(`${spaced}${plain}`) ? `${head}${quote}${masked}${quote}` : pair,
    )
    .replace(escapedValue, (pair: string, head: string, name: string, quote: string) =>
      isSecret(name) ? `${head}${masked}${quote}` : pair,
    )
    .replace(numberValue, (pair: string, head: string, name: string) =>
      isSecret(name) ? `${head}"${masked}"` : pair,
    )
    .replace(formField, (field: string, head: string, name: string) =>
      isSecret(name) ? head + masked : field,
    )
    .replace(element, (whole: string, head: string, name: string) =>
      isSecret(name) ? head + masked : whole,
    )
    .replace(namedTag, maskTag);
}

function maskParameter(pair: string, before: string, name: string, value: string): string {
  const isMasked = isSecret(decodePercent(name)) || (isKey.test(name) && looksRandom(value));
  return isMasked ? `${before}${name}=${masked}` : pair;
}

/** A URL or JSON in a part of a URL, encoded once or several times; base64 that begins like either. */
function maskEncoded(word: string, depth: number): string {
  if (depth >= mostEncodings) return word;
  if (isBase64.test(word)) {
    const plain = Buffer.from(word, 'base64').toString();
    return maskWithin(plain, depth + 1) === plain ? word : masked;
  }
  if (!/%(?:25)*(?:3d|3f|22|26)/i.test(word)) return word;
  const plain = decodePercent(word);
  if (plain === word) return word;
  const decoded = maskWithin(plain, depth + 1);
  return decoded === plain ? word : encodeURIComponent(decoded);
}

const mostEncodings = 4;

/** JSON with secrets masked. */
export function maskValue(value: unknown, isSecretField = false): unknown {
  if (typeof value === 'string') return isSecretField && value !== '' ? masked : maskText(value);
  if (typeof value === 'number') return isSecretField ? masked : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => maskValue(one, isSecretField));
  const entries: [string, unknown][] = Object.entries(value);
  const isPair = entries.some(
    ([name, one]) => isLabel.test(name) && typeof one === 'string' && isSecret(one),
  );
  return Object.fromEntries(
    entries.map(([name, one]) => {
      const hides = isSecret(name) || ((isPair || isSecretField) && name === 'value');
      return [name, maskValue(one, hides)];
    }),
  );
}

/** True for a name such as `access_token`, `apiKey`, `userPwd`; not for tokens of paging or of models. */
function isSecret(name: string): boolean {
  return !harmless.test(name.replace(/([a-z\d])(?=[A-Z])/g, '$1_')) && isCredentialName(name);
}

const harmless =
  /(?:page|next|prev|previous|continuation|sync|cursor|prompt|completion|input|output|total|max)[-_]?tokens?$/i;

/** Possible names of keys: the value decides. */
const isKey = /^(?:key|code|k|t|hash)$/i;

/** `{ name: 'password', value: '…' }` */
const isLabel = /^(?:name|key|field|id)$/i;

/** Matches only at the start of a word: a search from every `eyJ` of a long word takes quadratic time. */
const dottedWords = /(?<![\w-])[\w-]{11,}\.[\w-]{8,}(?:\.[\w-]+)*/g;

/** The words before a JSON web token. Up to the last dot each part ends in one: no search is in vain. */
function maskToken(words: string): string {
  const at = words.slice(0, words.lastIndexOf('.') + 1).search(/\beyJ[\w-]{8,}\./);
  return at < 0 ? words : words.slice(0, at) + masked;
}

const authorization = /\b(Bearer|Basic)\s+[\w.~+/-]{8,}=*/gi;

const parameter =
  /([?&#;\s]|\\u00(?:26|3f)|^)([\w.+\-%[\]]{1,64})=((?:(?!\\u00(?:26|3f))[^&#;\s"'<>])+)/gi;

/** A parameter that is a URL without encoding. */
const innerParameter = /(\?)([\w.+\-%[\]]{1,64})=([^?&#;\s"'<>]+)/g;

/** Matches only at the start of a word. */
const encodedWord = /(?<![^\s"'<>()&;,?#=/\\])[^\s"'<>()&;,?#=/\\]{8,}={0,2}/g;

const isBase64 = /^(?:ey[IJ]|aHR0c)[\w+-]{16,}={0,2}$/;

const quotedValue =
  /((?:(["'])([\w .-]{1,64})\2|(?<![\w.-])([\w.-]{1,64}))\s{0,8}[:=]\s{0,8})(["'])(?:(?!\5)[^\\\n]|\\.){1,4096}\5/g;

/** JSON within a string. */
const escapedValue =
  /(\\{1,7}"([\w .-]{1,64})\\{1,7}"\s{0,8}:\s{0,8}\\{1,7}")[^"\\\n]{1,4096}(\\{1,7}")/g;

/** In unparsed JSON, such as one value per line. */
const numberValue = /("([\w .-]{1,64})"\s{0,8}:\s{0,8})-?\d[\d.]{0,40}/g;

/** Up to the next boundary; lines of a PEM key resemble one. */
const formField =
  /(\bname="([^"\r\n]{1,64})"(?:\r?\n[\w-]{1,40}:[^\r\n]{0,200}){0,4}\r?\n\r?\n)(?:(?!\r?\n--(?!---(?:BEGIN|END)))[^]){1,16384}/g;

/** An element of XML. */
const element =
  /(<(?:[\w.-]{1,64}:)?([\w.-]{1,64})(?:\s[^<>]{0,1000})?>(?:<!\[CDATA\[)?)[^<]{1,4096}(?=<\/)/g;

const namedTag = /<(?:input|meta)\s[^<>]{1,4000}>/gi;

/** A field of a form, or a `meta` element, whose name or type is one of secrets. */
function maskTag(tag: string): string {
  const names = tag.matchAll(
    /\s(?:name|type)\s{0,8}=\s{0,8}(?:"([^"]{1,64})"|'([^']{1,64})'|([^\s"'<>]{1,64}))/gi,
  );
  if (![...names].some(([, ...name]) => isSecret(name.join('')))) return tag;
  return tag.replace(
    /(\s(?:value|content)\s{0,8}=\s{0,8})(?:"[^"]+"|'[^']+'|[^\s"'>]+)/gi,
    `$1"${masked}"`,
  );
}
