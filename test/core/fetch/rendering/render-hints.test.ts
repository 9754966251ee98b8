import type { Engine } from 'pagewright';
import { describe, expect, test } from 'vitest';
import { JobRenderHints } from '../../../../src/core/fetch/rendering/render-hints.ts';
import { memoryWeb } from '../../../support/memory-web.ts';
import type { RenderObservation } from '../../../../src/core/model/pace.ts';

const shop = 'https://shop.test/';
const signal = 'empty root of an app (#root)';
const right: RenderObservation = { signal, outcome: 'wasRight' };
const wrong: RenderObservation = { signal, outcome: 'wasWrong' };
/** A page whose options leave the engine open, where there is one that renders. */
const open = { mayRender: true, requires: new Map() };
const renders = { ...memoryWeb({}), can: new Set(['render'] as const) };
const engines = [memoryWeb({}), renders];
const never = new AbortController().signal;
const why = 'needed by the last 3 pages of this host';
/** Places between a page and the last one that it learns from. */
const distance = 20;

/** Pages of a host in a row that say this. */
function say(memory: JobRenderHints, lessons: readonly RenderObservation[], url = shop): void {
  for (const lesson of lessons) {
    using page = memory.begin(url);
    page.record(lesson);
  }
}

function repeat(count: number, lesson: RenderObservation): RenderObservation[] {
  return Array.from({ length: count }, () => lesson);
}

/** What the page after those is told, where they are as far behind it takes. */
async function reasonAfter(lessons: readonly RenderObservation[]): Promise<string | undefined> {
  const memory = new JobRenderHints(1);
  say(memory, [...lessons, ...repeat(distance - 1, 'none')]);
  return reasonOf(memory);
}

async function reasonOf(memory: JobRenderHints, url = shop): Promise<string | undefined> {
  using page = memory.begin(url);
  await page.hintsFor(open, engines, never);
  return page.reasonToRender;
}

function trustAfter(
  lessons: readonly RenderObservation[],
  words = signal,
): boolean | Promise<boolean> {
  const memory = new JobRenderHints(1);
  say(memory, [...lessons, ...repeat(distance - 1, 'none')]);
  using page = memory.begin(shop);
  return page.isReliable(words);
}

describe('a host whose pages need the browser', () => {
  test('is asked without a static try after three of them', async () => {
    expect(await reasonAfter(repeat(2, right))).toBeUndefined();
    expect(await reasonAfter(repeat(3, right))).toBe(why);
  });

  test('teaches the pages that are 20 places behind, or twice as many as are under way', async () => {
    for (const [concurrency, places] of [
      [1, 20],
      [10, 20],
      [25, 50],
    ] as const) {
      const memory = new JobRenderHints(concurrency);
      say(memory, repeat(3, right));
      const reasons: (string | undefined)[] = [];
      for (let page = 0; page < places; page += 1) reasons.push(await reasonOf(memory));
      expect(reasons.indexOf(why)).toBe(places - 1);
    }
  });

  test('teaches the pages as far behind as when the job began', async () => {
    const memory = new JobRenderHints(25, 20);
    say(memory, repeat(3, right));
    const reasons: (string | undefined)[] = [];
    for (let page = 0; page < 20; page += 1) reasons.push(await reasonOf(memory));
    expect(reasons.indexOf(why)).toBe(19);
  });

  test('is the host with its port, and no other', async () => {
    const memory = new JobRenderHints(1);
    say(memory, repeat(30, right));
    say(memory, repeat(30, 'static'), 'https://www.shop.test/');
    say(memory, repeat(30, 'static'), 'https://shop.test:8443/');
    expect(await reasonOf(memory, `${shop}next?a=1`)).toBe(why);
    expect(await reasonOf(memory, 'https://www.shop.test/')).toBeUndefined();
    expect(await reasonOf(memory, 'https://shop.test:8443/')).toBeUndefined();
  });

  test.each<[string, RenderObservation]>([
    ['was static', 'static'],
    ['was rendered in vain', wrong],
    ['had a signal that is not trusted', { signal, outcome: 'ignored' }],
  ])('starts again after a page that %s', async (_, lesson) => {
    expect(await reasonAfter([...repeat(5, right), lesson])).toBeUndefined();
    expect(await reasonAfter([...repeat(5, right), lesson, ...repeat(2, right)])).toBeUndefined();
    expect(await reasonAfter([...repeat(5, right), lesson, ...repeat(3, right)])).toBe(why);
  });

  test('is asked as the options say, where they say it, or where nothing renders', async () => {
    const memory = new JobRenderHints(1);
    say(memory, repeat(30, right));
    const told = async (request: Partial<typeof open>, all: readonly Engine[]) => {
      using page = memory.begin(shop);
      return await page.hintsFor({ ...open, ...request }, all, never);
    };
    expect(await told({}, engines)).toHaveProperty('reasonToRender', why);
    expect(await told({ mayRender: false }, engines)).toBeUndefined();
    expect(await told({ requires: new Map([['wait', 'waitFor']]) }, engines)).toBeUndefined();
    expect(await told({}, [memoryWeb({})])).toBeUndefined();
  });

  test('keeps its name over pages that say nothing', async () => {
    expect(await reasonAfter([right, 'none', right, 'none', right])).toBe(why);
  });

  test('has one static try in 51, and keeps or loses its name by it', async () => {
    for (const [probe, later] of [
      [right, why],
      ['static', undefined],
    ] as const) {
      const memory = new JobRenderHints(1);
      say(memory, repeat(3, right));
      const tried: number[] = [];
      for (let place = 3; place < 50 + distance; place += 1) {
        using page = memory.begin(shop);
        await page.hintsFor(open, engines, never);
        if (page.reasonToRender === undefined) {
          tried.push(place);
          page.record(place < 3 + distance ? right : probe);
        }
      }
      expect(tried.filter((place) => place >= 3 + distance)).toEqual([50]);
      expect(await reasonOf(memory)).toBe(later);
    }
  });
});

