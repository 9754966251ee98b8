import { expect, test } from 'vitest';
import { registrableDomain } from '../../../src/core/url/registrable-domain.ts';

const cases: [host: string, expected: string][] = [
  ['example.com', 'example.com'],
  ['www.Example.COM', 'example.com'],
  ['a.b.example.com.', 'example.com'],
  ['shop.example.co.uk', 'example.co.uk'],
  ['alice.github.io', 'alice.github.io'],
  ['www.alice.github.io', 'alice.github.io'],
  ['github.io', 'github.io'],
  ['co.uk', 'co.uk'],
  ['localhost', 'localhost'],
  ['a.localhost', 'a.localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['[::1]', '[::1]'],
  ['intranet', 'intranet'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['', ''],
];

test.each(cases)('the registrable domain of %j is %j', (host, expected) => {
  expect(registrableDomain(host)).toBe(expected);
});
