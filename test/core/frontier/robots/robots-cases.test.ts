/** The cases of fixtures/robots: RFC 9309, and what other parsers are tested for. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseRobots } from '../../../../src/core/frontier/robots/robots.ts';

interface Case {
  readonly from: string;
  readonly name: string;
  readonly robots: readonly string[];
  readonly agent: string;
  readonly open: readonly string[];
  readonly closed: readonly string[];
}

const file = new URL('../../../../fixtures/robots/cases.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];

describe.each(['\n', '\r\n', '\r'])('with lines that end with %j', (end) => {
  test.each(cases.map((one) => [one.from, one.name, one.agent, one] as const))(
    '%s: %s, for %s',
    (_from, _name, agent, { robots: lines, open, closed }) => {
      const robots = parseRobots(new TextEncoder().encode(lines.join(end)));
      const isOpen = (path: string): boolean => robots.isAllowed(`http://a.test${path}`, agent);
      expect(open.filter((path) => !isOpen(path))).toEqual([]);
      expect(closed.filter(isOpen)).toEqual([]);
      for (const path of closed) expect(robots.rule(`http://a.test${path}`, agent)).toBeDefined();
    },
  );
});

test('there are as many cases as ever', () => {
  expect(cases.length).toBeGreaterThanOrEqual(100);
});
