import { describe, expect, test } from 'vitest';
import { parseRobots, robotsFromResponse } from '../../../../src/core/frontier/robots/robots.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const site = 'http://example.test';
const lines = (...text: string[]): string => text.join('\n');

describe('matching, one rule for everybody', () => {
  test.each([
    ['/fish', '/fish', true],
    ['/fish', '/fish.html', true],
    ['/fish', '/fish/salmon.html', true],
    ['/fish', '/fish.php?id=anything', true],
    ['/fish', '/Fish.asp', false],
    ['/fish', '/catfish', false],
    ['/fish*', '/fishheads/yummy.html', true],
    ['/fish/', '/fish', false],
    ['/fish/', '/fish/?id=1', true],
    ['/*.php', '/index.php', true],
    ['/*.php', '/folder/filename.php?parameters', true],
    ['/*.php', '/windows.PHP', false],
    ['/*.php$', '/filename.php', true],
    ['/*.php$', '/filename.php?parameters', false],
    ['/*.php$', '/filename.php/', false],
    ['/*.php$', '/a.php.php', true],
    ['/fish*.php', '/fishheads/catfish.php?p', true],
    ['/fish*.php', '/Fish.PHP', false],
    ['/a$', '/a', true],
    ['/a$', '/ab', false],
    ['/a*$', '/abc', true],
    ['/a**b', '/axxb', true],
    ['/a*aa$', '/aa', false],
    ['*/b', '/a/b', true],
    ['fish', '/fish', false],
    ['http://example.test/fish', '/fish', false],
    ['/a$b', '/a$b', true],
  ])('Disallow: %s closes %s: %s', (pattern, path, closed) => {
    const robots = parseRobots(lines('User-agent: *', `Disallow: ${pattern}`));
    expect(robots.isAllowed(site + path, 'anybot')).toBe(!closed);
  });
});

describe('percent-encoding is normalised on both sides (RFC 9309, 2.2.2 and 2.2.3)', () => {
  test.each([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/ツ'],
    ['/foo/bar/%e3%83%84', '/foo/bar/ツ'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/foo/bar/baz', '/foo/bar/%62%61%7A'],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html'],
    ['/path/foo-%24', '/path/foo-$'],
    ['/a b', '/a%20b'],
    ['/100%', '/100%25'],
  ])('Disallow: %s closes %s', (pattern, path) => {
    const robots = parseRobots(lines('User-agent: *', `Disallow: ${pattern}`));
    expect(robots.isAllowed(site + path, 'anybot')).toBe(false);
  });

  test.each([
    ['/a%2Fb', '/a/b'],
    ['/file-%2A.html', '/file-x.html'],
    ['/foo-%24', '/foo-'],
  ])('Disallow: %s leaves %s open', (pattern, path) => {
    const robots = parseRobots(lines('User-agent: *', `Disallow: ${pattern}`));
    expect(robots.isAllowed(site + path, 'anybot')).toBe(true);
  });
});

describe('precedence', () => {
  test.each([
    [['Allow: /p', 'Disallow: /'], '/page', true],
    [['Allow: /folder', 'Disallow: /folder'], '/folder/page', true],
    [['Disallow: /folder', 'Allow: /folder'], '/folder/page', true],
    [['Allow: /page', 'Disallow: /*.htm'], '/page.htm', false],
    [['Allow: /page', 'Disallow: /*.ph'], '/page.php5', true],
    [['Allow: /$', 'Disallow: /'], '/', true],
    [['Allow: /$', 'Disallow: /'], '/page.htm', false],
    [['Disallow: /x/page.html', 'Allow: /x/'], '/x/page.html', false],
    [['Disallow: /x/', 'Allow: /x/page.html'], '/x/page.html', true],
    [['Disallow:'], '/anything', true],
    [['Disallow: /', 'Disallow:'], '/anything', false],
    [['Disallow: /', 'Allow:'], '/anything', false],
    [['Disallow: /'], '/robots.txt', true],
  ])('%j: %s is allowed: %s', (rules, path, allowed) => {
    const robots = parseRobots(lines('User-agent: *', ...rules));
    expect(robots.isAllowed(site + path, 'anybot')).toBe(allowed);
  });

  test('the deciding line is told as it was written', () => {
    const robots = parseRobots(
      lines('User-agent: *', 'disallow:/internal/ # keep out', 'ALLOW: /internal/open*'),
    );
    expect(robots.rule(`${site}/internal/a`, 'anybot')).toBe('Disallow: /internal/');
    expect(robots.rule(`${site}/internal/open/a`, 'anybot')).toBe('Allow: /internal/open*');
    expect(robots.rule(`${site}/`, 'anybot')).toBeUndefined();
  });
});

