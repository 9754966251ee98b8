import { describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/core/fetch/challenge-page.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';

function answer(
  statusCode: number,
  source: string,
  headers: Readonly<Record<string, string>> = {},
): Snapshot {
  return {
    url: 'https://shop.test/',
    statusCode,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: Buffer.from(source),
    engine: 'test',
    redirects: [],
    warnings: [],
    requests: 1,
    bytes: source.length,
  };
}

const page = (head: string, body: string): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;

describe('a challenge or refusal is recognised', () => {
  test.each<[vendor: string, what: string, snapshot: Snapshot]>([
    ['Cloudflare', 'by its header', answer(403, 'x', { 'cf-mitigated': 'challenge' })],
    [
      'Cloudflare',
      'by the options of its script',
      answer(
        503,
        page(
          '<title>Just a moment...</title>',
          '<script>window._cf_chl_opt = {cvId: "3"};</script><noscript>Enable JavaScript</noscript>',
        ),
      ),
    ],
    [
      'Cloudflare',
      'by the title of its refusal',
      answer(403, page('<title>Attention Required! | Cloudflare</title>', 'Sorry')),
    ],
    [
      'Cloudflare',
      'by its error box',
      answer(403, page('<title>Denied</title>', '<div class="cf-error-details">1020</div>')),
    ],
    ['AWS WAF', 'by its header', answer(202, '', { 'x-amzn-waf-action': 'challenge' })],
    [
      'AWS WAF',
      'by its script',
      answer(405, page('<script>window.gokuProps = {"key":"a"};</script>', '')),
    ],
    ['Vercel', 'by its header', answer(429, 'x', { 'x-vercel-mitigated': 'challenge' })],
    [
      'DataDome',
      'by its frame',
      answer(
        403,
        page('', '<iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=1"></iframe>'),
      ),
    ],
    ['HUMAN', 'by its box', answer(403, page('', '<div id="px-captcha"></div>'))],
    [
      'Imperva',
      'by its frame',
      answer(
        200,
        page('', '<iframe src="/_Incapsula_Resource?SWUDNSAI=31&incident_id=5-6"></iframe>'),
      ),
    ],
    [
      'Akamai',
      'by its refusal',
      answer(
        403,
        page(
          '<title>Access Denied</title>',
          '<h1>Access Denied</h1>Reference&#32;&#35;18&#46;1 <p>https&#58;&#47;&#47;errors.edgesuite.net/18</p>',
        ),
      ),
    ],
    [
      'Sucuri',
      'by its title',
      answer(403, page('<title>Sucuri WebSite Firewall - Access Denied</title>', 'Blocked')),
    ],
    [
      'Kasada',
      'by its script',
      answer(
        429,
        page('', '<script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js"></script>'),
      ),
    ],
    [
      'Anubis',
      'by its challenge on a good status',
      answer(200, page('', '<script id="anubis_challenge" type="application/json">{}</script>')),
    ],
    [
      'a CAPTCHA',
      'by its box on a bad status',
      answer(403, page('', '<form><div class="h-captcha" data-sitekey="a"></div></form>')),
    ],
  ])('%s %s', (vendor, _, snapshot) => {
    expect(challengeOf(snapshot)).toBe(vendor);
  });
});

describe('other pages are left alone', () => {
  test.each<[what: string, snapshot: Snapshot]>([
    ['an empty body', answer(403, '')],
    ['a plain refusal', answer(403, page('<title>403 Forbidden</title>', 'nginx'))],
    [
      'a page that Cloudflare watches',
      answer(
        200,
        page('', '<p>Text</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js">'),
      ),
    ],
    [
      'an article about challenges',
      answer(
        200,
        page(
          '<title>Just a moment... explained</title>',
          '<p>The page sets <code>_cf_chl_opt</code>, and its title is "Just a moment...". Access Denied follows.</p>',
        ),
      ),
    ],
    [
      'a contact form with a CAPTCHA',
      answer(200, page('', '<form><div class="g-recaptcha" data-sitekey="a"></div></form>')),
    ],
    [
      'a page about access that is denied',
      answer(200, page('<title>Access Denied</title>', '<p>A film of 1948.</p>')),
    ],
    [
      'JSON with such words',
      answer(403, '{"a":"window._cf_chl_opt = {}"}', { 'content-type': 'application/json' }),
    ],
    [
      'a page larger than any challenge',
      answer(
        200,
        page('', `<script>window._cf_chl_opt = {}</script>${'<p>word</p>'.repeat(20_000)}`),
      ),
    ],
  ])('%s', (_, snapshot) => {
    expect(challengeOf(snapshot)).toBeUndefined();
  });
});
