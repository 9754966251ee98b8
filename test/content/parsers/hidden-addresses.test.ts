import { expect, test } from 'vitest';
import { parseHtml } from '../../../src/content/html/parse.ts';
import { decodeHiddenAddresses } from '../../../src/content/parsers/hidden-addresses.ts';

/** As Cloudflare does it. */
function hidden(address: string, key = 0x54): string {
  const bytes = [key, ...[...Buffer.from(address)].map((byte) => byte ^ key)];
  return Buffer.from(bytes).toString('hex');
}

function decode(html: string): string {
  const document = parseHtml(`<body>${html}`, { nodes: 1_000, depth: 100 });
  decodeHiddenAddresses(document, html);
  return document.body.innerHTML;
}

const code = hidden('git@example.com');
const link = `/cdn-cgi/l/email-protection`;

test.each([
  [
    'a text',
    `<p>Write to <span class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</span>.</p>`,
    '<p>Write to git@example.com.</p>',
  ],
  [
    'a link with a text of its own',
    `<a href="${link}#${code}">Write to us</a>`,
    '<a href="mailto:git@example.com">Write to us</a>',
  ],
  [
    'a link around the address',
    `<a href="${link}#${hidden('a@b.test?subject=Hi', 1)}"><span data-cfemail="${hidden('a@b.test', 2)}">x</span></a>`,
    '<a href="mailto:a@b.test?subject=Hi">a@b.test</a>',
  ],
  [
    'a link made of a text',
    `<a href="${link}" class="__cf_email__" data-cfemail="${code.toUpperCase()}">[email&#160;protected]</a>`,
    '<a href="mailto:git@example.com" class="__cf_email__" data-cfemail="' +
      `${code.toUpperCase()}">git@example.com</a>`,
  ],
  [
    'code',
    `<pre><code>git clone <span data-cfemail="${code}">x</span>:quay/lamp.git</code></pre>`,
    '<pre><code>git clone git@example.com:quay/lamp.git</code></pre>',
  ],
  [
    'letters beyond ASCII, an absolute link',
    `<a href="https://site.test${link}#${hidden('jürgen@küste.test')}">x</a>`,
    '<a href="mailto:jürgen@küste.test">x</a>',
  ],
])('addresses that Cloudflare hides are decoded: %s', (_, html, expected) => {
  expect(decode(html)).toBe(expected);
});

test.each([
  ['a link without an address', `<a href="${link}#543c">x</a>`, '<a>x</a>'],
  ['a link without a code', `<a href="${link}">x</a>`, '<a>x</a>'],
  ['no address', `<b data-cfemail="54333d">x</b>`, '<b data-cfemail="54333d">x</b>'],
  [
    'markup instead of an address',
    `<b data-cfemail="${hidden('<b>@x y')}">x</b>`,
    `<b data-cfemail="${hidden('<b>@x y')}">x</b>`,
  ],
  ['no hexadecimal', '<b data-cfemail="zz">x</b>', '<b data-cfemail="zz">x</b>'],
])('what cannot be decoded: %s', (_, html, expected) => {
  expect(decode(html)).toBe(expected);
});
