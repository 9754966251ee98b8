/**
 * The open page as an act sees it: finds the elements of a recipe's steps again, by selector or by likeness, uses them
 * with mouse and keyboard, and checks the effects.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { wordsOf } from '../../content/text/words.ts';
import {
  checkAnswer,
  type InPage,
  type IsolatedWorld,
  pageWorld,
} from '../actions/isolated-world.ts';
import { liveState } from '../actions/in-page/live-state.ts';
import type { ActEffect, ActElement, ActRecipeStep } from '../actions/act-recipe.ts';
import { pressKey } from '../actions/press.ts';
import {
  type HeldView,
  type PageView,
  type ViewedElement,
  viewPage,
  viewSample,
} from './in-page/page-view.ts';
import {
  chooseOption,
  enterField,
  hasValue,
  indexIn,
  type PagePoint,
  pointOf,
  takeView,
} from './in-page/use-element.ts';
import type { Variables } from './variables.ts';
import { sha256Of } from '../../core/runtime/identifiers.ts';

/** An element cannot be used; the message completes a sentence: "is covered by …". */
export class UnusableElement extends Error {}

/** The page at one moment. Values of variables are masked in it. */
export class LiveView {
  readonly view: PageView;
  /** Equal for pages that display the same. */
  readonly fingerprint: string;
  readonly #page: Page;
  readonly #world: IsolatedWorld;
  readonly #held: InPage<HeldView>;
  readonly #variables: Variables;

  private constructor(
    page: Page,
    at: { readonly world: IsolatedWorld; readonly held: InPage<HeldView>; readonly view: PageView },
    state: unknown,
    variables: Variables,
  ) {
    this.#page = page;
    this.#world = at.world;
    this.#held = at.held;
    this.#variables = variables;
    this.view = variables.mask(at.view);
    const seen = JSON.stringify([at.view, state]);
    this.fingerprint = sha256Of(seen);
  }