describe('groups', () => {
  const text = lines(
    'Disallow: /before-any-group',
    'User-agent: alphabot',
    'User-agent: BetaBot/2.0',
    'Disallow: /both',
    '',
    'User-agent: *',
    'Disallow: /others',
    '',
    'User-agent: AlphaBot',
    'Disallow: /again',
    '',
    'User-agent: alphabot-news',
    'Disallow: /news',
  );
  const robots = parseRobots(text);

  test.each([
    ['anybot', '/before-any-group', true],
    ['alphabot', '/both', false],
    ['ALPHABOT', '/both', false],
    ['AlphaBot/1.0 (+http://example.test)', '/both', false],
    ['Mozilla/5.0 (compatible; AlphaBot/1.0; +http://a.test)', '/both', false],
    ['alphabot', '/again', false],
    ['alphabot', '/others', true],
    ['betabot', '/both', false],
    ['betabot', '/again', true],
    ['gammabot', '/both', true],
    ['gammabot', '/others', false],
    ['alphabots', '/both', true],
    ['alpha', '/both', true],
    ['alphabot-news', '/news', false],
    ['alphabot-news', '/both', true],
    ['alphabot-images', '/both', false],
    ['', '/others', false],
  ])('%s may fetch %s: %s', (agent, path, allowed) => {
    expect(robots.isAllowed(site + path, agent)).toBe(allowed);
  });

  test('a line that is no rule does not end the list of agents', () => {
    const mixed = parseRobots(
      lines('User-agent: a', 'Sitemap: http://example.test/s.xml', 'User-agent: b', 'Disallow: /x'),
    );
    expect(mixed.isAllowed(`${site}/x`, 'a')).toBe(false);
    expect(mixed.isAllowed(`${site}/x`, 'b')).toBe(false);
  });

  test('an empty rule ends it, and gives the agent all', () => {
    const open = parseRobots(lines('User-agent: a', 'Disallow:', 'User-agent: *', 'Disallow: /'));
    expect(open.isAllowed(`${site}/x`, 'a')).toBe(true);
    expect(open.isAllowed(`${site}/x`, 'b')).toBe(false);
  });
});

describe('reading', () => {
  test.each(['\n', '\r', '\r\n', '\n\n\n'])('lines end with %j', (end) => {
    const robots = parseRobots(['User-agent: *', 'Disallow: /x'].join(end));
    expect(robots.isAllowed(`${site}/x`, 'a')).toBe(false);
  });

  test('byte order mark, comments, white space and unknown lines do no harm', () => {
    const robots = parseRobots(
      lines(
        '\uFEFF# hello',
        '  USER-AGENT :  *  # all',
        'Noindex: /y',
        'no colon here',
        '\tDisallow\t:\t/x\t',
      ),
    );
    expect(robots.isAllowed(`${site}/x`, 'a')).toBe(false);
    expect(robots.isAllowed(`${site}/y`, 'a')).toBe(true);
  });

  test('a Crawl-delay is for the agents right before it; rules are for all since the last rule', () => {
    const robots = parseRobots(
      'User-agent: *\nCrawl-delay: 0\n\nUser-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nUser-agent: c\nDisallow: /x\nCrawl-delay: 3\nUser-agent: d\nDisallow: /y',
    );
    const delays = ['a', 'b', 'c', 'd', 'other'].map((agent) => robots.crawlDelay(agent));
    expect(delays).toEqual([1, 3, 3, undefined, 0]);
    expect(robots.isAllowed('http://a.test/x', 'a')).toBe(false);
    expect(robots.isAllowed('http://a.test/x', 'd')).toBe(true);
  });

  test('crawl delays belong to their agents', () => {
    const robots = parseRobots(
      lines(
        'User-agent: a',
        'Crawl-delay: 2.5',
        'Disallow:',
        'User-agent: *',
        'Crawl-delay: 10',
        'User-agent: b',
        'Crawl-delay: soon',
        'Disallow:',
      ),
    );
    expect(robots.crawlDelay('a')).toBe(2.5);
    expect(robots.crawlDelay('c')).toBe(10);
    expect(parseRobots('').crawlDelay('a')).toBeUndefined();
    expect(parseRobots('User-agent: *\nCrawl-delay: -1').crawlDelay('a')).toBeUndefined();
  });

  test('sitemaps are listed in order, each once, in or outside of groups', () => {
    const robots = parseRobots(
      lines(
        'Sitemap: http://example.test/b.xml',
        'User-agent: *',
        'sitemap:http://example.test/a.xml # the other',
        'Sitemap:',
        'Sitemap: http://example.test/b.xml',
      ),
    );
    expect(robots.sitemaps).toEqual(['http://example.test/b.xml', 'http://example.test/a.xml']);
  });

  test('an empty file, a web page and binary noise allow all', () => {
    for (const text of ['', '<!doctype html><p>Not found', '\u0000\u0001\uFFFD']) {
      expect(parseRobots(text).isAllowed(`${site}/x`, 'a')).toBe(true);
    }
  });

  test('what is no URL is closed by no rule', () => {
    expect(parseRobots('User-agent: *\nDisallow: /').isAllowed('nonsense', 'a')).toBe(true);
  });
});

