/** What scrape options ask of an engine beyond a plain GET. */
import { z } from 'zod';
import type { Action } from '../actions/action.ts';
import type { ActionInput } from '../actions/index.ts';
import { ValidationError } from '../errors.ts';
import type { FormatRequest } from '../formats/format.ts';
import type { Capability, Rendering, Viewport } from '../model/request.ts';
import { countryProblem } from '../text/country-facts.ts';
import { captureOf } from './captures.ts';
import { parseActions } from './parse-actions.ts';

/** A profile by its name, 1 to 200 characters. */
interface ProfileChoice {
  readonly name: string;
  /** What the visit changed is kept for the next one. @default true */
  readonly saveChanges?: boolean | undefined;
}

/** Options that decide which engine fetches a page. */
export interface RenderingOptions {
  /** Extra wait in ms after the page settled, 0 to 60000, at most half of `timeout`; needs an engine that renders. @default 0 */
  readonly waitFor?: number | undefined;
  /** Emulate a mobile device; needs an engine that renders. @default false */
  readonly mobile?: boolean | undefined;
  /** CSS pixels of the browser's window, at most 7680 × 4320; needs an engine that renders. @default 1280 × 720 */
  readonly viewport?: Viewport | undefined;
  /** What the page is told that its reader prefers; needs an engine that renders. @default 'light' */
  readonly colorScheme?: 'light' | 'dark' | undefined;
  /**
   * Steps in a browser, at most 50, which wait at most 60 s in all; each begins when the page has settled.
   * One that fails rejects with an `ActionError`. Needs an engine with actions.
   */
  readonly actions?: readonly ActionInput[] | undefined;
  /** `stealth` looks like a browser; `auto` does so when a page refuses: a challenge, 401, 403, 429. @default 'auto' */
  readonly proxy?: 'basic' | 'stealth' | 'auto' | undefined;
  /**
   * `http` never opens a browser, `browser` always; `auto` begins with a plain GET and opens one where
   * an option or the page needs it: `metadata.engineReason` tells why.
   * @default 'auto'
   */
  readonly engine?: 'auto' | 'http' | 'browser' | undefined;
  /**
   * Cookies and storage of a browser, kept in the client's storage between scrapes under this name;
   * needs an engine with profiles. A login that was lost is an error. Nothing is saved with
   * `saveChanges: false` or `zeroDataRetention`.
   */
  readonly profile?: ProfileChoice | undefined;
  /**
   * Where the reader seems to be: Accept-Language; in a browser time zone and geolocation too. The
   * country is an ISO 3166-1 alpha-2 code in either case, or XK; another one is `BAD_REQUEST`.
   * @default US when given without a country
   */
  readonly location?:
    | { readonly country?: string | undefined; readonly languages?: readonly string[] | undefined }
    | undefined;
  /** Keep ads, trackers and consent pop-ups out, and remove what they leave in a page. @default true */
  readonly blockAds?: boolean | undefined;
}

/** What a caller wrote, and what the client brings. */
export interface RenderingQuestion {
  readonly given: RenderingOptions & { readonly zeroDataRetention?: boolean | undefined };
  readonly formats: readonly FormatRequest[];
  readonly customActions: readonly Action[];
}

/** What is asked of an engine: its capabilities, each with the option that asks, and what it is told. */
export interface RenderingSettings {
  readonly requires: ReadonlyMap<Capability, string>;
  readonly rendering: Rendering;
}

/**
 * Reads the options that are about rendering; throws `ValidationError` for actions that are wrong, and
 * for what needs a browser together with `engine: 'http'`.
 */
