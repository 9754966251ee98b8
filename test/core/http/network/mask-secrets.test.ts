/** Secrets in URLs, JSON and text are masked by the names of their fields; all else stays. */
import { describe, expect, test } from 'vitest';
import { maskText, maskUrl, maskValue } from '../../../../src/core/http/network/mask-secrets.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcDEF123_x';

describe('URLs', () => {
  test.each([
    ['https://ada:pw@example.com/a?page=2', 'https://example.com/a?page=2'],
    [
      'https://a.example/?access_token=x1&q=lamp',
      'https://a.example/?access_token=REDACTED&q=lamp',
    ],
    [
      'https://a.example/?api_key=1&apiKey=2&key=name',
      'https://a.example/?api_key=REDACTED&apiKey=REDACTED&key=name',
    ],
    ['https://a.example/?key=AIzaSy4x9Kq2Lm7Pz1', 'https://a.example/?key=REDACTED'],
    [
      'https://a.example/?X-Amz-Signature=aa&X-Amz-Credential=b',
      'https://a.example/?X-Amz-Signature=REDACTED&X-Amz-Credential=REDACTED',
    ],
    ['https://a.example/#id_token=abc&state=1', 'https://a.example/#id_token=REDACTED&state=1'],
    ['https://a.example/?user%5Bpassword%5D=abc', 'https://a.example/?user%5Bpassword%5D=REDACTED'],
    [
      'https://a.example/?sig=1&design=2&author=3',
      'https://a.example/?sig=REDACTED&design=2&author=3',
    ],
    [
      'https://a.example/?PHPSESSID=1;jsessionid=2',
      'https://a.example/?PHPSESSID=REDACTED;jsessionid=REDACTED',
    ],
    [
      'https://a.example/?next_page_token=abc&nextPageToken=d',
      'https://a.example/?next_page_token=abc&nextPageToken=d',
    ],
    [
      'https://a.example/?passphrase=a&api+key=b&api%20key=c&client_secret=d&otp=e&x-amz-signature=f&pin_code=g&q=h',
      'https://a.example/?passphrase=REDACTED&api+key=REDACTED&api%20key=REDACTED&client_secret=REDACTED&otp=REDACTED&x-amz-signature=REDACTED&pin_code=REDACTED&q=h',
    ],
    [
      'https://a.example/?pinned=1&option=2&opinion=3&passenger=4&signal=5&side=6&bypass=7',
      'https://a.example/?pinned=1&option=2&opinion=3&passenger=4&signal=5&side=6&bypass=7',
    ],
    [
      'https://a.example/?next=https://b.example/?token=abc&page=2',
      'https://a.example/?next=https://b.example/?token=REDACTED&page=2',
    ],
    [
      'https://a.example/?next=https%3A%2F%2Fb.example%2F%3Ftoken%3Dabc%26page%3D2&page=3',
      'https://a.example/?next=https%3A%2F%2Fb.example%2F%3Ftoken%3DREDACTED%26page%3D2&page=3',
    ],
    [
      'https://a.example/?next=https%3A%2F%2Fb.example%2F%3Fu%3Dhttps%253A%252F%252Fc.example%252F%253Ftoken%253Dabc',
      'https://a.example/?next=https%3A%2F%2Fb.example%2F%3Fu%3Dhttps%253A%252F%252Fc.example%252F%253Ftoken%253DREDACTED',
    ],
    [
      'https://a.example/go/https%3A%2F%2Fb.example%2F%3Faccess_token%3Dabc/x',
      'https://a.example/go/https%3A%2F%2Fb.example%2F%3Faccess_token%3DREDACTED/x',
    ],
    ['https://a.example/#/login?otp=123456', 'https://a.example/#/login?otp=REDACTED'],
    [
      'https://a.example/?state=%7B%22token%22%3A%22abc%22%2C%22page%22%3A2%7D',
      'https://a.example/?state=%7B%22token%22%3A%22REDACTED%22%2C%22page%22%3A2%7D',
    ],
    [
      `https://a.example/?u=${Buffer.from('https://b.example/?token=abc').toString('base64')}&q=1`,
      'https://a.example/?u=REDACTED&q=1',
    ],
    [
      `https://a.example/?u=${Buffer.from('https://b.example/list?page=abc').toString('base64url')}&q=1`,
      `https://a.example/?u=${Buffer.from('https://b.example/list?page=abc').toString('base64url')}&q=1`,
    ],
    [
      'https://a.example/?next=https%3A%2F%2Fb.example%2Flist%3Fpage%3D2',
      'https://a.example/?next=https%3A%2F%2Fb.example%2Flist%3Fpage%3D2',
    ],
    [`https://a.example/${token}/x`, 'https://a.example/REDACTED/x'],
  ])('%s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });
});

test('fields of JSON, with numbers and lists, and pairs of name and value', () => {
  const given = {
    user: { name: 'Ada', password: 'x', pin: 1234, userPwd: 'y', tokens: ['a', 'b'] },
    session: { id: 's', authenticated: true },
    variables: [
      { name: 'password', value: 'z' },
      { name: 'color', value: 'red' },
    ],
    accessToken: { value: 'abc', expires: 60 },
    field: { id: 'f1', name: 'password', value: 'v' },
    author: 'Ada',
    max_tokens: 10,
    nested: '{"token":"abc"}',
    empty: { secret: '' },
  };
  expect(maskValue(given)).toEqual({
    user: {
      name: 'Ada',
      password: 'REDACTED',
      pin: 'REDACTED',
      userPwd: 'REDACTED',
      tokens: ['REDACTED', 'REDACTED'],
    },
    session: { id: 's', authenticated: true },
    variables: [
      { name: 'password', value: 'REDACTED' },
      { name: 'color', value: 'red' },
    ],
    accessToken: { value: 'REDACTED', expires: 60 },
    field: { id: 'f1', name: 'password', value: 'REDACTED' },
    author: 'Ada',
    max_tokens: 10,
    nested: '{"token":"REDACTED"}',
    empty: { secret: '' },
  });
  const named = JSON.parse('{"__proto__":{"token":"a"}}') as object;
  expect(JSON.stringify(maskValue(named))).toBe('{"__proto__":{"token":"REDACTED"}}');
});

test.each([
  ['Authorization: Bearer abcdef123456', 'Authorization: Bearer REDACTED'],
  ['window.apiKey = "abc"; title: "x"', 'window.apiKey = "REDACTED"; title: "x"'],
  ["login(password: 'a\\'b', name: 'Ada')", "login(password: 'REDACTED', name: 'Ada')"],
  [
    '{"api key": "abc", "pass phrase": "a b", "one-time-pin": 1234, "api-key":"x", "title": "y"}',
    '{"api key": "REDACTED", "pass phrase": "REDACTED", "one-time-pin": "REDACTED", "api-key":"REDACTED", "title": "y"}',
  ],
  [
    '{"url":"https:\\/\\/a.example\\/?q=1\\u0026token=abc"}',
    '{"url":"https:\\/\\/a.example\\/?q=1\\u0026token=REDACTED"}',
  ],
  ['<input name="api key" value="abc">', '<input name="api key" value="REDACTED">'],
  ['{\\"api key\\":\\"abc\\"}', '{\\"api key\\":\\"REDACTED\\"}'],
  ['user=ada&pass=x+y', 'user=ada&pass=REDACTED'],
  [
    '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--b--',
    '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nREDACTED\r\n--b--',
  ],
  [
    '--b\nContent-Disposition: form-data; name="password"\nContent-Type: text/plain\n\nhunter2\n--b--',
    '--b\nContent-Disposition: form-data; name="password"\nContent-Type: text/plain\n\nREDACTED\n--b--',
  ],
  ['{"pin":1234,"page":2}\n{"pin": 5}', '{"pin":"REDACTED","page":2}\n{"pin": "REDACTED"}'],
  [
    'push([1,"{\\"accessToken\\":\\"abc\\",\\"name\\":\\"Ada\\"}"])',
    'push([1,"{\\"accessToken\\":\\"REDACTED\\",\\"name\\":\\"Ada\\"}"])',
  ],
  [
    '<input name="csrf" value="a1"><input value=\'b\' type=password><input name="q" value="lamp">',
    '<input name="csrf" value="REDACTED"><input value="REDACTED" type=password><input name="q" value="lamp">',
  ],
  ['<meta name="csrf-token" content="abc">', '<meta name="csrf-token" content="REDACTED">'],
  [`x-${token} and a.b.eyJ`, 'x-REDACTED and a.b.eyJ'],
  [
    '<Login><s:Password type="text">hunter2</s:Password><User>Ada</User><Token><![CDATA[abc]]></Token></Login>',
    '<Login><s:Password type="text">REDACTED</s:Password><User>Ada</User><Token><![CDATA[REDACTED</Token></Login>',
  ],
  [
    '--b\r\nContent-Disposition: form-data; name="private_key"\r\n\r\n-----BEGIN KEY-----\nabc\n-----END KEY-----\r\n--b\r\nContent-Disposition: form-data; name="q"\r\n\r\nlamp\r\n--b--',
    '--b\r\nContent-Disposition: form-data; name="private_key"\r\n\r\nREDACTED\r\n--b\r\nContent-Disposition: form-data; name="q"\r\n\r\nlamp\r\n--b--',
  ],
])('text: %s', (text, masked) => {
  expect(maskText(text)).toBe(masked);
});

test.each([
  ['quotes', '"'.repeat(1_000_000)],
  ['names', 'a-'.repeat(500_000)],
  ['open values', 'token="'.repeat(150_000)],
  ['escapes', `token="${'\\"'.repeat(500_000)}`],
  ['parameters', '&token'.repeat(160_000)],
  ['spaces', `token${' '.repeat(1_000_000)}=`],
  ['tokens', 'eyJaaaaaaaa.'.repeat(80_000)],
  ['tokens behind a dot', `aaaaaaaaaaa.${'eyJaaaaaaaa-'.repeat(80_000)}`],
  ['elements', '<password '.repeat(100_000)],
  ['open elements', '<password>'.repeat(100_000)],
  ['empty lines', 'name="pin"\n\n'.repeat(80_000)],
  ['fields', 'name="'.repeat(160_000)],
  ['URLs in URLs', '?a=https%3A%2F%2F'.repeat(60_000)],
  ['encoded words', '%3D'.repeat(330_000)],
  ['words encoded several times', '%2525253D'.repeat(110_000)],
  ['base64', `aHR0cHM6${'a'.repeat(1_000_000)}`],
  ['words', 'a b '.repeat(250_000)],
])('a megabyte of %s takes linear time', (_, text) => {
  const begun = cpuTime();
  maskText(text);
  expect(cpuTime() - begun).toBeLessThan(3000);
});

test('a long text takes linear time', () => {
  const begun = cpuTime();
  for (const part of [
    'eyJaaaaaaaa-',
    'eyJaaaaaaaa.',
    '"a":"',
    '\\"a\\":\\"',
    '<input name="a" ',
    'name="a"\n',
  ]) {
    const text = part.repeat(1_000_000 / part.length);
    expect(maskText(text).length).toBeLessThanOrEqual(text.length);
  }
  expect(cpuTime() - begun).toBeLessThan(3000);
});
