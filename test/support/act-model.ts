/** A scripted model that does tasks on pages: it finds the elements of its steps in the outline it gets. */
import { type ScriptedModel, scriptedModel } from 'pagewright/testing';

/** Action, role and name of the element, value, effect: `textAppears Five stars`. */
export type PlannedStep = readonly [
  action: string,
  role: string | null,
  name: string | null,
  value: string | null,
  effect: string,
];

/** Answers each request with the steps that the run has not done yet. */
export function actModel(plan: (prompt: string) => readonly PlannedStep[]): ScriptedModel {
  return scriptedModel(({ prompt }) => {
    const done = prompt.match(/^Done: /gm)?.length ?? 0;
    return answer(plan(prompt).slice(done), prompt);
  });
}

/** An answer with these steps; an element that the outline lacks is named, since it is to appear. */
export function answer(steps: readonly PlannedStep[], prompt: string): object {
  return {
    status: steps.length === 0 ? 'done' : 'steps',
    reason: steps.length === 0 ? 'The page is as it should be.' : null,
    lastEffect: null,
    looksAgain: false,
    steps: steps.map(([action, role, name, value, effect]) => {
      const element = numberOf(prompt, `${role} ${JSON.stringify(name)}`);
      const [, kind, text] = /^(\w+) ?(.*)$/.exec(effect) ?? [];
      return {
        action,
        element: element ?? null,
        role: element === undefined ? role : null,
        name: element === undefined ? name : null,
        value,
        effect: { kind, text: text || null, role: null },
      };
    }),
  };
}

/** The number of the line `[12] button "Go"`. */
export function numberOf(prompt: string, element: string): number | undefined {
  const line = prompt.split('\n').find((one) => one.replace(/^\[\d+\] /, '').startsWith(element));
  const number = /^\[(\d+)\]/.exec(line ?? '')?.[1];
  return number === undefined ? undefined : Number(number);
}