describe('files beyond 500 KiB', () => {
  const limit = 500 * 1024;
  /** Comments up to a number of bytes, in whole lines. */
  const filled = (head: string, bytes: number): string =>
    `${head}#${'x'.repeat(bytes - head.length - 2)}\n`;

  test('a line that ends with the limit is whole', () => {
    const rule = 'Disallow: /b';
    const text = `${filled('User-agent: *\n', limit - rule.length)}${rule}\nDisallow: /c\n`;
    expect(parseRobots(text).isAllowed(`${site}/b`, 'a')).toBe(false);
    expect(parseRobots(text).isAllowed(`${site}/c`, 'a')).toBe(true);
  });

  test('an agent whose rules lie behind the limit has those of all', () => {
    const head = 'User-agent: *\nUser-agent: b\nDisallow: /private\n';
    const text = `${filled(head, limit - 30)}User-agent: a\nUser-agent: b\n${'#'.repeat(99)}\nDisallow: /a\n`;
    for (const agent of ['a', 'b', 'c']) {
      expect(parseRobots(text).isAllowed(`${site}/private`, agent)).toBe(false);
    }
    const whole = 'User-agent: *\nDisallow: /private\nUser-agent: a\n';
    expect(parseRobots(whole).isAllowed(`${site}/private`, 'a')).toBe(true);
  });

  test('the limit counts bytes, also of UTF-16', () => {
    const text = `${filled('User-agent: *\nDisallow: /a\n', limit / 2)}Disallow: /b\n`;
    const wide = parseRobots(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    expect(wide.isAllowed(`${site}/a`, 'a')).toBe(false);
    expect(wide.isAllowed(`${site}/b`, 'a')).toBe(true);
    expect(parseRobots(text).isAllowed(`${site}/b`, 'a')).toBe(false);
  });
});

describe('hostile files', () => {
  test('nothing is read beyond 500 KiB, nor a line that the limit cuts', () => {
    const head = 'User-agent: *\nDisallow: /early\n';
    const cut = `Disallow: /${'a'.repeat(100)}`;
    const padding = '#'.repeat(500 * 1024 - head.length - 1 - 12);
    const robots = parseRobots(`${head}${padding}\n${cut}\nDisallow: /late\n`);
    expect(robots.isAllowed(`${site}/early`, 'a')).toBe(false);
    expect(robots.isAllowed(`${site}/late`, 'a')).toBe(true);
    expect(robots.isAllowed(`${site}/ab`, 'a')).toBe(true);
  });

  test.each([
    ['wildcards', `User-agent: *\nDisallow: /${'*a'.repeat(200_000)}b$`],
    ['one endless line', `${'x'.repeat(500_000)}\n${'y'.repeat(100_000)}`],
    ['agents and rules', `${'User-agent: a\n'.repeat(15_000)}${'Disallow: /b\n'.repeat(20_000)}`],
    ['digits', `User-agent: *\nCrawl-delay: ${'1'.repeat(400_000)}x`],
    ['escapes', `User-agent: *\nDisallow: /${'%'.repeat(400_000)}`],
  ])('%s cost no time', (_, text) => {
    const started = cpuTime();
    const robots = parseRobots(text);
    robots.crawlDelay('a');
    for (let page = 0; page < 10; page++)
      robots.isAllowed(`${site}/${'a'.repeat(2_000)}${page}`, 'a');
    expect(cpuTime() - started).toBeLessThan(1_000);
  });
});

describe('what the response to robots.txt means', () => {
  const closed = 'User-agent: *\nDisallow: /';

  test.each([
    [200, false],
    [204, false],
    [301, true],
    [401, true],
    [404, true],
    [429, true],
    [500, false],
    [503, false],
  ])('with status %i pages are allowed: %s', (statusCode, allowed) => {
    expect(robotsFromResponse(statusCode, closed).isAllowed(`${site}/x`, 'a')).toBe(allowed);
  });

  test('a failing server is named as the rule, and robots.txt itself stays open', () => {
    const robots = robotsFromResponse(503, '');
    expect(robots.rule(`${site}/x`, 'a')).toContain('503');
    expect(robots.isAllowed(`${site}/robots.txt`, 'a')).toBe(true);
  });
});
