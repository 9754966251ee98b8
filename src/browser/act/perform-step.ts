/** Performs one step of an act after the guard has checked it. */
import type { Page } from 'playwright-core';
import type { ActionContext } from '../../core/model/request.ts';
import type { ActRecipeStep, ActRisk } from '../actions/act-recipe.ts';
import { emptyOutcome } from '../actions/run-actions.ts';
import { scroll } from '../actions/scroll.ts';
import { riskOfChoice, riskOfClick, riskOfKey } from './guard.ts';
import type { PageView, ViewedElement } from './in-page/page-view.ts';
import { type LiveView, UnusableElement } from './live-view.ts';

/** A step that failed or is not proven: the recipe can be healed. */
export class StepProblem extends Error {}

/** A step that would buy, delete or send something: it ends the run. */
export class ActRefusal extends Error {}

/** A step on a page. */
export interface StepOnPage {
  readonly step: ActRecipeStep;
  readonly view: LiveView;
  /** Index of its element in the view. */
  readonly index: number | undefined;
  readonly allow: readonly ActRisk[];
}

/** Rejects with a `StepProblem` or an `ActRefusal`. */
export async function performStep(
  page: Page,
  onPage: StepOnPage,
  context: ActionContext,
): Promise<void> {
  const { step, index } = onPage;
  const focused = onPage.view.elements.find(({ states }) => states.includes('focused'));
  refuseRisk(onPage, index === undefined ? focused : onPage.view.elements[index]);
  try {
    if (step.action === 'press') await onPage.view.press(index, step.value ?? 'Enter');
    else if (step.action === 'scroll') await scrollPage(page, step, context);
    else if (index === undefined) throw new UnusableElement('has no element');
    else await useElement(onPage, index);
  } catch (error) {
    if (!(error instanceof UnusableElement)) throw error;
    throw new StepProblem(`${stepInWords(step)}: it ${error.message}`, { cause: error });
  }
}

async function useElement(onPage: StepOnPage, index: number): Promise<void> {
  const { step, view } = onPage;
  const { action, value = '' } = step;
  if (action === 'write') return view.write(index, value);
  if (action === 'select') return view.choose(index, value);
  const wanted = value === 'false' ? 'unchecked' : 'checked';
  if (action === 'check' && view.elements[index]?.states.includes(wanted) === true) return;
  if (action === 'hover') return view.hover(index);
  await view.click(index, (inner) => {
    refuseRisk(onPage, inner);
  });
}

async function scrollPage(
  page: Page,
  { value }: ActRecipeStep,
  context: ActionContext,
): Promise<void> {
  await scroll(page, { direction: value === 'up' ? 'up' : 'down' }, context, emptyOutcome());
}

function refuseRisk({ step, view, allow }: StepOnPage, element: ViewedElement | undefined): void {
  const risk = riskOfStep(step, element, view.view);
  if (risk === undefined || allow.includes(risk)) return;
  const { action, value = 'Enter' } = step;
  const name = element === undefined ? '' : `${element.role} ${JSON.stringify(element.name)}`;
  const before =
    action === 'press'
      ? `pressing ${value} in `
      : action === 'select'
        ? `selecting ${value} in `
        : '';
  throw new ActRefusal(
    `${before}${name} looks like a ${risk}, and was not done; allow: ['${risk}'] permits it`,
  );
}

function riskOfStep(
  { action, value }: ActRecipeStep,
  element: ViewedElement | undefined,
  page: PageView,
): ActRisk | undefined {
  if (action === 'press') return riskOfKey(value ?? 'Enter', element, page);
  if (element === undefined) return undefined;
  if (action === 'select') return riskOfChoice(value ?? '', element, page);
  return /^(?:click|check)$/.test(action) ? riskOfClick(element, page) : undefined;
}

/** A step in plain words. */
export function stepInWords({ action, value, element }: ActRecipeStep): string {
  const name = element === undefined ? '' : `${element.role} ${JSON.stringify(element.name)}`;
  const quoted = JSON.stringify(value ?? '');
  switch (action) {
    case 'click':
      return `click ${name}`;
    case 'hover':
      return `hover over ${name}`;
    case 'write':
      return `write ${quoted} into ${name}`;
    case 'select':
      return `select ${quoted} in ${name}`;
    case 'check':
      return `${value === 'false' ? 'clear' : 'check'} ${name}`;
    case 'press':
      return `press ${value ?? 'Enter'}${name === '' ? '' : ` in ${name}`}`;
    case 'scroll':
      return `scroll ${value ?? 'down'}`;
  }
}
