/** act: does a task described in words, by a recipe if one fits, else by steps from a model. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { messageOf } from '../../core/runtime/errors.ts';
import type { Model } from '../../extract/llm/model.ts';
import type { ActionContext } from '../../core/model/request.ts';
import type { ActionOutcome, ActReport } from '../../core/model/snapshot.ts';
import { findModelInstructions } from '../../content/text/prompt-injection.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { registrableDomain } from '../../core/url/registrable-domain.ts';
import type { ActOptions } from '../actions/action-options.ts';
import {
  type ActEffect,
  type ActRecipe,
  type ActRecipeStep,
  mostSelectors,
  mostSteps,
} from '../actions/act-recipe.ts';
import { stepTime } from '../actions/step-time.ts';
import { type ActRecipes } from './act-recipes.ts';
import { shortHash } from '../../core/runtime/identifiers.ts';
import { requestSteps, type ProposedStep } from './request-steps.ts';
import type { ViewedElement } from './in-page/page-view.ts';
import { LiveView } from './live-view.ts';
import { ActRefusal, performStep, StepProblem, stepInWords } from './perform-step.ts';
import { Variables } from './variables.ts';

const delays = {
  element: 1500, // milliseconds for an element to appear, on a settled page
  effect: 5000, // milliseconds for an effect to be visible
  poll: 150, // milliseconds
};

/** Services of the client that an act uses. */
export interface ActServices {
  /** Metered; undefined without a model. */
  readonly model: Model | undefined;
  readonly recipes: ActRecipes;
  /** True if learned recipes are stored. */
  readonly keeps: boolean;
  /** The visitor: learned recipes are only used for the same one. */
  readonly identity: string | undefined;
}

/** An act with its index in the list of actions. */
export interface IndexedAct {
  readonly index: number;
  readonly options: ActOptions;
}

/** The task is impossible on this page, or no recipe fits. */
class ImpossibleTask extends Error {}

/**
 * Does the task, and adds its report to the outcome. Rejects with a sentence when a step cannot be proven, when
 * it would buy, delete or send something that is not allowed, and, unless it is optional, when the task is
 * impossible.
 */
export async function performAct(
  page: Page,
  act: IndexedAct,
  services: ActServices,
  context: ActionContext,
  outcome: ActionOutcome,
): Promise<void> {
  const run = new ActRun(page, act, services, context);
  try {
    outcome.acts.push(await run.toEnd());
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ImpossibleTask) || act.options.optional !== true) throw error;
    outcome.acts.push(run.report('nothingToDo', undefined, error.message));
  } finally {
    outcome.warnings.push(...run.warnings);
  }
}

class ActRun {
  readonly warnings: string[] = [];
  readonly #page: Page;
  readonly #act: IndexedAct;
  readonly #services: ActServices;
  readonly #context: ActionContext;
  readonly #variables: Variables;
  readonly #until: number;
  /** The site in which variables are filled in; the page may lead elsewhere. */
  readonly #site: string;
  /** Steps of the recipe being recorded. */
  readonly #done: ActRecipeStep[] = [];
  readonly #words: string[] = [];
  readonly #changes: string[] = [];
  #calls = 0;
  #hasTurn = false;
  /** Steps that were performed, not skipped. */
  #performed = 0;

  constructor(page: Page, act: IndexedAct, services: ActServices, context: ActionContext) {
    this.#page = page;
    this.#act = act;
    this.#services = services;
    this.#context = context;
    this.#variables = new Variables(act.options.variables);
    this.#until = Date.now() + stepTime(context);
    this.#site = siteOf(page.url());
  }

  report(
    outcome: ActReport['outcome'],
    id: string | undefined,
    reason: string | undefined,
  ): ActReport {
    return {
      actionIndex: this.#act.index,
      prompt: this.#act.options.prompt,
      outcome,
      id,
      calls: this.#calls,
      steps: this.#words,
      changes: this.#changes,
      ...(reason === undefined ? {} : { reason }),
    };
  }

