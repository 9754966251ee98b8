/** Which ends of a visit are a lost login. */
import { expect, test } from 'vitest';
import { isLoginUrl, lostLogin } from '../../../../src/browser/chromium/profiles.ts';

const end = {
  requestedUrl: 'https://club.test/members',
  finalUrl: 'https://club.test/members',
  statusCode: 200,
  hasPasswordField: false,
  hadCookies: true,
};

test.each([
  ['a page', end, undefined],
  ['a redirect to a login', { ...end, finalUrl: 'https://club.test/users/sign_in?t=1' }, 'sign_in'],
  [
    'a redirect to a host for logins',
    { ...end, finalUrl: 'https://auth.club.test/u' },
    'auth.club',
  ],
  ['a page that asks for a password', { ...end, hasPasswordField: true }, 'asks for a password'],
  ['401', { ...end, statusCode: 401 }, '401'],
  ['403', { ...end, statusCode: 403 }, undefined],
  ['a redirect elsewhere', { ...end, finalUrl: 'https://club.test/news' }, undefined],
  [
    'a login page that was asked for',
    { ...end, requestedUrl: 'https://club.test/login', finalUrl: 'https://club.test/login?a' },
    undefined,
  ],
  [
    'a page of a host for logins that was asked for',
    { ...end, requestedUrl: 'https://accounts.test/me', finalUrl: 'https://accounts.test/me/you' },
    undefined,
  ],
  [
    'a new profile',
    { ...end, finalUrl: 'https://club.test/login', hasPasswordField: true, hadCookies: false },
    undefined,
  ],
  [
    'a page to change the password',
    { ...end, finalUrl: 'https://club.test/account/security', hasPasswordField: true },
    undefined,
  ],
])('%s', (_, given, reason) => {
  if (reason === undefined) expect(lostLogin(given)).toBeUndefined();
  else expect(lostLogin(given)).toContain(reason);
});

test.each([
  ['/login', true],
  ['/Login.aspx', true],
  ['/wp-login.php?redirect_to=x', true],
  ['/de/anmelden', true],
  ['/users/sign-in/', true],
  ['/#/login', true],
  ['/#!/signin?next=a', true],
  ['/sso', true],
  ['/blog/how-to-login', false],
  ['/login-history', false],
  ['/catalogue/logins', false],
  ['/?page=login', false],
  ['/', false],
])('%s is a login page: %s', (path, is) => {
  expect(isLoginUrl(`https://club.test${path}`)).toBe(is);
});
