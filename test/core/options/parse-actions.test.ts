import { describe, expect, test } from 'vitest';
import { defineAction } from '../../../src/browser/actions/action.ts';
import { builtInActionNames, isBuiltIn } from '../../../src/browser/actions/action-types.ts';
import { ValidationError, type ValidationIssue } from '../../../src/core/runtime/errors.ts';
import { parseActions } from '../../../src/core/options/rendering-options.ts';

function issuesOf(inputs: readonly unknown[]): readonly ValidationIssue[] {
  try {
    parseActions('scrape', inputs, [count]);
  } catch (error) {
    if (error instanceof ValidationError) return error.issues;
    throw error;
  }
  return [];
}

const count = defineAction({
  type: 'count',
  parseOptions({ selector }) {
    if (typeof selector !== 'string') throw new Error('selector: expected a string');
    return { selector };
  },
  run: () => 1,
});

describe('actions', () => {
  test('that are right become steps', () => {
    const steps = parseActions(
      'scrape',
      [
        { type: 'wait', milliseconds: 60_000 },
        { type: 'wait', selector: 'p' },
        { type: 'click', selector: 'p', all: undefined },
        { type: 'write', text: '' },
        { type: 'press', key: 'Enter' },
        { type: 'scroll', direction: 'up' },
        {
          type: 'screenshot',
          fullPage: true,
          quality: 100,
          viewport: { width: 7680, height: 4320 },
        },
        { type: 'scrape' },
        { type: 'executeJavascript', script: '1' },
        { type: 'pdf', format: 'Ledger', landscape: true, scale: 0.1 },
        { type: 'fill', selector: 'p', text: '' },
        { type: 'select', selector: 'p', value: '' },
        { type: 'hover', selector: 'p' },
        { type: 'scrollToEnd' },
        { type: 'count', selector: 'p' },
        defineAction({ type: 'own', run: () => 1 }),
      ],
      [count],
    );
    expect(steps.map(({ waits }) => waits)).toEqual([60_000, ...Array<number>(15).fill(0)]);
    expect(steps.slice(-3).map(({ type }) => type)).toEqual(['scrollToEnd', 'count', 'own']);
  });

  test.each([
    [
      { type: 'clik', selector: 'p' },
      ['type'],
      /actions\[0\]\.type: unknown action "clik"; did you mean "click"/,
    ],
    [{ type: 'toString' }, ['type'], /unknown action "toString"; known: act, .*, count$/],
    [{ type: 'click' }, ['selector'], /actions\[0\]\.selector: expected string, got undefined/],
    [{ type: 'click', selector: ' ' }, ['selector'], /expected a CSS selector, text=… or role=…/],
    [{ type: 'click', selector: 'p', frame: [] }, ['frame'], /frame: /],
    [{ type: 'click', selector: 'p', frame: 'role=' }, ['frame'], /expected a role/],
    [{ type: 'wait', milliseconds: 1, frame: 'p' }, ['frame'], /needs a selector/],
    [{ type: 'press', key: 'a', frame: 'p' }, ['frame'], /unknown option/],
    [{ type: 'click', selector: 'text= ' }, ['selector'], /expected a text after text=/],
    [{ type: 'click', selector: 'text=/[/i' }, ['selector'], /\/\[\/ is not a regular exp/],
    [{ type: 'hover', selector: 'role=' }, ['selector'], /expected a role such as role=button/],
    [{ type: 'wait', selector: 'role=button[name="x]' }, ['selector'], /expected a role such as/],
    [{ type: 'wait', selector: 'role=row[nam=x]' }, ['selector'], /attributes are name, descr/],
    [{ type: 'wait', selector: 'role=row[name=/(/]' }, ['selector'], /\/\(\/ is not a regular exp/],
    [
      { type: 'press', key: 'a', repeat: { until: { gone: 'role=A' } } },
      ['repeat', 'until', 'gone'],
      /expected a role/,
    ],
    [
      { type: 'click', selector: 'p', al: true },
      ['al'],
      /^unknown option "actions\[0\]\.al"; did you mean "actions\[0\]\.all"\?$/,
    ],
    [{ type: 'wait' }, [], /expected milliseconds, selector or response, one of the three/],
    [{ type: 'wait', milliseconds: 1, selector: 'p' }, [], /one of the three/],
    [{ type: 'wait', milliseconds: 1, optional: true }, ['optional'], /needs a selector/],
    [{ type: 'scroll', direction: 'up', optional: true }, ['optional'], /needs a selector/],
    [{ type: 'press', key: 'a', optional: true }, ['optional'], /unknown option/],
    [{ type: 'click', selector: 'p', optional: 1 }, ['optional'], /expected boolean, got 1/],
    [{ type: 'press', key: 'a', repeat: { max: 101 } }, ['repeat', 'max'], /<=100, got 101/],
    [{ type: 'press', key: 'a', repeat: { max: 0 } }, ['repeat', 'max'], />=1/],
    [{ type: 'press', key: 'a', repeat: { until: 'gone' } }, ['repeat', 'until'], /"noChange"/],
    [
      { type: 'press', key: 'a', repeat: { until: { gone: ' ' } } },
      ['repeat', 'until', 'gone'],
      /expected a CSS selector/,
    ],
    [{ type: 'scrape', repeat: {} }, ['repeat'], /unknown option/],
    [{ type: 'wait', milliseconds: 0 }, ['milliseconds'], />=1, got 0/],
    [{ type: 'wait', milliseconds: 1.5 }, ['milliseconds'], /expected int/],
    [{ type: 'scroll', direction: 'left' }, ['direction'], /"up"\|"down", got "left"/],
    [{ type: 'screenshot', quality: 0 }, ['quality'], />=1/],
    [
      { type: 'screenshot', viewport: { width: 9, height: 4321 } },
      ['viewport', 'height'],
      /<=4320/,
    ],
    [{ type: 'scrape', selector: 'p' }, ['selector'], /unknown option .*; there is no option here/],
    [
      { type: 'screenshot', viewport: { widht: 9, width: 9, height: 9 } },
      ['viewport', 'widht'],
      /did you mean "actions\[0\]\.viewport\.width"/,
    ],
    [{ type: 'pdf', format: 'A7' }, ['format'], /"A6"/],
    [{ type: 'pdf', scale: 3 }, ['scale'], /<=2/],
    [{ type: 'scrollToEnd', maxScrolls: 0 }, ['maxScrolls'], />=1/],
    [{ type: 'count' }, [], /actions\[0\]: count: selector: expected a string/],
    [{ type: 'click', run: () => 1 }, ['type'], /"click" is a built-in action/],
    [
      defineAction({
        type: 'own',
        run: () => 1,
        parseOptions: () => {
          throw new Error('no');
        },
      }),
      [],
      /own: no/,
    ],
    ['click', [], /expected \{ type, …options \}/],
    [null, [], /expected \{ type/],
  ])('%o is told with its path', (input, path, message) => {
    const [issue] = issuesOf([input]);
    expect(issue?.path).toEqual(['actions', 0, ...path]);
    expect(issue?.message).toMatch(message);
  });

  test.each([
    'text=Load more',
    'text="Load more"',
    'text=/load \\d+ more/i',
    'role=button',
    'role=button[name="Load more"]',
    "role=button[name='a \\' b' s]",
    'role=link[name=/next [/\\]]+/i]',
    'role=checkbox[checked=mixed][include-hidden]',
    'role=dialog >> role=button[name=OK i]',
    'main a[href$="]"]',
    'p, role',
  ])('take the selector %s', (selector) => {
    expect(issuesOf([{ type: 'click', selector }])).toEqual([]);
  });

  test('an act needs a task, known risks, and variables with plain names', () => {
    expect(issuesOf([{ type: 'act', prompt: 'open the tab', allow: ['message'] }])).toEqual([]);
    const wrong = [
      { type: 'act', prompt: ' ' },
      { type: 'act', prompt: 'x', allow: ['everything'] },
      { type: 'act', prompt: 'x', variables: { 'a b': 'y' } },
      { type: 'act', prompt: 'x', maxCalls: 11 },
      { type: 'act', prompt: 'x', recipe: 'guess' },
      { type: 'act', prompt: 'x', repeat: {} },
    ];
    expect(issuesOf(wrong).map(({ path }) => path.join('.'))).toEqual([
      'actions.0.prompt',
      'actions.1.allow.0',
      'actions.2.variables.a b',
      'actions.3.maxCalls',
      'actions.4.recipe',
      'actions.5.repeat',
    ]);
  });

  test('all that is wrong is told at once', () => {
    const wrong = [{ type: 'press' }, { type: 'scrape' }, { type: 'fill', selector: 1 }];
    expect(issuesOf(wrong).map(({ path }) => path.join('.'))).toEqual([
      'actions.0.key',
      'actions.2.selector',
      'actions.2.text',
    ]);
  });

  test('are 50 at most, and wait 60 s in all', () => {
    const scrape = { type: 'scrape' };
    expect(issuesOf(Array(50).fill(scrape))).toEqual([]);
    expect(issuesOf(Array(51).fill(scrape))).toEqual([
      { path: ['actions'], message: 'actions: 51 steps; at most 50' },
    ]);
    const waits = [
      { type: 'wait', milliseconds: 60_000 },
      { type: 'wait', milliseconds: 1 },
    ];
    expect(issuesOf(waits)[0]?.message).toBe('actions: they wait 60001 ms in all; at most 60000');
  });

  test('are known by name', async () => {
    const runs = await import('../../../src/browser/actions/registry.ts');
    // An act runs with the parts of its client.
    expect(builtInActionNames().sort()).toEqual([...Object.keys(runs), 'act'].sort());
    expect(isBuiltIn('click')).toBe(true);
    expect(isBuiltIn('constructor')).toBe(false);
  });
});
