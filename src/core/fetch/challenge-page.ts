/** Recognises pages that a bot protection sends instead of the content. */
import type { Snapshot } from '../model/snapshot.ts';

/**
 * The name of the bot protection that sent this challenge or refusal; otherwise undefined.
 *
 * Each rule needs marks that a page about the product, or one merely protected by it, lacks: the
 * vendors' own headers, or the challenge script in a page with no other content.
 */
export function challengeOf(
  snapshot: Pick<Snapshot, 'headers' | 'statusCode' | 'body'>,
): string | undefined {
  const { headers, statusCode, body } = snapshot;
  const byHeader = headerMarks.find(({ name, value }) => value.test(headers[name] ?? ''));
  if (byHeader !== undefined) return byHeader.vendor;
  const most = statusCode >= 400 ? maximumBytes : maximumBytesOfGoodStatus;
  if (body.length === 0 || body.length > most) return undefined;
  if (!/html|^$/.test(headers['content-type'] ?? '')) return undefined;
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  if (!anyMark.test(source)) return undefined;
  const found = bodyMarks.find(({ mark, refuses }) => {
    return mark.test(source) && (refuses !== true || statusCode >= 400);
  });
  return found?.vendor;
}

/** True for a script that sets a cookie, then reloads its page or opens another one. */
export function checksCookies(source: string): boolean {
  return /\bdocument\.cookie\s*=[^=]/.test(source) && goesOn.test(source);
}

const goesOn =
  /(?:^|[\s;{}(,>])(?:(?:window|document|self|top|parent)\.)?location\s*(?:=[^=]|\.\s*(?:(?:reload|replace|assign)\b|href\s*=[^=]))/;

/**
 * True for an error page that resembles the site's own challenge: small, with a script that checks
 * cookies.
 */
export function isHomemadeChallenge({ headers, body }: Snapshot): boolean {
  if (body.length > maximumBytesOfGoodStatus) return false;
  if (!/html|^$/.test(headers['content-type'] ?? '')) return false;
  return checksCookies(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'));
}

const maximumBytes = 200_000; // the largest one seen has about 100 KB, its scripts inlined
const maximumBytesOfGoodStatus = 32_000; // a frame or a script and little else

const headerMarks: readonly { vendor: string; name: string; value: RegExp }[] = [
  { vendor: 'Cloudflare', name: 'cf-mitigated', value: /^challenge$/i },
  { vendor: 'AWS WAF', name: 'x-amzn-waf-action', value: /^(?:challenge|captcha)$/i },
  { vendor: 'Vercel', name: 'x-vercel-mitigated', value: /^(?:challenge|deny)$/i },
  { vendor: 'DataDome', name: 'x-dd-b', value: /./ },
];

interface BodyMark {
  readonly vendor: string;
  readonly mark: RegExp;
  /** Good pages may contain the mark: it counts only with a status of 400 or above. */
  readonly refuses?: true;
}

const bodyMarks: readonly BodyMark[] = [
  { vendor: 'Cloudflare', mark: /<script[^>]{0,200}>[^<]{0,200}window\._cf_chl_opt\s*=/ },
  { vendor: 'Cloudflare', mark: /<title>Attention Required! \| Cloudflare<\/title>/i },
  { vendor: 'Cloudflare', mark: /class="cf-error-details|id="cf-error-details"/, refuses: true },
  { vendor: 'DataDome', mark: /(?:geo|ct)\.captcha-delivery\.com\/(?:captcha|c\.js|i\.js)/ },
  { vendor: 'HUMAN', mark: /id="px-captcha"/ },
  {
    vendor: 'Imperva',
    mark: /_Incapsula_Resource\?[^"']{0,500}(?:SWUDNSAI|incident_id)/,
  },
  { vendor: 'Imperva', mark: /Incapsula incident ID/, refuses: true },
  {
    vendor: 'Akamai',
    mark: /Reference&#32;&#35;\d|errors(?:\.|&#46;)edgesuite(?:\.|&#46;)net/,
    refuses: true,
  },
  { vendor: 'AWS WAF', mark: /<script[^>]{0,200}>\s*window\.gokuProps\s*=/ },
  { vendor: 'Sucuri', mark: /<title>Sucuri WebSite Firewall - Access Denied<\/title>/i },
  { vendor: 'Kasada', mark: /\/149e9513-01fa-4fb0-aad4-566afd725d1b\/[^"']{0,200}\/ips\.js/ },
  { vendor: 'Anubis', mark: /id="anubis_challenge"/ },
  { vendor: 'Google', mark: /<form[^>]{1,100}id="captcha-form"/i },
  {
    vendor: 'a CAPTCHA',
    mark: /class="(?:g-recaptcha|h-captcha|cf-turnstile)"/,
    refuses: true,
  },
];

/** One word of each mark in one regular expression, which rules out most pages: 1 µs per KB. */
const anyMark =
  /_cf_chl_opt|Cloudflare<|cf-error-details|captcha|px-captcha|ncapsula|&#35;|edgesuite|gokuProps|Sucuri|149e9513|anubis_challenge|cf-turnstile/;
