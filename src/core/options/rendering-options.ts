/** Options of a page beyond a plain GET: the browser, its location and language, captures and actions. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Action } from '../../browser/actions/action.ts';
import type { ActOptions } from '../../browser/actions/action-options.ts';
import { actStep } from '../../browser/act/act-step.ts';
import {
  type ActionInput,
  builtInAction,
  builtInActionNames,
  isBuiltIn,
} from '../../browser/actions/action-types.ts';
import {
  messageOf,
  PagewrightError,
  ValidationError,
  type ValidationIssue,
} from '../runtime/errors.ts';
import type { CaptureSettings, FormatRequest } from '../../content/formats/format.ts';
import { isCredentialName } from '../http/network/credentials.ts';
import { loadModule } from '../runtime/load-module.ts';
import { responseWithin } from '../model/network-request.ts';
import type { ActionStep, Capability, Rendering, Viewport } from '../model/request.ts';
import { atOnce } from '../runtime/at-once.ts';
import { check } from '../checks/check.ts';
import type { ReaderLocation } from '../model/request-options.ts';
import { unknownName } from '../checks/option-errors.ts';
import { type Input, list, option } from '../checks/option.ts';
import { urlFilter, type UrlPart, urlPartSchema } from '../checks/url-filter.ts';
import { type Duration, durationSchema } from '../checks/duration.ts';

/** A profile by its name, 1 to 200 characters. */
export interface ProfileChoice {
  readonly name: string;
  /** Save the changes of the visit for the next one. @default true */
  readonly saveChanges?: boolean | undefined;
}

/** A response to wait for; `ACTION_FAILED` if it does not come. */
export interface WaitForResponse {
  /** The URL: a part of it, a glob for all of it, or a RegExp. Redirects and failed requests do not count. */
  readonly response: UrlPart;
  /** Milliseconds, 1 to 60000; it ends sooner where `timeout` leaves less. @default 30000 */
  readonly timeout?: Duration | undefined;
}

/** Options about the browser. */
export const renderingRows = {
  /**
   * Extra wait in ms after the page settled, 0 to 60000, less where `timeout` leaves less; or a response to wait for,
   * whose body has ended, also while the page was loading. Needs an engine that renders. @default 0
   */
  // Checked by its kind: a union would not say what is wrong with an object.
  waitFor: option(z.custom<Duration | WaitForResponse>(), {
    cli: '<time> wait this long after the page has settled',
    calls: ['session.scrape', 'goto'],
  }),
  /** Emulate a mobile device; needs an engine that renders. @default false */
  mobile: option(z.boolean().default(false), {
    cli: 'load the page as on a phone',
    calls: ['changes'],
  }),
  /** CSS pixels of the browser's window, at most 7680 × 4320; needs an engine that renders. @default 1280 × 720 */
  viewport: option<Viewport, Viewport>(
    z.strictObject({ width: z.int().min(1).max(7680), height: z.int().min(1).max(4320) }),
  ),
  /**
   * The preferred color scheme reported to the page; needs an engine that renders. @default 'light'
   */
  colorScheme: option(z.enum(['light', 'dark'])),
  /**
   * Steps in a browser, at most 50, which wait at most 60 s in all; each begins when the page has
   * settled. A failing step rejects with an `ActionError`. Needs an engine with actions.
   */
  // Each entry is checked by its action.
  actions: option(list(z.custom<ActionInput>()), {
    cli: '<json> steps as a JSON list, or a file with one: @steps.json',
    private: 'actions',
    // What `fill` and `write` type, variables of acts, and what custom actions call a password or the like.
    secret: ([, name = '', part]) =>
      part === undefined ? name === 'text' || isCredentialName(name) : name === 'variables',
    calls: ['changes', 'session.scrape'],
  }),
  /**
   * Cookies and storage of a browser, kept in the client's storage between scrapes under this name;
   * needs an engine with profiles. A lost login is an error. Nothing is saved with
   * `saveChanges: false` or `zeroDataRetention`.
   */
  profile: option<ProfileChoice, ProfileChoice, 'changes'>(
    z.strictObject({ name: z.string().min(1).max(200), saveChanges: z.boolean().optional() }),
    {
      cli: {
        name: '--profile <name> keep browser state, such as a login, under this name between runs',
      },
      private: 'a profile',
      calls: ['changes'],
    },
  ),
};

/** The options that decide which engine fetches a page. */
type RenderingOptions = Input<typeof renderingRows> & {
  readonly engine?: 'auto' | 'http' | 'browser' | undefined;
  readonly proxy?: 'basic' | 'stealth' | 'auto' | undefined;
  readonly location?: ReaderLocation | undefined;
  readonly blockAds?: boolean | undefined;
};

/** The caller's options, and the client's parts. */
export interface RenderingRequest {
  readonly given: RenderingOptions & { readonly zeroDataRetention?: boolean | undefined };
  readonly formats: readonly FormatRequest[];
  readonly customActions: readonly Action[];
  /** True when the client has a model. @default false */
  readonly hasModel?: boolean;
}

