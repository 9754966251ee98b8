/** What scrape options ask of an engine beyond a plain GET. */
import type { Capability, Rendering } from '../model/request.ts';

/** Options that decide which engine fetches a page. */
export interface RenderingOptions {
  /** Extra wait in ms after the page settled, 0 to 60000, at most half of `timeout`; needs an engine that renders. @default 0 */
  readonly waitFor?: number | undefined;
  /** Emulate a mobile device; needs an engine that renders. @default false */
  readonly mobile?: boolean | undefined;
  /** Steps in a browser, at most 50; needs an engine with actions. */
  readonly actions?:
    readonly { readonly type: string; readonly [key: string]: unknown }[] | undefined;
  /** `stealth` looks like a browser; `auto` does so when a page refuses: a challenge, 401, 403, 429. @default 'auto' */
  readonly proxy?: 'basic' | 'stealth' | 'auto' | undefined;
  /** `http` never opens a browser, `browser` always. @default 'auto' */
  readonly engine?: 'auto' | 'http' | 'browser' | undefined;
  /** Browser state kept between scrapes; needs an engine with profiles. */
  readonly profile?:
    { readonly name: string; readonly saveChanges?: boolean | undefined } | undefined;
}

/** The capabilities that options need, each with the option that asks. */
export function requiredCapabilities(options: RenderingOptions): Map<Capability, string> {
  const requires = new Map<Capability, string>();
  if (options.engine === 'browser') requires.set('render', "engine: 'browser'");
  if ((options.waitFor ?? 0) > 0) requires.set('wait', 'waitFor');
  if ((options.actions ?? []).length > 0) requires.set('actions', 'actions');
  if (options.mobile === true) requires.set('mobile', 'mobile');
  if (options.proxy === 'stealth') requires.set('stealth', "proxy: 'stealth'");
  if (options.profile !== undefined) requires.set('profile', 'profile');
  return requires;
}

/** What the engine is told. */
export function requestedRendering(options: RenderingOptions): Rendering {
  const { waitFor = 0, profile } = options;
  return {
    ...(waitFor > 0 ? { waitFor } : {}),
    ...(options.mobile === true ? { mobile: true } : {}),
    ...(options.proxy === 'stealth' ? { stealth: true } : {}),
    ...(profile === undefined ? {} : { profile }),
  };
}
