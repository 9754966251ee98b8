/** The `actions` option: from objects to steps with checked options. */
import type { Page } from 'playwright-core';
import type { z } from 'zod';
import type { ValidationIssue } from '../errors.ts';
import type { ActionStep } from '../model/request.ts';
import { preview } from '../text/preview.ts';
import type { Action } from './action.ts';
import { builtInAction, builtInActionNames } from './index.ts';

/** Steps of one scrape. */
const mostActions = 50;
/** Milliseconds that the steps of one scrape wait by their options. */
const longestWait = 60_000;

/** The actions are not as they should be: each thing that is wrong, with its path. */
export class ActionsProblem extends Error {
  override readonly name = 'ActionsProblem';
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super(issues.map(({ message }) => message).join('; '));
    this.issues = issues;
  }
}

/** Checks each entry; throws `ActionsProblem` with everything that is wrong. */
export function parseActions(inputs: readonly unknown[], custom: readonly Action[]): ActionStep[] {
  const issues: ValidationIssue[] = [];
  const steps: ActionStep[] = [];
  if (inputs.length > mostActions) {
    const message = `actions: ${inputs.length} steps; at most ${mostActions}`;
    throw new ActionsProblem([{ path: ['actions'], message }]);
  }
  for (const [index, input] of inputs.entries()) {
    const read = readEntry(input, custom);
    if ('perform' in read) steps.push(read);
    else issues.push(...read.map(({ keys, message }) => issueAt(index, keys, message)));
  }
  const waits = steps.reduce((sum, step) => sum + step.waits, 0);
  if (waits > longestWait) {
    const message = `actions: they wait ${waits} ms in all; at most ${longestWait}`;
    issues.push({ path: ['actions'], message });
  }
  if (issues.length > 0) throw new ActionsProblem(issues);
  return steps;
}

/** What is wrong with one entry, and where in it. */
interface Complaint {
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

function issueAt(index: number, keys: Complaint['keys'], message: string): ValidationIssue {
  const at = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return { path: ['actions', index, ...keys], message: `actions[${index}]${at}: ${message}` };
}

function readEntry(input: unknown, custom: readonly Action[]): ActionStep | Complaint[] {
  const expected = [{ keys: [], message: 'expected { type, …options } or an action object' }];
  if (typeof input !== 'object' || input === null) return expected;
  const { type, ...options } = input as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') return expected;
  const builtIn = builtInAction(type);
  if (typeof options.run === 'function') {
    const message = `"${type}" is an action of pagewright; give yours another type`;
    if (builtIn !== undefined) return [{ keys: ['type'], message }];
    return customStep(input as Action, {});
  }
  if (builtIn !== undefined) {
    const { success, data, error } = builtIn.options.safeParse(options, { reportInput: true });
    if (!success) return error.issues.flatMap(complaints);
    return {
      type,
      waits: builtIn.waits?.(data) ?? 0,
      perform: (page, context, outcome) => builtIn.run(page as Page, data, context, outcome),
    };
  }
  const own = custom.find((action) => action.type === type);
  if (own !== undefined) return customStep(own, options);
  const known = [...builtInActionNames(), ...custom.map((action) => action.type)].join(', ');
  return [{ keys: ['type'], message: `unknown action ${preview(type)}; known: ${known}` }];
}

function customStep(
  action: Action,
  given: Readonly<Record<string, unknown>>,
): ActionStep | Complaint[] {
  const { type } = action;
  let options: unknown;
  try {
    if (action.parseOptions !== undefined) options = action.parseOptions(given);
    else {
      const [key] = Object.keys(given);
      if (key !== undefined) return [{ keys: [key], message: `${type} takes no options` }];
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : preview(error);
    return [{ keys: [], message: `${type}: ${message}` }];
  }
  return {
    type,
    waits: 0,
    async perform(page, context, outcome) {
      const value = await action.run(page as Page, options, context);
      if (value !== undefined) outcome.returns.push({ type, value });
    },
  };
}

function complaints(issue: z.core.$ZodIssue): Complaint[] {
  const keys = issue.path.filter((key) => typeof key !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ keys: [...keys, key], message: 'there is no such option' }));
  }
  const text = issue.message
    .replace(/^(Invalid input|Invalid option|Too small|Too big|Invalid string): /, '')
    .replace(/, received .*$/, '');
  return [{ keys, message: `${text}, got ${preview(issue.input)}` }];
}