/**
 * The required capabilities, each with the option that needs it, and the settings for the engine.
 */
export interface RenderingSettings {
  readonly requires: ReadonlyMap<Capability, string>;
  readonly rendering: Rendering;
}

/**
 * Reads the rendering options; throws `ValidationError` for invalid actions, and for options that
 * need a browser together with `engine: 'http'`.
 */
export function parseRendering(
  subject: string,
  { given, formats, customActions, hasModel = false }: RenderingRequest,
): RenderingSettings {
  const { actions = [], profile, viewport, colorScheme } = given;
  const waiting = waitSettings(subject, given.waitFor);
  const steps = parseActions(subject, actions, customActions, hasModel);
  const requires = new Map<Capability, string>();
  if (given.engine === 'browser') requires.set('render', "engine: 'browser'");
  if (waiting.waitFor !== undefined) requires.set('wait', 'waitFor');
  if (waiting.waitForResponse !== undefined) requires.set('requests', 'waitFor.response');
  if (steps.length > 0) requires.set('actions', 'actions');
  if (steps.some(({ readsResponses }) => readsResponses)) requires.set('requests', 'actions');
  if (given.mobile === true) requires.set('mobile', 'mobile');
  if (viewport !== undefined) requires.set('emulation', 'viewport');
  if (colorScheme !== undefined) requires.set('emulation', 'colorScheme');
  if (given.proxy === 'stealth') requires.set('stealth', "proxy: 'stealth'");
  if (profile !== undefined) requires.set('profile', 'profile');
  const captures = neededCaptures(subject, formats, requires);
  if (given.engine === 'http') refuseBrowserSettings(subject, requires);
  const rendering: Rendering = {
    ...waiting,
    ...(given.mobile === true ? { mobile: true } : {}),
    ...(given.proxy === 'stealth' ? { stealth: true } : {}),
    ...(steps.length > 0 ? { actions: steps } : {}),
    ...(profile === undefined ? {} : { profile: storableProfile(given, profile) }),
    ...(viewport === undefined ? {} : { viewport }),
    ...(colorScheme === undefined ? {} : { colorScheme }),
    ...(given.location === undefined ? {} : { location: given.location }),
    ...((given.blockAds ?? true) ? { blockAds: true } : {}),
    ...captures,
  };
  return { requires, rendering };
}

function waitSettings(
  subject: string,
  waitFor: RenderingOptions['waitFor'] = 0,
): Pick<Rendering, 'waitFor' | 'waitForResponse'> {
  const at = ['waitFor'];
  if (typeof waitFor !== 'object') {
    const milliseconds = check(subject, waitSchema, waitFor, { at });
    return milliseconds > 0 ? { waitFor: milliseconds } : {};
  }
  const { response, timeout = responseWithin } = check(subject, responseSchema, waitFor, { at });
  return { waitForResponse: { response: urlFilter(response), timeout } };
}

const waitSchema = durationSchema(0, 60_000);

const responseSchema = z.strictObject({
  response: urlPartSchema,
  timeout: durationSchema(1, 60_000).optional(),
} satisfies Record<keyof WaitForResponse, z.ZodType>);

/** Only stealth works without a browser too. */
function refuseBrowserSettings(subject: string, requires: ReadonlyMap<Capability, string>): void {
  const asking = [...requires].filter(([capability]) => capability !== 'stealth');
  if (asking.length === 0) return;
  const options = asking.map(([, option]) => option).join(', ');
  const message = `engine: 'http' opens no browser, which ${options} needs; leave one of them out`;
  throw new ValidationError(subject, [{ path: ['engine'], message }]);
}

/** Nothing is stored if the caller forbids it. */
function storableProfile(
  { zeroDataRetention }: RenderingRequest['given'],
  profile: ProfileChoice,
): ProfileChoice {
  return zeroDataRetention === true ? { ...profile, saveChanges: false } : profile;
}

// Captures of the open page that formats need.

/** Merges what the formats need, and adds the capabilities for it to `requires`. */
function neededCaptures(
  subject: string,
  formats: readonly FormatRequest[],
  requires: Map<Capability, string>,
): Pick<Rendering, 'screenshot' | 'branding' | 'requests'> {
  let screenshot: CaptureSettings['screenshot'];
  let branding: CaptureSettings['branding'];
  let requests: CaptureSettings['requests'];
  for (const { format, uses } of formats) {
    const needed = uses.captures ?? {};
    const merged = { ...screenshot, ...needed.screenshot };
    if (!isDeepStrictEqual(merged, { ...needed.screenshot, ...screenshot })) {
      const message = `formats: ${format.name} needs a different screenshot from the other formats; a page has only one`;
      throw new ValidationError(subject, [{ path: ['formats'], message }]);
    }
    if (needed.screenshot !== undefined) {
      screenshot = merged;
      if (!requires.has('screenshot')) requires.set('screenshot', `the format ${format.name}`);
    }
    if (needed.branding !== undefined) {
      branding = needed.branding;
      requires.set('branding', `the format ${format.name}`);
    }
    if (needed.requests !== undefined) {
      if (requests !== undefined && !isDeepStrictEqual(requests, needed.requests)) {
        const message = `formats: ${format.name} needs different requests from the other formats; a page has only one list`;
        throw new ValidationError(subject, [{ path: ['formats'], message }]);
      }
      requests = needed.requests;
      requires.set('requests', `the format ${format.name}`);
    }
  }
  return {
    ...(screenshot === undefined ? {} : { screenshot: { fullPage: false, ...screenshot } }),
    ...(branding === undefined ? {} : { branding }),
    ...(requests === undefined ? {} : { requests }),
  };
}

