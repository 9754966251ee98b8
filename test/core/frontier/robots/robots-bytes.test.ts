import { describe, expect, test } from 'vitest';
import { parseRobots, robotsFromResponse } from '../../../../src/core/frontier/robots/robots.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const site = 'http://example.test';
const rules = 'User-agent: *\nDisallow: /café\nDisallow: /x\n';
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const closes = (bytes: Uint8Array, path: string): boolean =>
  !parseRobots(bytes).isAllowed(site + path, 'a');

describe('bytes', () => {
  test.each([
    ['UTF-8', Buffer.from(rules)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${rules}`)],
    ['UTF-8 with two thirds of a mark', Buffer.concat([latin1('\xEF\xBB'), Buffer.from(rules)])],
    ['UTF-8 with a third of a mark', Buffer.concat([latin1('\xEF'), Buffer.from(rules)])],
    ['UTF-16LE with a mark', Buffer.from(`\uFEFF${rules}`, 'utf16le')],
    ['UTF-16BE with a mark', Buffer.from(`\uFEFF${rules}`, 'utf16le').swap16()],
    ['UTF-16LE without a mark', Buffer.from(rules, 'utf16le')],
    ['UTF-16BE without a mark', Buffer.from(rules, 'utf16le').swap16()],
  ])('%s is read', (_, bytes) => {
    expect(closes(bytes, '/x')).toBe(true);
    expect(closes(bytes, '/caf%C3%A9')).toBe(true);
    expect(closes(bytes, '/y')).toBe(false);
  });

  test('octets that are no UTF-8 are octets of the path', () => {
    const bytes = latin1(
      'User-agent: *\nDisallow: /caf\xE9\nDisallow: /\xC3\xA9\xFF\nDisallow: /x',
    );
    expect(closes(bytes, '/caf%E9')).toBe(true);
    expect(closes(bytes, '/caf%e9/menu')).toBe(true);
    expect(closes(bytes, '/%C3%A9%FF')).toBe(true);
    expect(closes(bytes, '/x')).toBe(true);
    expect(closes(bytes, '/caf')).toBe(false);
  });

  test('a zero byte is a character that no path has unescaped', () => {
    const bytes = latin1('User-agent: *\nDisallow: /a\0b\nDis\0allow: /y\nDisallow: /x');
    expect(closes(bytes, '/a%00b')).toBe(true);
    expect(closes(bytes, '/ab')).toBe(false);
    expect(closes(bytes, '/y')).toBe(false);
    expect(closes(bytes, '/x')).toBe(true);
  });

  test('the first 500 KiB count, without the line they cut', () => {
    const early = 'User-agent: *\nDisallow: /early\n';
    // Characters of two bytes: half as many of them as bytes.
    const filler = `#${'é'.repeat((500 * 1024 - early.length - 14) / 2)}`;
    const bytes = Buffer.from(`${early}${filler}\nDisallow: /cut-in-two\nDisallow: /late\n`);
    expect(closes(bytes, '/early')).toBe(true);
    expect(closes(bytes, '/cut')).toBe(false);
    expect(closes(bytes, '/late')).toBe(false);
  });

  test('a file of 5 MB without any line end has no rule', () => {
    expect(closes(Buffer.alloc(5_000_000, 'Disallow: /'), '/x')).toBe(false);
  });

  test('of a longer line the first 16 KiB count', () => {
    const long = `/x/${'a'.repeat(16_380 - 'Disallow: /x/'.length)}`;
    const robots = parseRobots(`User-agent: *\nDisallow: ${long}/qux/and/more\nDisallow: /y`);
    expect(robots.isAllowed(`${site}${long}/qux/other`, 'a')).toBe(false);
    expect(robots.isAllowed(`${site}/x/b`, 'a')).toBe(true);
    expect(robots.isAllowed(`${site}/y`, 'a')).toBe(false);
  });

  test('a web page in place of the file closes nothing', () => {
    const page = Buffer.from(
      '<!doctype html><title>Not found</title><style>a:hover{color:red}</style>' +
        '<script>let user = { agent: "*", disallow: "/" }</script>\n<p>Disallow: /</p>\n',
    );
    expect(robotsFromResponse(200, page).isAllowed(`${site}/x`, 'a')).toBe(true);
    expect(robotsFromResponse(200, page).sitemaps).toEqual([]);
  });
});

describe('hostile files', () => {
  const many = (count: number, line: (index: number) => string): string =>
    `User-agent: *\n${Array.from({ length: count }, (_, index) => line(index)).join('\n')}`;

  test.each([
    ['stars', 'User-agent: *\nDisallow: /' + '*a'.repeat(8_000) + 'b'],
    ['stars to the end', 'User-agent: *\nDisallow: /' + '*a'.repeat(8_000) + 'b$'],
    ['many patterns', many(30_000, (index) => `Disallow: /*ab${index % 10}`)],
    ['many stars', many(20_000, (index) => `Disallow: *a*a*b${index % 9}`)],
    ['near misses', many(1_800, () => `Disallow: /*${'a'.repeat(125)}b${'a'.repeat(125)}`)],
    ['escapes', many(30, () => `Disallow: /${'%'.repeat(16_000)}`)],
    ['escaped letters', many(30, () => `Disallow: /${'%41'.repeat(5_000)}`)],
  ])('%s do not hold up the process for long URLs', (_, text) => {
    const robots = parseRobots(text);
    const started = cpuTime();
    for (let page = 0; page < 5; page++) {
      robots.isAllowed(`${site}/${'a'.repeat(60_000)}${page}`, 'a');
    }
    expect(cpuTime() - started).toBeLessThan(3_000);
  });

  test('a URL that would take too many comparisons is closed, and the rule says so', () => {
    const robots = parseRobots(many(30_000, (index) => `Disallow: /*ab${index % 10}`));
    const long = `${site}/${'a'.repeat(2_000)}`;
    expect(robots.isAllowed(long, 'a')).toBe(false);
    expect(robots.rule(long, 'a')).toContain('too many');
    expect(robots.isAllowed(`${site}/a`, 'a')).toBe(true);
    expect(robots.rule(`${site}/xab1`, 'a')).toBe('Disallow: /*ab1');
  });

  test('500 wildcard patterns are no reason to close a URL of 2,000 characters', () => {
    const robots = parseRobots(many(500, (index) => `Disallow: /*ab${index}`));
    expect(robots.isAllowed(`${site}/${'a'.repeat(2_000)}`, 'a')).toBe(true);
  });

  test('an endless rule is told in short', () => {
    const robots = parseRobots(`User-agent: *\nDisallow: /*${'*a'.repeat(7_000)}`);
    expect(robots.rule(`${site}/${'a'.repeat(7_000)}`, 'a')?.length).toBe(500);
  });
});
