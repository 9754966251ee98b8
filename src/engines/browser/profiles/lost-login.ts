/** A visit with a profile that ends at a login page has no document to show. */
import type { Page } from 'playwright-core';
import { PagewrightError } from '../../../errors.ts';

/** What a visit with a profile came to. */
export interface ProfileVisitEnd {
  readonly requestedUrl: string;
  readonly finalUrl: string;
  readonly statusCode: number;
  /** The page shows a form that asks for a password: see `hasLoginForm`. */
  readonly hasPasswordField: boolean;
  /** The profile had state for this site when the visit began. Without it there is no login to lose. */
  readonly hadCookies: boolean;
}

/** Why the login seems to be lost; undefined when it does not, or when a login page was asked for. */
export function lostLogin(end: ProfileVisitEnd): string | undefined {
  const { requestedUrl, finalUrl, statusCode, hasPasswordField, hadCookies } = end;
  if (!hadCookies || isLoginUrl(requestedUrl)) return undefined;
  if (statusCode === 401) return 'the page answered 401';
  if (isLoginUrl(finalUrl) || movedToLoginHost(requestedUrl, finalUrl))
    return `the site redirected to ${withoutQuery(finalUrl)}`;
  if (hasPasswordField && !isAccountUrl(finalUrl)) return 'the page asks for a password';
  return undefined;
}

/**
 * Throws `BLOCKED_BY_SITE` when the login of the profile is lost: the site does not let this visitor
 * in, and the same call cannot succeed until somebody logs in.
 */
export function refuseLostLogin(profile: string, end: ProfileVisitEnd): void {
  const reason = lostLogin(end);
  if (reason === undefined) return;
  throw new PagewrightError(
    'BLOCKED_BY_SITE',
    `The profile ${JSON.stringify(profile)} is no longer logged in for ${withoutQuery(end.requestedUrl)}: ${reason}. Log in again: scrape the login page with this profile and actions that fill in and submit its form. A page that everybody may see is to be scraped without a profile.`,
    { url: end.requestedUrl, statusCode: end.statusCode },
  );
}

/**
 * Whether the page shows a field for one password. A form to choose a new one has several, or says
 * so. Looked at from outside the page's own scripts.
 */
export async function hasLoginForm(page: Page): Promise<boolean> {
  const fields = page.locator('input[type="password"]:not([autocomplete~="new-password"]):visible');
  return (await fields.count()) === 1;
}

/** Whether a URL is that of a login page, by a whole part of its path. */
export function isLoginUrl(address: string): boolean {
  const { pathname, hash } = new URL(address);
  const parts = `${pathname}/${hash.replace(/^#!?/, '')}`
    .toLowerCase()
    .split(/[/?]/)
    .map((part) => part.replace(/\.[a-z]{2,5}$/, ''));
  return parts.some((part) => loginPart.test(part));
}

/** A host for logins counts where the page that was asked for is elsewhere. */
function movedToLoginHost(requested: string, final: string): boolean {
  const { hostname } = new URL(final);
  return loginHost.test(hostname) && hostname !== new URL(requested).hostname;
}

/** Pages of a reader who is logged in that ask for the password all the same. */
function isAccountUrl(address: string): boolean {
  return accountPart.test(new URL(address).pathname);
}

const loginPart =
  /^(?:(?:user|account|member|customer|wp)?[-_]?(?:log[-_]?in|sign[-_]?in|log[-_]?on|sign[-_]?on)(?:[-_](?:form|page))?|sso|authenticate|connexion|anmelden|acceder|iniciar-sesion)$/;
const loginHost = /^(?:login|signin|sso|auth|accounts?)\./;
const accountPart =
  /\/(?:account|settings?|security|password|profile|preferences|register|sign[-_]?up|join)(?:[/._-]|$)/i;

/** Queries of login pages carry tokens. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
