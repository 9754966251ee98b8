/** The step of an act: it gets its client's model and recipes with each page. */
import { loadModule } from '../../core/runtime/load-module.ts';
import type { ActOptions } from '../actions/action-options.ts';
import type { ActionStep } from '../../core/model/request.ts';
import type { Page } from '../../core/model/browser-page.ts';
import type { ActServices, IndexedAct } from './act.ts';
import { Variables } from './variables.ts';

/** A step that is performed once it has services. */
interface ActStep extends ActionStep {
  readonly act: IndexedAct;
}

/** `key` is equal for equal acts. */
export function actStep(
  index: number,
  options: ActOptions,
  key: string,
  asksModel: boolean,
): ActStep {
  return {
    type: 'act',
    waits: 0,
    key,
    asksModel,
    act: { index, options },
    perform: () => Promise.reject(new Error('an act needs the parts of a client')),
  };
}

/** The same steps, with the services that acts need. */
export function withServices(
  steps: readonly ActionStep[],
  services: ActServices,
): readonly ActionStep[] {
  return steps.map((step) => {
    if (!isAct(step)) return step;
    return {
      ...step,
      mask: (text) => new Variables(step.act.options.variables).maskText(text),
      async perform(page, context, outcome) {
        const { performAct } = await loadModule(() => import('./act.ts'));
        await performAct(page as Page, step.act, services, context, outcome);
      },
    };
  });
}

/** True for an act. */
export function isAct(step: ActionStep): step is ActStep {
  return 'act' in step;
}