// The `actions` option: from objects to steps with checked options.

/** The most steps of one scrape. */
const mostActions = 50;

/** The most milliseconds that the steps of one scrape wait by their options. */
const longestWait = 60_000;

/** Checks each entry; throws `ValidationError` with every issue. */
export function parseActions(
  subject: string,
  inputs: readonly unknown[],
  custom: readonly Action[],
  hasModel = false,
): ActionStep[] {
  const issues: ValidationIssue[] = [];
  const steps: ActionStep[] = [];
  if (inputs.length > mostActions) {
    const message = `actions: ${inputs.length} steps; at most ${mostActions}`;
    throw new ValidationError(subject, [{ path: ['actions'], message }]);
  }
  for (const [index, input] of inputs.entries()) {
    try {
      steps.push(readActionEntry(subject, input, { index, custom, hasModel }));
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

/** One entry of the list, and the client's parts. */
interface ActionEntry {
  readonly index: number;
  readonly custom: readonly Action[];
  readonly hasModel: boolean;
}

function readActionEntry(
  subject: string,
  input: unknown,
  { index, custom, hasModel }: ActionEntry,
): ActionStep {
  const at = ['actions', index] as const;
  const fail = (message: string, ...keys: string[]): ValidationError => {
    const position = [`actions[${index}]`, ...keys].join('.');
    return new ValidationError(subject, [
      { path: [...at, ...keys], message: `${position}: ${message}` },
    ]);
  };
  const expected = 'expected { type, …options } or an action object';
  if (typeof input !== 'object' || input === null) throw fail(expected);
  const { type, ...options } = input as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') throw fail(expected);
  if (typeof options['run'] === 'function') {
    if (!isBuiltIn(type)) return customStep(input as Action, {}, fail);
    throw fail(`"${type}" is a built-in action; choose another type`, 'type');
  }
  if (isBuiltIn(type)) {
    const builtIn = builtInAction(type);
    const checked = check(subject, builtIn.options, options, { at });
    // Bytes are base64 by now: as JSON each of them would be a property.
    const key = actionKey([type, checked]);
    if (type === 'act') return readAct(index, checked as ActOptions, key, hasModel);
    return {
      type,
      waits: builtIn.waits?.(checked) ?? 0,
      showsPage: builtIn.showsPage,
      readsResponses: builtIn.readsResponses?.(checked),
      key,
      async perform(page, context, outcome) {
        const { performAction } = await loadModule(
          () => import('../../browser/actions/perform-action.ts'),
        );
        const action = { index, name: type, options: checked };
        await performAction(page as ActionPage, action, context, outcome);
      },
    };
  }
  const own = custom.find((action) => action.type === type);
  if (own !== undefined) return customStep(own, options, fail);
  const known = [...builtInActionNames(), ...custom.map((action) => action.type)];
  throw fail(unknownName('action', type, known), 'type');
}

/** Throws `MODEL_REQUIRED` for one that is to learn without a model. */
function readAct(index: number, options: ActOptions, key: string, hasModel: boolean): ActionStep {
  if (options.recipe === 'learn' && !hasModel) {
    throw new PagewrightError(
      'MODEL_REQUIRED',
      `actions[${index}] (act): recipe: 'learn' needs a model, and this client has none: createClient({ model }). recipe: 'use' needs none.`,
    );
  }
  return actStep(index, options, key, hasModel && options.recipe !== 'use');
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
    options = atOnce(action.parseOptions?.(given));
  } catch (error) {
    throw fail(`${type}: ${messageOf(error)}`);
  }
  return {
    type,
    waits: 0,
    key: actionKey([type, given]),
    async perform(page, context, outcome) {
      const value = await action.run(page as ActionPage, options, context);
      if (value !== undefined) outcome.returns.push({ type, value });
    },
  };
}

/** Values that JSON cannot hold are not distinguished. */
function actionKey(input: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(input, (_, part: unknown) =>
      part instanceof RegExp ? String(part) : part,
    );
  } catch {
    text = String(input);
  }
  return createHash('sha256').update(text).digest('hex');
}
