/** Fuzzes robots.txt: rules against a naive reading of RFC 9309, and text of any kind. src/core/frontier. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { parseRobots } from '../../src/core/frontier/robots/robots.ts';
import { fuzzTest } from './fuzz-test.ts';
import { mutate, mutations, soup } from './mutations.ts';
import { cpuTime } from '../support/cpu-time.ts';

interface Rule {
  readonly allows: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: readonly string[];
  readonly rules: readonly Rule[];
}

/** Few letters, so that patterns and paths meet. */
const path = fc
  .array(fc.constantFrom('a', 'b', '/', '*', '$', 'ab', '?', '='), { maxLength: 8 })
  .map((pieces) => `/${pieces.join('')}`);
const rule: fc.Arbitrary<Rule> = fc.record({
  allows: fc.boolean(),
  pattern: fc.oneof(
    { weight: 6, arbitrary: path },
    { weight: 1, arbitrary: fc.constantFrom('*', '*b', 'a', '', '$') },
  ),
});
const agent = fc.constantFrom('*', 'examplebot', 'ExampleBot', 'otherbot', 'third');
const group: fc.Arbitrary<Group> = fc.record({
  agents: fc.array(agent, { minLength: 1, maxLength: 3 }),
  rules: fc.array(rule, { minLength: 1, maxLength: 6 }),
});
const layout = fc.record({
  end: fc.constantFrom('\n', '\r\n', '\r'),
  colon: fc.constantFrom(':', ' : ', ':\t'),
  comment: fc.constantFrom('', ' # why', '#'),
  between: fc.constantFrom(
    '',
    'Sitemap: https://example.test/s.xml',
    'Unknown: x',
    '# Disallow: /',
  ),
});
type Layout = typeof layout extends fc.Arbitrary<infer Value> ? Value : never;

function write(groups: readonly Group[], { end, colon, comment, between }: Layout): string {
  const lines = groups.flatMap(({ agents, rules }) => [
    ...agents.map((name) => `User-Agent${colon}${name}${comment}`),
    ...(between === '' ? [] : [between]),
    ...rules.map(
      ({ allows, pattern }) => `${allows ? 'Allow' : 'disallow'}${colon}${pattern}${comment}`,
    ),
  ]);
  return lines.map((line) => line + end).join('');
}

/** RFC 9309, 2.2: the groups of the agent, or those of `*`; the longest match, Allow when equal. */
function isAllowed(groups: readonly Group[], name: string, target: string): boolean {
  const isFor = (agent: string) => (one: Group) =>
    one.agents.some((listed) => listed.toLowerCase() === agent);
  const own = groups.filter(isFor(name));
  const rules = (own.length > 0 ? own : groups.filter(isFor('*')))
    .flatMap((one) => one.rules)
    .filter(({ pattern }) => pattern !== '' && matches(pattern, target));
  const longest = Math.max(0, ...rules.map(({ pattern }) => pattern.length));
  const deciding = rules.filter(({ pattern }) => pattern.length === longest);
  return deciding.length === 0 || deciding.some(({ allows }) => allows);
}

/** Tries every way in which a `*` can be read. */
function matches(pattern: string, target: string): boolean {
  if (pattern === '') return true;
  if (pattern === '$') return target === '';
  const rest = pattern.slice(1);
  if (pattern.startsWith('*')) {
    return matches(rest, target) || (target !== '' && matches(pattern, target.slice(1)));
  }
  return target.startsWith(pattern.charAt(0)) && matches(rest, target.slice(1));
}

fuzzTest(
  'rules decide as RFC 9309 says',
  { runs: 1_500, share: 4 },
  fc.property(
    fc.array(group, { maxLength: 4 }),
    layout,
    path,
    agent,
    (groups, style, target, name) => {
      fc.pre(name !== '*');
      const url = new URL(`https://example.test${target}`);
      const robots = parseRobots(write(groups, style));
      const { pathname, search } = url;
      expect(robots.isAllowed(url.href, name)).toBe(
        isAllowed(groups, name.toLowerCase(), pathname + search),
      );
    },
  ),
);

const lines = [
  'User-agent: *\n',
  'user-agent:examplebot\r\n',
  'User-agent: examplebot-news\n',
  'USER-AGENT :\n',
  'Disallow: /\n',
  'Disallow:\n',
  'Allow: /a*b$\n',
  'Disallow: /%61%zz%\n',
  'Disallow: /ü€\n',
  'Disallow\n',
  'Crawl-delay: 5\n',
  'Crawl-delay: 1e999\n',
  'Crawl-delay: -1\n',
  'Sitemap: /s.xml\n',
  'Sitemap: \n',
  '\ufeff',
  '\0',
  '\r',
  '\n',
  '#',
  ':',
  '*',
  '$',
  '%',
  '%2',
  '<html>',
  '\u2028',
  '\ud800',
  ' ',
  '\t',
  `Disallow: /${'*a'.repeat(500)}$\n`,
  `Disallow: ${'*'.repeat(3_000)}b\n`,
  'Allow: /a\n'.repeat(500),
];
const anyText = fc
  .tuple(soup(lines, 40), mutations(lines))
  .map(([text, changes]) => mutate(Buffer.from(text), changes).toString('utf8'));
const anyUrl = fc.oneof(
  path.map((target) => `https://example.test${target}`),
  fc.constant(`https://example.test/${'a'.repeat(5_000)}`),
  fc.webUrl(),
  fc.string(),
);
const anyAgent = fc.oneof(
  agent,
  fc.constantFrom(
    'examplebot-news/2.0',
    'Mozilla/5.0 (compatible; ExampleBot/1; +https://x)',
    '',
    '__proto__',
    '-',
  ),
  fc.string(),
);

fuzzTest(
  'any text is read without an error, gives one answer, and gives it soon',
  { runs: 400, share: 4 },
  fc.property(anyText, anyUrl, anyAgent, (text, url, name) => {
    const start = cpuTime();
    const robots = parseRobots(text);
    const allowed = robots.isAllowed(url, name);
    expect(typeof allowed).toBe('boolean');
    expect(parseRobots(text).isAllowed(url, name)).toBe(allowed);
    expect(robots.isAllowed(url, name)).toBe(allowed);
    // What is closed has a line to tell, and what no line is about is open.
    if (robots.rule(url, name) === undefined) expect(allowed).toBe(true);
    else expect(robots.rule(url, name)).toMatch(allowed ? /^Allow: / : /^Disallow: /);
    const delay = robots.crawlDelay(name) ?? 0;
    expect(Number.isFinite(delay) && delay >= 0).toBe(true);
    expect(robots.sitemaps).not.toContain('');
    expect(cpuTime() - start).toBeLessThan(2_000);
  }),
);