describe('a signal that was a false alarm', () => {
  test('is not trusted after the second time, on that host only', () => {
    expect(trustAfter([wrong])).toBe(true);
    expect(trustAfter([wrong, 'static', wrong])).toBe(false);
    expect(trustAfter([wrong, wrong], 'an empty table')).toBe(true);
    const memory = new JobRenderHints(1);
    say(memory, repeat(50, wrong));
    using page = memory.begin('https://other.test/');
    expect(page.isReliable(signal)).toBe(true);
  });

  test('is forgiven when it was right in between', () => {
    expect(trustAfter([wrong, right, wrong])).toBe(true);
    expect(trustAfter([wrong, right, wrong, wrong])).toBe(false);
  });

  test('stays so while it comes again', () => {
    const ignored: RenderObservation = { signal, outcome: 'ignored' };
    const rare = [...repeat(150, 'static'), ignored];
    expect(trustAfter([wrong, wrong, ...rare, ...rare, ...rare])).toBe(false);
    expect(trustAfter([wrong, wrong, ...repeat(300, 'static')])).toBe(true);
  });
});

describe('pages under way', () => {
  test('are waited for where they decide, and only there', async () => {
    const memory = new JobRenderHints(1);
    const slow = [memory.begin(shop), memory.begin(shop), memory.begin(shop)];
    const others = Array.from({ length: distance - 1 }, () => memory.begin(shop));
    using last = memory.begin(shop);
    let isDecided = false;
    const decided = last.hintsFor(open, engines, never).then(() => (isDecided = true));
    for (const page of [...others, slow[0], slow[2]]) page?.record(right);
    await new Promise(setImmediate);
    expect(isDecided).toBe(false);
    slow[1]?.record(right);
    await decided;
    expect(last.reasonToRender).toBe(why);
  });

  test('are not waited for where one page was static', async () => {
    const memory = new JobRenderHints(1);
    using first = memory.begin(shop);
    say(memory, ['static']);
    using third = memory.begin(shop);
    say(memory, repeat(distance - 1, 'none'));
    expect(await reasonOf(memory)).toBeUndefined();
    first.record(right);
    third.record(right);
  });

  test('make a signal wait only where there may have been two false alarms', async () => {
    const memory = new JobRenderHints(1);
    using first = memory.begin(shop);
    using second = memory.begin(shop);
    say(memory, repeat(distance - 1, 'static'));
    using other = memory.begin(shop);
    const trusts = other.isReliable(signal);
    expect(trusts).toBeInstanceOf(Promise);
    first.record(wrong);
    second.record(wrong);
    expect(await trusts).toBe(false);

    say(memory, [right]);
    using slow = memory.begin(shop);
    say(memory, repeat(distance - 1, 'static'));
    using late = memory.begin(shop);
    expect(late.isReliable(signal)).toBe(true);
    slow.record(wrong);
  });

  test('that a browser is asked for at once, or whose engine is given, hold nobody up', async () => {
    const memory = new JobRenderHints(1);
    say(memory, [...repeat(3, right), ...repeat(distance - 1, 'none')]);
    const rendered = memory.begin(shop);
    await rendered.hintsFor(open, engines, never);
    expect(rendered.reasonToRender).toBe(why);
    expect(rendered.observation).toBe('none');
    const given = memory.begin(shop);
    await given.hintsFor({ ...open, mayRender: false }, engines, never);
    expect(given.observation).toBe('none');
  });

  test('end the wait when they end without a word, and so does the signal', async () => {
    const memory = new JobRenderHints(1);
    const slow = Array.from({ length: 3 }, () => memory.begin(shop));
    say(memory, repeat(distance - 1, 'none'));
    using page = memory.begin(shop);
    const abort = new AbortController();
    const ended = page.hintsFor(open, engines, abort.signal);
    abort.abort(new Error('no more'));
    await expect(ended).rejects.toThrow('no more');
    const decided = page.hintsFor(open, engines, never);
    for (const one of slow) one[Symbol.dispose]();
    await decided;
    expect(page.reasonToRender).toBeUndefined();
  });

  test('say one thing each: the first', async () => {
    const memory = new JobRenderHints(1);
    using page = memory.begin(shop);
    page.record('static');
    page.record(right);
    expect(page.observation).toBe('static');
  });
});

test('1,000 hosts are remembered: the one that was heard of longest ago is forgotten', async () => {
  const memory = new JobRenderHints(1);
  const hear = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) memory.begin(`https://host-${index}.test/`);
  };
  say(memory, repeat(30, right));
  hear(0, 999);
  expect(await reasonOf(memory)).toBe(why);
  hear(999, 1998);
  expect(await reasonOf(memory)).toBe(why);
  hear(1998, 2998);
  expect(await reasonOf(memory)).toBeUndefined();
});
