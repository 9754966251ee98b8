import { describe, expect, it } from 'vitest';
import { cleanPage } from '../../../src/content/clean/index.ts';
import type { DomElement } from '../../../src/content/html/dom.ts';
import { defaults, htmlPage } from './page.ts';

function deepest(root: DomElement): number {
  let most = 0;
  for (const element of root.querySelectorAll('*')) {
    let level = 0;
    for (let up: DomElement | null = element; up !== null; up = up.parentElement) level += 1;
    most = Math.max(most, level);
  }
  return most;
}

const whole = { ...defaults, onlyMainContent: false };

describe('shadow roots in slots of shadow roots', () => {
  const host = (light: string, wrappers: number): string =>
    `<x-a><template shadowrootmode=open>${'<div>'.repeat(wrappers)}<slot></slot>${'</div>'.repeat(wrappers)}</template>${light}</x-a>`;

  it('make no tree that is deeper than a thousand levels, and lose no text', () => {
    let source = '<p>inner</p>';
    for (let index = 0; index < 60; index += 1) source = host(`${source}<i>${index};</i>`, 40);
    const page = htmlPage(source);
    cleanPage(page, whole);
    expect(deepest(page.root)).toBeLessThanOrEqual(1000);
    const text = page.root.textContent ?? '';
    expect(text).toContain('inner');
    for (let index = 0; index < 60; index += 1) expect(text).toContain(`${index};`);
  });

  it('order and nesting stay where they are not deep', () => {
    const page = htmlPage(host(`a${host('b', 1)}c`, 2));
    cleanPage(page, whole);
    expect(page.root.innerHTML).toBe(
      '<x-a><div><div><slot>a<x-a><div><slot>b</slot></div></x-a>c</slot></div></div></x-a>',
    );
  });

  it('only the first of a host counts, as in browsers', () => {
    const template = (text: string): string =>
      `<template shadowrootmode=open><p>${text}<slot></slot></p></template>`;
    const page = htmlPage(`<x-a>${template('first ')}${template('second ')}light</x-a>`);
    cleanPage(page, whole);
    expect(page.root.textContent).toBe('first light');
  });
});

describe('a selector that takes too long on a page made for it', () => {
  const source = `${'<div>'.repeat(400)}${'<p>x</p>'.repeat(1000)}`;

  it.each(['includeTags', 'excludeTags'] as const)('is PARSE_LIMIT in %s', (option) => {
    const options = { ...defaults, [option]: ['.none div div div div p'] };
    expect(() => cleanPage(htmlPage(source), options)).toThrow(
      expect.objectContaining({ code: 'PARSE_LIMIT' }),
    );
  });

  it('numbered siblings are none, however many they are', () => {
    const page = htmlPage(`<ul>${'<li>x'.repeat(50_000)}</ul>`);
    cleanPage(page, { ...whole, excludeTags: ['li:nth-child(even)', 'li:nth-last-child(1)'] });
    expect(page.root.querySelectorAll('li')).toHaveLength(25_000);
  });
});

it('main content is found below hundreds of levels', () => {
  const prose = '<p>A paragraph of real prose that is long enough to be counted as a sentence.</p>';
  const page = htmlPage(`<nav>menu</nav>${'<div>'.repeat(480)}<h1>Title</h1>${prose.repeat(10)}`);
  cleanPage(page, defaults);
  expect(page.root.textContent).toMatch(/^TitleA paragraph/);
  expect(page.root.textContent).not.toContain('menu');
});

it('styles full of relative addresses do not multiply a page', () => {
  const address = `https://site.test/${'long/'.repeat(200)}`;
  const styles = `<i style="${'a:url(b);'.repeat(1000)}">x</i>`.repeat(300);
  const page = htmlPage(`<p style="background:url(c)">y</p>${styles}`, address);
  cleanPage(page, whole);
  expect(page.root.innerHTML.length).toBeLessThan(6_000_000);
  expect(page.root.innerHTML).toContain(`background:url(${address}c)`);
});
