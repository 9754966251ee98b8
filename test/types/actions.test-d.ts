import { expectTypeOf } from 'vitest';
import { defineAction } from '../../src/browser/actions/action.ts';
import type {
  ActionInput,
  ActionName,
  ActionResults,
} from '../../src/browser/actions/action-types.ts';

const countRows = defineAction({
  type: 'countRows',
  parseOptions: ({ selector }): { readonly selector: string } => ({ selector: String(selector) }),
  run: (page, { selector }) => page.locator(selector).count(),
});
const reload = defineAction({
  type: 'reload',
  run: async (page) => {
    await page.reload();
  },
});

export function whatIsRightCompiles(): void {
  const steps: ActionInput<[typeof countRows, typeof reload]>[] = [
    { type: 'wait', milliseconds: 100 },
    { type: 'wait', selector: 'p' },
    { type: 'click', selector: 'p', all: true },
    { type: 'write', text: 'x' },
    { type: 'click', selector: 'p', optional: true, repeat: { until: { gone: 'p' }, max: 3 } },
    { type: 'press', key: 'Enter' },
    { type: 'scroll', direction: 'down', selector: undefined },
    { type: 'screenshot', fullPage: true, quality: 80, viewport: { width: 1, height: 1 } },
    { type: 'scrape' },
    { type: 'executeJavascript', script: 'return 1' },
    { type: 'pdf', format: 'A4', landscape: true, scale: 1 },
    { type: 'fill', selector: 'p', text: 'x' },
    { type: 'select', selector: 'p', value: 'x' },
    { type: 'hover', selector: 'p' },
    { type: 'scrollToEnd', maxScrolls: 3 },
    { type: 'countRows', selector: 'tr' },
    { type: 'reload' },
    countRows,
  ];
  void steps;
}

export function whatIsWrongDoesNot(): void {
  // @ts-expect-error -- no such action
  const unknown: ActionInput = { type: 'clik', selector: 'p' };
  // @ts-expect-error -- the key is wrong
  const wrongKey: ActionInput = { type: 'click', selectr: 'p' };
  // @ts-expect-error -- one key too many
  const extraKey: ActionInput = { type: 'click', selector: 'p', every: true };
  // @ts-expect-error -- one of the two
  const both: ActionInput = { type: 'wait', milliseconds: 1, selector: 'p' };
  // @ts-expect-error -- one of the two
  const neither: ActionInput = { type: 'wait' };
  // @ts-expect-error -- up or down
  const direction: ActionInput = { type: 'scroll', direction: 'left' };
  // @ts-expect-error -- no such paper
  const paper: ActionInput = { type: 'pdf', format: 'A7' };
  // @ts-expect-error -- scrape takes nothing
  const option: ActionInput = { type: 'scrape', selector: 'p' };
  // @ts-expect-error -- a picture is not repeated
  const repeated: ActionInput = { type: 'screenshot', repeat: {} };
  // @ts-expect-error -- not registered
  const foreign: ActionInput = { type: 'countRows', selector: 'p' };
  // @ts-expect-error -- its option is missing
  const own: ActionInput<[typeof countRows]> = { type: 'countRows' };
  // @ts-expect-error -- it has no option
  const none: ActionInput<[typeof reload]> = { type: 'reload', hard: true };
}

export function results(actions: ActionResults): void {
  expectTypeOf(actions.screenshots).toEqualTypeOf<string[]>();
  expectTypeOf(actions.scrapes).toEqualTypeOf<{ url: string; html: string }[]>();
  expectTypeOf(actions.javascriptReturns[0]?.value).toEqualTypeOf<unknown>();
  expectTypeOf<'scrollToEnd'>().toExtend<ActionName>();
}
