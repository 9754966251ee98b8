import { describe, expect, it } from 'vitest';
import { cleanPage, transformers } from '../../../src/content/clean/index.ts';
import { blockLines, defaults, htmlPage } from './page.ts';
import { cpuTime } from '../../support/cpu-time.ts';

describe('cleanPage', () => {
  it('runs the transformers in their order', () => {
    expect(transformers.map(({ name }) => name)).toEqual([
      'flattenShadowRoots',
      'selectTags',
      'resolveMedia',
      'findConsentDialogs',
      'normalize',
      'removeNoise',
      'blockAds',
      'removeHidden',
      'removeButtons',
      'mainContent',
      'removeConsentDialogs',
      'removeUnfilled',
      'removeDecoration',
      'absoluteUrls',
      'removeBase64Images',
      'redactRest',
    ]);
  });

  it('gives the same tree when the page was cleaned before', () => {
    const article = `<main><article><h1>T</h1>${'<p>A sentence that is long enough to be prose, and more.</p>'.repeat(9)}</article></main>`;
    const first = htmlPage(`<body><nav><a href="/">Home</a></nav>${article}</body>`);
    cleanPage(first, defaults);
    const second = htmlPage(first.root.outerHTML);
    cleanPage(second, defaults);
    expect(second.root.innerHTML).toBe(first.root.innerHTML);
  });

  it('keeps the text of a page that is hidden until its script runs', () => {
    const page = htmlPage('<body><div style="visibility:hidden"><p>All there is.</p></div></body>');
    cleanPage(page, defaults);
    expect(blockLines(page.root)).toEqual(['All there is.']);
  });

  it('keeps a consent text where it is all there is', () => {
    const page = htmlPage(
      '<body><div class="cookie-policy-page"><p>We bake cookies.</p></div></body>',
    );
    cleanPage(page, defaults);
    expect(blockLines(page.root)).toEqual(['We bake cookies.']);
  });

  const sentence = 'A sentence that is long enough to be prose, with a comma.';
  it.each<[string, string]>([
    ['100,000 links', '<a href="/p?x=2">link</a> '.repeat(100_000)],
    ['50,000 elements with names of their own', manyNames()],
    [
      '50,000 menus at a depth of 500',
      `${'<div>'.repeat(500)}${'<nav><a href=/>x</a></nav>'.repeat(50_000)}${sentence}`,
    ],
    ['40,000 fallback images', '<img><noscript><img src="/r.jpg"></noscript>'.repeat(40_000)],
    ['a srcset of 100,000 candidates', `<img srcset="${'a.jpg 1w, '.repeat(100_000)}">`],
    ['50,000 attributes', `<p ${Array.from({ length: 50_000 }, (_, i) => `d${i}=""`).join(' ')}>x`],
    [
      '30,000 shadow roots',
      '<div><template shadowrootmode=open><slot></slot></template><p>x</p></div>'.repeat(30_000),
    ],
  ])('takes %s within three seconds', (_, body) => {
    const page = htmlPage(`<body>${body}</body>`);
    const started = cpuTime();
    cleanPage(page, defaults);
    // Measured at 0.05 to 0.5 s; the rest is for a busy machine.
    expect(cpuTime() - started).toBeLessThan(3000);
  });

  it('does not throw on broken markup', () => {
    for (const source of [
      '',
      '<',
      '<body></p></div><img srcset=",,,"><a href="http://[">x</a><base>',
      '<svg><a href="#x"><title>t</title></a></svg><math><mi>x</math>',
      '<table><tr><nav>x</nav><td>y<template shadowrootmode><slot>',
      '<noscript><noscript><img src=x></noscript>',
    ]) {
      expect(() => cleanPage(htmlPage(source), defaults)).not.toThrow();
    }
  });
});

function manyNames(): string {
  return Array.from(
    { length: 50_000 },
    (_, index) => `<div class="a-b-c-${index}-bar-box-item">A paragraph of prose ${index}.</div>`,
  ).join('');
}
