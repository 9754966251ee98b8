/** The `actions` option: from objects to steps with checked options. */
import { createHash } from 'node:crypto';
import type { Action } from '../actions/action.ts';
import { builtInAction, builtInActionNames } from '../actions/index.ts';
import { messageOf, ValidationError, type ValidationIssue } from '../errors.ts';
import type { ActionStep } from '../model/request.ts';
import { check } from '../text/check.ts';
import { unknownName } from '../text/unknown-name.ts';

/** Steps of one scrape. */
const mostActions = 50;
/** Milliseconds that the steps of one scrape wait by their options. */
const longestWait = 60_000;

/** Checks each entry; throws `ValidationError` with everything that is wrong. */
export function parseActions(
  subject: string,
  inputs: readonly unknown[],
  custom: readonly Action[],
): ActionStep[] {
  const issues: ValidationIssue[] = [];
  const steps: ActionStep[] = [];
  if (inputs.length > mostActions) {
    const message = `actions: ${inputs.length} steps; at most ${mostActions}`;
    throw new ValidationError(subject, [{ path: ['actions'], message }]);
  }
  for (const [index, input] of inputs.entries()) {
    try {
      steps.push(readEntry(subject, input, { index, custom }));
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      issues.push(...error.issues);
    }
  }
  const waits = steps.reduce((sum, step) => sum + step.waits, 0);
  if (waits > longestWait) {
    const message = `actions: they wait ${waits} ms in all; at most ${longestWait}`;
    issues.push({ path: ['actions'], message });
  }
  if (issues.length > 0) throw new ValidationError(subject, issues);
  return steps;
}

/** A page of Playwright. */
type ActionPage = Parameters<Action['run']>[0];

/** One entry of the list, and what the client brings. */
interface Entry {
  readonly index: number;
  readonly custom: readonly Action[];
}

function readEntry(subject: string, input: unknown, { index, custom }: Entry): ActionStep {
  const at = ['actions', index] as const;
  const fail = (message: string, ...keys: string[]): ValidationError => {
    const shown = [`actions[${index}]`, ...keys].join('.');
    return new ValidationError(subject, [
      { path: [...at, ...keys], message: `${shown}: ${message}` },
    ]);
  };
  const expected = 'expected { type, …options } or an action object';
  if (typeof input !== 'object' || input === null) throw fail(expected);
  const { type, ...options } = input as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') throw fail(expected);
  const builtIn = builtInAction(type);
  if (typeof options['run'] === 'function') {
    if (builtIn === undefined) return customStep(input as Action, {}, fail);
    throw fail(`"${type}" is an action of pagewright; give yours another type`, 'type');
  }
  if (builtIn !== undefined) {
    const checked: unknown = check(subject, builtIn.options, options, { at });
    return {
      type,
      waits: builtIn.waits?.(checked) ?? 0,
      key: keyOf(input),
      perform: (page, context, outcome) =>
        builtIn.run(page as ActionPage, checked, context, outcome),
    };
  }
  const own = custom.find((action) => action.type === type);
  if (own !== undefined) return customStep(own, options, fail);
  const known = [...builtInActionNames(), ...custom.map((action) => action.type)];
  throw fail(unknownName('action', type, known), 'type');
}

function customStep(
  action: Action,
  given: Readonly<Record<string, unknown>>,
  fail: (message: string, ...keys: string[]) => ValidationError,
): ActionStep {
  const { type } = action;
  const [key] = Object.keys(given);
  if (action.parseOptions === undefined && key !== undefined) {
    throw fail(`${type} takes no options`, key);
  }
  let options: unknown;
  try {
    options = action.parseOptions?.(given);
  } catch (error) {
    throw fail(`${type}: ${messageOf(error)}`);
  }
  return {
    type,
    waits: 0,
    key: keyOf([type, given]),
    async perform(page, context, outcome) {
      const value = await action.run(page as ActionPage, options, context);
      if (value !== undefined) outcome.returns.push({ type, value });
    },
  };
}

/** What JSON cannot say of a custom action is not told apart. */
function keyOf(input: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(input);
  } catch {
    text = String(input);
  }
  return createHash('sha256').update(text).digest('hex');
}