  /** Reads the page; retries while it navigates. */
  static async open(page: Page, variables: Variables, signal: AbortSignal): Promise<LiveView> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        const world = await pageWorld(page);
        const held = await world.keep(viewPage);
        if (held === undefined) throw new Error('the page has no view');
        const view = checkAnswer(await world.call(takeView, held), viewSample, 'view');
        return new LiveView(page, { world, held, view }, await world.call(liveState), variables);
      } catch (error) {
        if (attempt === 10 || !/navigat|no view/i.test(String(error))) throw error;
        await sleep(100, undefined, { signal });
      }
    }
  }

  get elements(): readonly ViewedElement[] {
    return this.view.elements;
  }

  /** The element that a step of a recipe names, by the first selector that only one element has. */
  bySelectors({ selectors, element: before }: ActRecipeStep): number | undefined {
    for (const selector of selectors) {
      const found = this.#indexes((one) => one.selectors.includes(selector));
      const [only] = found;
      if (only === undefined || found.length > 1) continue;
      const now = this.elements[only];
      // A path says nothing about the element at that position now.
      const isPath = !/^\[|^(?:frame .* >> )?(?:#\w+$|role=|text=|\w+\[name=)/.test(selector);
      if (before === undefined || now === undefined) return only;
      if (now.role !== before.role && !isPath) continue;
      if (!isPath || (now.role === before.role && nameLikeness(now.name, before.name) >= 0.5))
        return only;
    }
    return before === undefined ? undefined : this.#byNameWithoutNumbers(before);
  }

  /** "Reviews (12)" is "Reviews (7)" on the next page, where only one element has that name. */
  #byNameWithoutNumbers({ role, name, area }: ActElement): number | undefined {
    const wanted = withoutNumbers(name);
    if (wanted === name || !/\p{L}{3}/u.test(wanted)) return undefined;
    const found = this.#indexes((one) => withoutNumbers(one.name) === wanted);
    const [only] = found;
    const one = only === undefined ? undefined : this.elements[only];
    return found.length === 1 && one?.role === role && one.area === area ? only : undefined;
  }

  /** The element most similar to a description, if it is similar enough and no other comes near. */
  byLikeness(before: ActElement): number | undefined {
    const ranked = this.elements
      .map((one, index) => ({ index, score: likeness(one, before) }))
      .sort((one, other) => other.score - one.score);
    const [first, second] = ranked;
    if (first === undefined || first.score < leastLikeness) return undefined;
    return first.score - (second?.score ?? 0) < leastLead ? undefined : first.index;
  }

  /** The only element with this role and name, or the only one whose name starts with or contains it. */
  byName(role: string, name: string): number | undefined {
    const tests = [
      (one: string): boolean => one === plain(name),
      (one: string): boolean => one.startsWith(plain(name)),
      (one: string): boolean => one.includes(plain(name)),
    ];
    for (const test of tests) {
      const found = this.#indexes((one) => one.role === role && test(plain(one.name)));
      if (found.length === 1) return found[0];
    }
    return undefined;
  }

  /** The same element in this view; undefined when it is gone. */
  async again(before: LiveView, index: number): Promise<number | undefined> {
    const found = await this.#world.call(indexIn, this.#held, before.#held, index).catch(() => -1);
    return typeof found === 'number' && found >= 0 ? found : undefined;
  }

  /** Whether an effect can be seen now; `index` is the step's own element, if it is there. */
  async shows({ kind, text = '', role }: ActEffect, index: number | undefined): Promise<boolean> {
    const wanted = plain(text);
    const own = index === undefined ? undefined : this.elements[index];
    const isThere = (): boolean =>
      wanted === '' && role === undefined
        ? own !== undefined
        : this.elements.some(
            (one) => (role === undefined || one.role === role) && plain(one.name).includes(wanted),
          );
    switch (kind) {
      case 'textAppears':
        return plain(this.view.text).includes(wanted);
      case 'textDisappears':
        return !plain(this.view.text).includes(wanted);
      case 'urlContains':
        return this.view.url.includes(text);
      case 'elementAppears':
        return isThere();
      case 'elementDisappears':
        return !isThere();
      case 'stateIs':
        return own?.states.includes(text) === true;
      case 'valueIs': {
        if (index === undefined) return false;
        const value = this.#variables.fill(text);
        return (await this.#world.call(hasValue, this.#held, index, value)) === true;
      }
      case 'pageChanges':
        return false;
    }
  }

  /** Moves the pointer over the element. */
  async hover(index: number): Promise<void> {
    const { x, y } = await this.#point(index);
    await this.#page.mouse.move(x, y);
  }

  /** Clicks the element; `refuse` may throw for the element inside of it that the click would hit. */
  async click(index: number, refuse: (inner: ViewedElement) => void): Promise<void> {
    const { x, y, inner } = await this.#point(index);
    const hit = inner === index ? undefined : this.elements[inner];
    if (hit !== undefined) refuse(hit);
    await this.#page.mouse.click(x, y);
  }

  /** Replaces the text of a field. */
  async write(index: number, given: string): Promise<void> {
    const value = this.#variables.fill(given);
    const answer = await this.#enter(index, value);
    if (answer === 'set') return;
    if (value === '') await this.#page.keyboard.press('Delete');
    else await this.#page.keyboard.insertText(value);
  }

  async choose(index: number, given: string): Promise<void> {
    const value = this.#variables.fill(given);
    const problem = String(await this.#world.call(chooseOption, this.#held, index, value));
    if (problem !== '') throw new UnusableElement(problem);
  }

  async press(index: number | undefined, key: string): Promise<void> {
    if (index !== undefined) await this.#enter(index, null);
    try {
      await pressKey(this.#page, key);
    } catch (error) {
      if (!/Unknown key/.test(String(error))) throw error;
      throw new UnusableElement(`has no key ${JSON.stringify(key)}`, { cause: error });
    }
  }

  async #point(index: number): Promise<PagePoint> {
    const answer = await this.#world.call(pointOf, this.#held, index);
    const point = checkAnswer(answer, pointSample, 'point');
    if (point.problem !== '') throw new UnusableElement(point.problem);
    return point;
  }

  async #enter(index: number, value: string | null): Promise<string> {
    const answer = String(await this.#world.call(enterField, this.#held, index, value));
    if (answer !== 'typed' && answer !== 'set')
      throw new UnusableElement(this.#variables.maskText(answer));
    return answer;
  }

  #indexes(test: (element: ViewedElement) => boolean): number[] {
    return this.elements.flatMap((one, index) => (test(one) ? [index] : []));
  }
}

const pointSample: PagePoint = { x: 0, y: 0, problem: '', inner: 0 };

// Similarity of elements: how much of a description an element still has.

const leastLikeness = 0.55; // of 1; an element below it is another one
const leastLead = 0.1; // of the best element over the second

/** Roles that differ only in appearance. */
const alike: Readonly<Record<string, string>> = {
  link: 'button',
  tab: 'button',
  menuitem: 'button',
};

function likeness(one: ViewedElement, before: ActElement): number {
  const kind = (role: string): string => alike[role] ?? role;
  const sameRole = one.role === before.role ? 1 : kind(one.role) === kind(before.role) ? 0.6 : 0;
  const parts: readonly (readonly [weight: number, score: number])[] = [
    [2, sameRole],
    [4, nameLikeness(one.name, before.name)],
    [0.5, one.heading === before.heading ? 1 : 0],
    [1, one.area === before.area ? 1 : 0],
    [0.5, one.tag === before.tag ? 1 : 0],
    [2, nameLikeness(one.words, before.words)],
  ];
  const sum = parts.reduce((all, [weight, score]) => all + weight * score, 0);
  return sameRole === 0 ? 0 : sum / parts.reduce((all, [weight]) => all + weight, 0);
}

/** Share of common words, 0 to 1, without numbers. */
function nameLikeness(one: string, other: string): number {
  const [ones, others] = [one, other].map(
    (text) => new Set(wordsOf(text.replace(/[\d_-]+/g, ' '))),
  );
  if (ones === undefined || others === undefined || ones.size + others.size === 0) return 1;
  const both = [...ones].filter((word) => others.has(word)).length;
  return (2 * both) / (ones.size + others.size);
}

function withoutNumbers(name: string): string {
  return name.replace(/\d+(?:[.,\s]\d+)*/g, '#');
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
