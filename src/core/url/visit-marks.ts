/** Removes from a text what a server makes anew for every visit: session ids, tokens, signatures, tracking. */
import { trackingParameters, trackingPrefixes } from './fingerprint.ts';

/** The ends of a URL in markdown, HTML and scripts. */
const end = String.raw`[\s"'<>()\[\]\\&#]`;

/** Query parameters made for the visit, whatever their value. */
const madeForVisit = [
  ...trackingParameters,
  ...trackingPrefixes.map((prefix) => `${prefix}\\w*`),
  'aspsessionid\\w*',
  'nonce',
  '_wpnonce',
  '_token',
  'csrf\\w*',
  'xsrf\\w*',
  'authenticity_token',
  'form_key',
  '__cf_\\w+',
  // Signatures of files in buckets.
  'x-(?:amz|goog)-[\\w-]+',
  'awsaccesskeyid',
  'googleaccessid',
  'key-pair-id',
  'signature',
  'expires',
  'policy',
  'nocache',
  'cache_?buster',
].join('|');

/** Parameters known by value: a long token with digits, a time in seconds or milliseconds. */
const madeByValue = `(?:sid|sess|session|token|s)=(?=[\\w-]{0,64}\\d)[\\w-]{16,}|(?:_|t|ts|time|timestamp|rnd|rand|random)=\\d{9,}(?:\\.\\d+)?`;

const queryMarks = new RegExp(
  `([?&]|&amp;)(?:(?:(?:${madeForVisit})=(?:(?!${end}).)*|(?:${madeByValue})(?=${end}|$))(&amp;|&)?)+(?=${end}|$|[\\w%])`,
  'gi',
);

/** Session ids in a path: of Java and PHP, and of ASP.NET. */
const pathMarks =
  /;(?:jsessionid|phpsessid|sessionid|sid|cfid|cftoken)=[^\s"'<>()[\]\\&#?;/]*|\/\((?:[A-Z]\([\w-]{10,64}\)){1,5}\)(?=\/)/gi;

/** An address hidden by Cloudflare: its first byte is the key of the visit. */
const hiddenAddress = /(\/cdn-cgi\/l\/email-protection#|\bdata-cfemail=["']?)([\da-f]{4,600})/gi;

/** The text of a page without these marks in its URLs. Takes linear time. */
export function withoutVisitMarks(text: string): string {
  return text
    .replace(pathMarks, '')
    .replace(queryMarks, (_, before: string, after: string | undefined) =>
      after === undefined ? '' : before,
    )
    .replace(hiddenAddress, (_, before: string, hex: string) => before + plainAddress(hex));
}

/** The address with a neutral key. */
function plainAddress(hex: string): string {
  const [key = 0, ...bytes] = Buffer.from(hex, 'hex');
  return `00${Buffer.from(bytes.map((byte) => byte ^ key)).toString('hex')}`;
}

// The same for the source of a page.

/** Attributes and properties whose values are made for the visit. */
const sourceMarks = new RegExp(
  [
    // Hidden inputs, and tokens for scripts.
    String.raw`<input\b[^<>]{0,2000}?\btype=["']?hidden\b[^<>]{0,20000}>`,
    String.raw`<meta\b[^<>]{0,200}?\bname=["']?[\w-]*(?:csrf|xsrf|nonce|token)[^<>]{0,2000}>`,
    String.raw`(?:nonce|(?:csrf|xsrf)[\w-]{0,20})["']?\s?[=:]\s?["'][^"'<>]{0,2000}["']`,
    String.raw`__CF\$cv\$params=\{[^{}<>]{0,500}\}`,
    // The duration and time of making a page.
    String.raw`<!--(?=[^<>]{0,300}\d)[^<>]{0,300}(?:generat|render|cache|served|second|\bms\b)[^<>]{0,300}-->`,
  ].join('|'),
  'gi',
);

/** The page source without marks. */
export function sourceWithoutVisitMarks(source: string): string {
  return withoutVisitMarks(source.replace(sourceMarks, ''));
}