  async toEnd(): Promise<ActReport> {
    const { prompt, recipe } = this.#act.options;
    const { recipes, identity, model } = this.#services;
    const { host, pathname } = new URL(this.#page.url());
    const key = recipes.key(host, prompt, identity);
    const learns = recipe !== 'use' && model !== undefined;
    const known = await this.#known(key, host);
    const fitting = await this.#fitting(known, pathname);
    if (fitting !== undefined) return this.#replay(fitting, learns ? model : undefined, key);
    if (!learns) throw new ImpossibleTask(this.#noRecipe(known.length, model !== undefined));
    return this.#inTurn(key, async () => {
      // Another page may have learned meanwhile.
      const ids = new Set(known.map(({ id }) => id));
      const added = (await this.#known(key, host)).filter(({ id }) => !ids.has(id));
      const other = added.length === 0 ? undefined : await this.#fitting(added, pathname);
      if (other !== undefined) return this.#replay(other, model, key);
      return this.#learn(model, key, undefined, 'no recipe fits this page');
    });
  }

  /** One page of a client at a time learns a task; the others find its recipe. */
  async #inTurn<T>(key: string, learn: () => Promise<T>): Promise<T> {
    if (this.#hasTurn) return learn();
    return this.#services.recipes.inTurn(key, this.#context.signal, () => {
      this.#hasTurn = true;
      return learn();
    });
  }

  /** The caller's recipes first, except recipes that were healed since. */
  async #known(key: string, host: string): Promise<ActRecipe[]> {
    const { recipe: choice, prompt } = this.#act.options;
    const stored = await this.#services.recipes.read(key);
    const healed = new Set(stored.map(({ replaces }) => replaces));
    const given = typeof choice === 'object' ? [choice].flat() : [];
    const usable = given.filter((one) => one.host === host && one.prompt === prompt);
    return [...usable.filter(({ id }) => !healed.has(id)), ...stored];
  }

  /**
   * The recipe with an element on this page; else one that is entirely done; else one of the same path, to be
   * healed.
   */
  async #fitting(known: readonly ActRecipe[], pathname: string): Promise<ActRecipe | undefined> {
    if (known.length === 0) return undefined;
    const until = Date.now() + delays.element;
    for (;;) {
      const view = await this.#currentView();
      const has = (find: (step: ActRecipeStep) => unknown): ActRecipe | undefined =>
        known.find(({ steps }) => steps.some((step) => find(step) !== undefined));
      const found =
        has((step) => view.bySelectors(step)) ??
        (Date.now() < until
          ? undefined
          : (has(({ element }) => element && view.byLikeness(element)) ??
            (await this.#finished(view, known)) ??
            known.find(({ learnedFrom }) => pathOf(learnedFrom) === pathname)));
      if (found !== undefined || Date.now() >= until) return found;
      await this.#pause();
    }
  }

  async #finished(view: LiveView, known: readonly ActRecipe[]): Promise<ActRecipe | undefined> {
    for (const recipe of known) {
      const isDone = await Promise.all(recipe.steps.map((step) => isSuperfluous(step, view)));
      if (isDone.every(Boolean)) return recipe;
    }
    return undefined;
  }

  #noRecipe(known: number, hasModel: boolean): string {
    const none = known === 0 ? 'there is no recipe for this task here' : 'no recipe fits this page';
    const more = hasModel
      ? "recipe: 'learn' asks the model for one"
      : 'a client with createClient({ model }) learns one';
    return `${none}; ${more}`;
  }

  // Without a model.

  /** `from`: the steps before it are done. */
  async #replay(
    recipe: ActRecipe,
    model: Model | undefined,
    key: string,
    from = 0,
  ): Promise<ActReport> {
    for (const [index, step] of recipe.steps.entries()) {
      if (index < from) continue;
      try {
        await this.#replayStep(step);
      } catch (error) {
        if (!(error instanceof StepProblem)) throw error;
        const reason = `step ${index + 1}, ${stepInWords(step)}: ${error.message}`;
        if (model === undefined) throw new ImpossibleTask(`the recipe no longer fits: ${reason}`);
        return this.#inTurn(key, async () => {
          // Another page may have healed it meanwhile.
          const stored = await this.#services.recipes.read(key);
          const healed = stored.find(({ replaces }) => replaces === recipe.id);
          if (healed !== undefined) return this.#replay(healed, model, key, this.#done.length);
          const rest = recipe.steps.slice(index).map((one) => stepInWords(one));
          this.#changes.push(`no longer fitted: ${rest.join('; ')}`);
          return this.#learn(model, key, recipe, reason);
        });
      }
    }
    if (this.#changes.length > 0) {
      const { id } = await this.#keep(key, { ...recipe, replaces: recipe.id });
      return this.report('healed', id, undefined);
    }
    const isIdle = this.#performed === 0;
    return this.report(isIdle ? 'nothingToDo' : 'applied', recipe.id, undefined);
  }

  async #replayStep(step: ActRecipeStep): Promise<void> {
    const { view, index, isLike } = await this.#find(step);
    const isDone = isFieldState(step.effect) && (await view.shows(step.effect, index));
    if (isDone || (index === undefined && (await isSuperfluous(step, view)))) {
      this.#words.push(`not needed: ${stepInWords(step)}`);
      this.#done.push(step);
      return;
    }
    if (index === undefined && step.selectors.length > 0) {
      throw new StepProblem('its element is not there');
    }
    const found = index === undefined ? undefined : view.elements[index];
    const now = isLike && found !== undefined ? { ...step, ...described(view, found) } : step;
    await this.#perform(now, view, index);
    if (isLike) this.#changes.push(`${stepInWords(step)}: now ${stepInWords(now)}`);
  }

  /** The element of a step, which may still have to appear. */
  async #find(step: ActRecipeStep): Promise<{
    readonly view: LiveView;
    readonly index: number | undefined;
    readonly isLike: boolean;
  }> {
    const until = Date.now() + delays.element;
    for (;;) {
      const view = await this.#currentView();
      const index = view.bySelectors(step);
      const isOver = Date.now() >= until || step.selectors.length === 0;
      if (index !== undefined) return { view, index, isLike: false };
      const like = isOver && step.element ? view.byLikeness(step.element) : undefined;
      if (isOver) return { view, index: like, isLike: like !== undefined };
      await this.#pause();
    }
  }

  // With a model.

  async #learn(
    model: Model,
    key: string,
    old: ActRecipe | undefined,
    reason: string,
  ): Promise<ActReport> {
    const soFar = [
      ...this.#words.map((words) => `Done: ${words}`),
      ...(old === undefined
        ? []
        : [
            `An earlier recipe did: ${old.steps.map((step) => stepInWords(step)).join('; ')}`,
            `Here: ${reason}`,
          ]),
    ];
    const doneBefore = this.#done.length;
    // The run may lead to another host.
    const { host } = new URL(this.#page.url());
    const doneAlready = await this.#callModel(model, soFar);
    if (this.#done.length === 0) {
      return this.report('nothingToDo', undefined, doneAlready ?? reason);
    }
    const learned = this.#done.slice(doneBefore).map((step) => stepInWords(step));
    if (old !== undefined && learned.length > 0) this.#changes.push(`now: ${learned.join('; ')}`);
    const { id } = await this.#keep(key, {
      host: old?.host ?? host,
      prompt: this.#act.options.prompt,
      model: model.name.slice(0, 300),
      replaces: old?.id,
    });
    return this.report(old === undefined ? 'learned' : 'healed', id, reason);
  }

  /** Calls the model until the task is done; returns its reason if it was already done. */
  async #callModel(model: Model, soFar: string[]): Promise<string | undefined> {
    const { prompt, maxCalls = 3, allow = [] } = this.#act.options;
    let last = '';
    for (; this.#calls < maxCalls;) {
      const view = await this.#currentView();
      this.#warnOfInstructions(view);
      this.#calls++;
      const answer = await requestSteps({
        model,
        prompt,
        variables: this.#variables.names,
        allow,
        view: view.view,
        soFar,
        signal: this.#context.signal,
      });
      if (typeof answer === 'string') {
        soFar.push(`The last answer could not be used: ${answer}`);
        last = answer;
        continue;
      }
      if (answer.lastEffect !== null) await this.#correctEffect(effectOf(answer.lastEffect), view);
      const reason = answer.reason === null ? undefined : this.#variables.maskText(answer.reason);
      if (answer.status === 'impossible') {
        throw new ImpossibleTask(
          `the model says that the task is impossible here: ${reason ?? 'no reason'}`,
        );
      }
      if (answer.status === 'done' || answer.steps.length === 0) return reason;
      const problem = await this.#performAll(answer.steps, view, soFar);
      if (problem === undefined && !answer.looksAgain) return undefined;
      last = problem ?? 'it has to see the page again';
    }
    throw new Error(`the task was not done with ${maxCalls} requests to the model: ${last}`);
  }

  async #performAll(
    steps: readonly ProposedStep[],
    proposedOn: LiveView,
    soFar: string[],
  ): Promise<string | undefined> {
    for (const step of steps) {
      try {
        const words = await this.#performProposed(step, proposedOn);
        soFar.push(`Done: ${words}`);
      } catch (error) {
        if (!(error instanceof StepProblem)) throw error;
        soFar.push(`Not done: ${error.message}`);
        return error.message;
      }
    }
    return undefined;
  }

  async #performProposed(proposed: ProposedStep, proposedOn: LiveView): Promise<string> {
    const { action } = proposed;
    if (this.#done.length >= mostSteps)
      throw new StepProblem(`there are more than ${mostSteps} steps`);
    const { view, index } = await this.#locate(proposed, proposedOn);
    const element = index === undefined ? undefined : view.elements[index];
    const value = proposed.value ?? undefined;
    const step: ActRecipeStep = {
      action,
      selectors: [],
      ...(value === undefined ? {} : { value: this.#variables.maskText(value) }),
      ...(element === undefined ? {} : described(view, element)),
      effect: effectOf(proposed.effect),
    };
    const words = stepInWords(step);
    const held = await view.shows(step.effect, index);
    if (held && isFieldState(step.effect)) return `${words} (it was so already)`;
    // An effect visible before the step proves nothing.
    await this.#perform(held ? { ...step, effect: { kind: 'pageChanges' } } : step, view, index);
    return words;
  }

  /** The view before the last step, if that changed the page in an unexpected way. */
  #before: LiveView | undefined;

  /** Replaces the effect of the last step, if the new one is proven. */
  async #correctEffect(effect: ActEffect, now: LiveView): Promise<void> {
    const before = this.#before;
    const last = this.#done.at(-1);
    if (before === undefined || last === undefined || effect.kind === 'pageChanges') return;
    const [earlier, later] = [before, now].map((view) =>
      view.shows(effect, view.bySelectors(last)),
    );
    if ((await earlier) !== false || (await later) !== true) return;
    this.#done[this.#done.length - 1] = { ...last, effect };
    this.#before = undefined;
  }

  /** The element that the model refers to: one that it saw, or one that is yet to appear. */
  async #locate(
    { element, role, name }: ProposedStep,
    proposedOn: LiveView,
  ): Promise<{ readonly view: LiveView; readonly index: number | undefined }> {
    const until = Date.now() + delays.element;
    const known = element === null ? undefined : proposedOn.elements[element];
    if (element !== null && known === undefined)
      throw new StepProblem(`there is no element ${element}`);
    for (;;) {
      const view = await this.#currentView();
      if (element === null && name === null) return { view, index: undefined };
      const index =
        element !== null && known !== undefined
          ? ((await view.again(proposedOn, element)) ??
            view.bySelectors({ ...noStep, ...described(proposedOn, known) }))
          : view.byName(role ?? 'button', name ?? '');
      if (index !== undefined) return { view, index };
      if (Date.now() >= until) {
        const what = `${known?.role ?? role ?? ''} ${JSON.stringify(known?.name ?? name)}`;
        throw new StepProblem(`there is not exactly one ${what} now`);
      }
      await this.#pause();
    }
  }

  // Steps.

  /** Performs a step, waits for its effect, and adds it to the done steps. */
  async #perform(step: ActRecipeStep, view: LiveView, index: number | undefined): Promise<void> {
    const { allow = [] } = this.#act.options;
    const site = siteOf(this.#page.url());
    if (site !== this.#site && this.#variables.areIn(step.value ?? '')) {
      throw new ActRefusal(
        `${stepInWords(step)}: the act began on ${this.#site} and led to ${site}, where its variables are not filled in; use another act there`,
      );
    }
    try {
      await performStep(this.#page, { step, view, index, allow }, this.#context);
    } catch (error) {
      if (error instanceof StepProblem || error instanceof ActRefusal) throw error;
      this.#context.signal.throwIfAborted();
      throw new Error(this.#variables.maskText(messageOf(error)), { cause: error });
    }
    this.#performed++;
    this.#words.push(stepInWords(step));
    const until = Date.now() + delays.effect;
    for (;;) {
      await this.#context.settle();
      const now = await this.#currentView();
      const own =
        index === undefined ? undefined : ((await now.again(view, index)) ?? now.bySelectors(step));
      const hasChanged = now.fingerprint !== view.fingerprint;
      const isSeen =
        step.effect.kind === 'pageChanges' ? hasChanged : await now.shows(step.effect, own);
      if (isSeen) {
        this.#done.push(step);
        return;
      }
      if (Date.now() >= until) this.#refuseUnproven(step, view, hasChanged);
      await this.#pause();
    }
  }

  /** A step that changed the page led to its state, and is recorded. */
  #refuseUnproven(step: ActRecipeStep, before: LiveView, hasChanged: boolean): never {
    const unseen = `${stepInWords(step)}: ${effectInWords(step.effect)} was not seen after it`;
    if (!hasChanged) throw new StepProblem(`${unseen}, and nothing changed`);
    this.#done.push({ ...step, effect: { kind: 'pageChanges' } });
    this.#before = before;
    throw new StepProblem(`${unseen}, but the page changed in another way`);
  }

  async #currentView(): Promise<LiveView> {
    if (Date.now() > this.#until)
      throw new Error('its time is over; raise timeout, or split the task');
    return LiveView.open(this.#page, this.#variables, this.#context.signal);
  }

  async #pause(): Promise<void> {
    await sleep(delays.poll, undefined, { signal: this.#context.signal });
  }

  async #keep(
    key: string,
    facts: Pick<ActRecipe, 'host' | 'prompt' | 'model' | 'replaces'>,
  ): Promise<ActRecipe> {
    const { host, prompt, model, replaces } = facts;
    const { recipes, keeps } = this.#services;
    const id = shortHash([host, prompt, this.#done]);
    const recipe: ActRecipe = {
      format: 1,
      id,
      host,
      prompt,
      steps: this.#done,
      learnedFrom: this.#variables.maskText(this.#page.url()).slice(0, 5000),
      learnedAt: new Date(recipes.clock.now()).toISOString(),
      model,
      ...(replaces === undefined || replaces === id ? {} : { replaces }),
    };
    if (keeps) await recipes.add(key, recipe);
    return recipe;
  }

  #warnOfInstructions({ view }: LiveView): void {
    const quotes = findModelInstructions(view.text, 3).map((quote) => JSON.stringify(quote));
    const sentence = `The page has text that looks like instructions to a model: ${quotes.join('; ')}.`;
    if (quotes.length > 0 && !this.warnings.includes(sentence)) this.warnings.push(sentence);
  }
}

/** Effects that need not be repeated: a second click might undo them. */
function isFieldState({ kind }: ActEffect): boolean {
  return kind === 'valueIs' || kind === 'stateIs';
}

const noStep = { action: 'click', effect: { kind: 'pageChanges' } } as const;

/** A missing element proves nothing while a similar one is there: a banner may only look different. */
async function isSuperfluous(step: ActRecipeStep, view: LiveView): Promise<boolean> {
  const { effect, element } = step;
  if (step.selectors.length === 0 || !(await view.shows(effect, undefined))) return false;
  if (!/Disappears$/.test(effect.kind)) return true;
  const area = element?.area ?? '';
  return area === '' || !view.elements.some((one) => one.area === area);
}

/** The description by which a recipe finds an element again. */
function described(
  view: LiveView,
  { role, name, heading, area, tag, words, selectors }: ViewedElement,
): Pick<ActRecipeStep, 'selectors'> & Required<Pick<ActRecipeStep, 'element'>> {
  const isOwn = (selector: string): boolean =>
    view.elements.filter((one) => one.selectors.includes(selector)).length === 1;
  return {
    selectors: selectors.filter(isOwn).slice(0, mostSelectors),
    element: { role, name, heading, area, tag, words },
  };
}

function effectOf({ kind, text, role }: ProposedStep['effect']): ActEffect {
  return { kind, ...(text === null ? {} : { text }), ...(role === null ? {} : { role }) };
}

function effectInWords({ kind, text, role }: ActEffect): string {
  const parts = [role, text === undefined ? undefined : JSON.stringify(text)].filter(Boolean);
  return `${kind}${parts.length === 0 ? '' : ` ${parts.join(' ')}`}`;
}

function siteOf(url: string): string {
  return canParseUrl(url) ? registrableDomain(new URL(url).hostname) : '';
}

function pathOf(url: string): string | undefined {
  return canParseUrl(url) ? new URL(url).pathname : undefined;
}
