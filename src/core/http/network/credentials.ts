/** Detects secret headers of the caller, and the servers that may receive them. */
import { isPlainHeader } from '../../../content/text/http-headers.ts';
import type { RedirectCredentials } from '../../model/request-options.ts';
import { looksRandom } from '../../runtime/identifiers.ts';
import { canParseUrl } from '../../url/normalize-url.ts';
import { registrableDomain } from '../../url/registrable-domain.ts';

/** The headers that go to servers not named by the caller: links, redirects, search results, URLs from a model. */
export function plainHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPlainHeader(name)));
}

/** Parts of the names of credentials, in any context. */
const credentialPart =
  /authori[sz]|auth(?!or)|cookie|token|secret|passw|pass[-_]?(?:phrase|code|key)|pswd|session|credential|signature|jwt|csrf|xsrf|saml|assertion|mnemonic|(?:recovery|seed|backup)[-_]?(?:phrase|code|key|word)|code[-_]?verifier|contrase[nñ]a|mot[-_]?de[-_]?passe|kennwort|(?:account|access|api|app|client|encryption|functions|licen[cs]e|master|private|service|shared|signing|storage|subscription|webhook)[-_]?key|sess_?id/i;

/** Names that are credentials as a separate word: `userPwd`, `pin_code`. */
const credentialWord =
  /(?:^|[^a-z])(?:auth|cvc|cvv|hmac|mfa|otp|pass|pin|psw|pw|pwd|sas|sid|sig|ssn|tan|totp)(?:$|[^a-z])/i;

/** True for the name of a credential in any spelling: `X-Api-Key`, `api key`, `password`, `userPwd`. */
export function isCredentialName(name: string): boolean {
  const words = name
    .slice(0, 200)
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .replace(/[\s.+]+/g, '_');
  // `WWW-Authenticate` requests a credential; it is none.
  return (
    (credentialPart.test(words) || credentialWord.test(words)) && !/-authenticate$/i.test(words)
  );
}

/**
 * True when a request identifies its sender: such a request goes only to a server whose certificate
 * verifies.
 */
export function carriesCredentials(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some(isCredentialName);
}

/**
 * True when headers that a caller sends to one URL may be sent to another. `same-origin` allows
 * URLs of one scheme, host and port (fetch standard, "HTTP-redirect fetch"; CVE-2022-27774), and
 * the step from http to https on one host, to the port of https or between two non-default ports.
 * `same-site` allows all hosts of a registrable domain, except for the step from https to http.
 */
export function sharesHeaders(
  from: URL,
  to: URL,
  scope: RedirectCredentials = 'same-origin',
): boolean {
  if (from.origin === to.origin) return true;
  if (from.protocol === 'https:' && to.protocol !== 'https:') return false;
  if (scope === 'same-site') {
    return registrableDomain(from.hostname) === registrableDomain(to.hostname);
  }
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && (to.port === '' || from.port !== '');
}

/**
 * The caller's headers that may go on from one URL to another; the Host header is for one origin.
 */
export function headersForHop(
  headers: Readonly<Record<string, string>>,
  from: URL,
  to: URL,
  scope?: RedirectCredentials,
): Record<string, string> {
  if (from.origin === to.origin) return { ...headers };
  if (!sharesHeaders(from, to, scope)) return plainHeaders(headers);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'),
  );
}

/** True for a URL with a user name, a query, or a machine-made token in its host or path. */
export function holdsToken(text: string | URL): boolean {
  if (!canParseUrl(String(text))) return true;
  const { username, password, search, pathname, hostname } = new URL(text);
  if (username !== '' || password !== '' || search.length > 1) return true;
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const parts = [...pathname.split('/'), ...(isAddress ? [] : hostname.split('.'))];
  return parts.some((part) => looksRandom(part) || /^(?=.*\d)(?=.*[a-z])[\w-]{20,}$/i.test(part));
}