export function parseRendering(
  subject: string,
  { given, formats, customActions }: RenderingQuestion,
): RenderingSettings {
  const { waitFor = 0, actions = [], profile, viewport, colorScheme } = given;
  const steps = parseActions(subject, actions, customActions);
  const requires = new Map<Capability, string>();
  if (given.engine === 'browser') requires.set('render', "engine: 'browser'");
  if (waitFor > 0) requires.set('wait', 'waitFor');
  if (steps.length > 0) requires.set('actions', 'actions');
  if (given.mobile === true) requires.set('mobile', 'mobile');
  if (viewport !== undefined) requires.set('emulation', 'viewport');
  if (colorScheme !== undefined) requires.set('emulation', 'colorScheme');
  if (given.proxy === 'stealth') requires.set('stealth', "proxy: 'stealth'");
  if (profile !== undefined) requires.set('profile', 'profile');
  const captures = formats
    .map((format) => captureOf(format, formats))
    .filter((capture) => capture !== undefined);
  for (const { capability } of captures) requires.set(capability, `the format ${capability}`);
  if (given.engine === 'http') refuseRendering(subject, requires);
  const rendering: Rendering = {
    ...(waitFor > 0 ? { waitFor } : {}),
    ...(given.mobile === true ? { mobile: true } : {}),
    ...(given.proxy === 'stealth' ? { stealth: true } : {}),
    ...(steps.length > 0 ? { actions: steps } : {}),
    ...(profile === undefined ? {} : { profile: keptProfile(given, profile) }),
    ...(viewport === undefined ? {} : { viewport }),
    ...(colorScheme === undefined ? {} : { colorScheme }),
    ...(given.location === undefined ? {} : { location: readerLocation(given.location) }),
    ...((given.blockAds ?? true) ? { blockAds: true } : {}),
    ...captures.reduce((all, { rendering: asked }) => ({ ...all, ...asked }), {}),
  };
  return { requires, rendering };
}

/** The country in capitals; that of the contract where only languages are given. */
export function readerLocation({
  country = 'US',
  languages = [],
}: NonNullable<RenderingOptions['location']>): NonNullable<Rendering['location']> {
  return { country: country.toUpperCase(), languages };
}

/** Their part of the schema of scrape options. */
export const renderingShape: {
  readonly [Name in keyof RenderingOptions]-?: z.ZodType<RenderingOptions[Name]>;
} = {
  waitFor: z.int().min(0).max(60_000).optional(),
  mobile: z.boolean().optional(),
  viewport: z
    .strictObject({
      width: z.int().min(1).max(7680),
      height: z.int().min(1).max(4320),
    })
    .optional(),
  colorScheme: z.enum(['light', 'dark']).optional(),
  // Each entry is checked by the action that it names.
  actions: z.array(z.custom<ActionInput>()).optional(),
  proxy: z.enum(['basic', 'stealth', 'auto']).optional(),
  engine: z.enum(['auto', 'http', 'browser']).optional(),
  profile: z
    .strictObject({ name: z.string().min(1).max(200), saveChanges: z.boolean().optional() })
    .optional(),
  location: z
    .strictObject({
      country: z
        .string()
        .superRefine((code, context) => {
          const problem = countryProblem(code);
          if (problem !== undefined) context.addIssue(problem);
        })
        .optional(),
      languages: z
        .array(z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'expected a language tag'))
        .optional(),
    })
    .optional(),
  blockAds: z.boolean().optional(),
};

/** Only stealth is there without a browser too. */
function refuseRendering(subject: string, requires: ReadonlyMap<Capability, string>): void {
  const asking = [...requires].filter(([capability]) => capability !== 'stealth');
  if (asking.length === 0) return;
  const options = asking.map(([, option]) => option).join(', ');
  const message = `engine: 'http' opens no browser, which ${options} needs; leave one of them out`;
  throw new ValidationError(subject, [{ path: ['engine'], message }]);
}

/** Nothing is written anywhere where the caller wants it so. */
function keptProfile(
  { zeroDataRetention }: RenderingQuestion['given'],
  profile: ProfileChoice,
): ProfileChoice {
  return zeroDataRetention === true ? { ...profile, saveChanges: false } : profile;
}
