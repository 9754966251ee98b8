import { describe, expect, test } from 'vitest';
import {
  RenderingMemories,
  RenderingMemory,
} from '../../../src/fetching/rendering/rendering-memory.ts';

const shop = 'https://shop.test/';
const signal = 'empty root of an app (#root)';

/** A page of the host whose rendering brought more, or did not. */
function render(memory: RenderingMemory, url: string, wasWorthIt = true, words = signal): void {
  memory.wasRendered({ url, signal: words, wasWorthIt });
}

function learnt(pages: number): RenderingMemory {
  const memory = new RenderingMemory();
  for (let page = 0; page < pages; page += 1) render(memory, `${shop}${page}`);
  return memory;
}

describe('a host whose pages need the browser', () => {
  test('is asked without a static try after three of them', () => {
    expect(learnt(2).reasonToRender(shop)).toBeUndefined();
    expect(learnt(3).reasonToRender(`${shop}next?a=1`)).toBe(
      'needed by the last 3 pages of this host',
    );
  });

  test('is the host with its port, and no other', () => {
    const memory = learnt(3);
    expect(memory.reasonToRender('https://www.shop.test/')).toBeUndefined();
    expect(memory.reasonToRender('https://shop.test:8443/')).toBeUndefined();
  });

  test('starts again after a page that was static', () => {
    const memory = learnt(2);
    memory.wasStatic(`${shop}about`);
    render(memory, shop);
    render(memory, shop);
    expect(memory.reasonToRender(shop)).toBeUndefined();
    render(memory, shop);
    expect(memory.reasonToRender(shop)).toBeDefined();
  });

  test('starts again after a page that was rendered in vain', () => {
    const memory = learnt(3);
    render(memory, shop, false);
    expect(memory.reasonToRender(shop)).toBeUndefined();
  });

  test('gets one static try in 51, and keeps or loses its name by it', () => {
    const memory = learnt(3);
    const asked = Array.from({ length: 102 }, () => memory.reasonToRender(shop) !== undefined);
    expect(asked.flatMap((skipped, index) => (skipped ? [] : [index]))).toEqual([50, 101]);
    render(memory, shop);
    expect(memory.reasonToRender(shop)).toBeDefined();
    memory.wasStatic(shop);
    expect(memory.reasonToRender(shop)).toBeUndefined();
  });
});

describe('a signal that was a false alarm', () => {
  test('is not trusted after the second time, on that host only', () => {
    const memory = new RenderingMemory();
    render(memory, shop, false);
    expect(memory.trusts(shop, signal)).toBe(true);
    render(memory, `${shop}b`, false);
    expect(memory.trusts(`${shop}c`, signal)).toBe(false);
    expect(memory.trusts(shop, 'an empty table')).toBe(true);
    expect(memory.trusts('https://other.test/', signal)).toBe(true);
  });

  test('is forgiven once when it was right in between', () => {
    const memory = new RenderingMemory();
    for (const wasRight of [false, true, false]) render(memory, shop, wasRight);
    expect(memory.trusts(shop, signal)).toBe(true);
    render(memory, shop, false);
    expect(memory.trusts(shop, signal)).toBe(false);
  });
});

describe('what is remembered is bounded', () => {
  test('1,000 hosts: the one that was heard of longest ago is forgotten', () => {
    const memory = learnt(3);
    const other = (index: number): string => `https://host-${index}.test/`;
    for (let index = 0; index < 999; index += 1) render(memory, other(index));
    expect(memory.reasonToRender(shop)).toBeDefined();
    render(memory, shop);
    render(memory, other(999));
    expect(memory.reasonToRender(shop)).toBeDefined();
    for (let index = 1000; index < 1999; index += 1) render(memory, other(index));
    expect(memory.reasonToRender(shop)).toBeUndefined();
  });

  test('20 signals of a host, as some have names that the page chose', () => {
    const memory = new RenderingMemory();
    for (const name of ['first', 'first', 'last', 'last']) render(memory, shop, false, name);
    for (let index = 0; index < 19; index += 1) render(memory, shop, false, `signal ${index}`);
    expect(memory.trusts(shop, 'first')).toBe(true);
    expect(memory.trusts(shop, 'last')).toBe(false);
  });
});

describe('the memories of a client', () => {
  test('are one a job, and none for a single page', () => {
    const memories = new RenderingMemories();
    const [job, otherJob] = [{}, {}];
    for (let page = 0; page < 3; page += 1) render(memories.of(job), shop);
    for (let page = 0; page < 3; page += 1) render(memories.of(undefined), shop);
    expect(memories.of(job).reasonToRender(shop)).toBeDefined();
    expect(memories.of(otherJob).reasonToRender(shop)).toBeUndefined();
    expect(memories.of(undefined).reasonToRender(shop)).toBeUndefined();
  });
});
