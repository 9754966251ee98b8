/** The robots.txt files that are kept. */
import { expect, it, onTestFinished } from 'vitest';
import { RobotsCache } from '../../../../src/core/frontier/robots/site-files.ts';
import { parseRobots } from '../../../../src/core/frontier/robots/robots.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

it('a reading that fails is told to whoever asked, ends no process, and is not kept', async () => {
  const unhandled = unhandledRejections(onTestFinished);
  let readings = 0;
  const cache = new RobotsCache(
    async () => {
      readings += 1;
      await Promise.resolve();
      if (readings === 1) throw new RangeError('too deep');
      return { robots: parseRobots('User-agent: *\nDisallow: /a'), isReached: true, size: 30 };
    },
    () => 0,
  );
  await expect(cache.get('https://site.test')).rejects.toThrow('too deep');
  const robots = await cache.get('https://site.test');
  expect(robots.isAllowed('https://site.test/a', 'bot')).toBe(false);
  await cache.get('https://site.test');
  expect(readings).toBe(2);
  expect(await unhandled()).toEqual([]);
});
