/** Options of a browser context that looks as the request asks. */
import type { BrowserContextOptions } from 'playwright-core';
import type { Rendering, Viewport } from '../../../model/request.ts';
import type { BrowserFacts } from './browser-facts.ts';
import { countryFacts } from '../../../text/country-facts.ts';
import { languagesInHeader, languagesOf, localeOf } from './languages.ts';
import { phone, phoneUserAgent } from './phone.ts';

/** Who a visit seems to come from. */
export interface Appearance {
  /** What the browser that is running says of itself. */
  readonly browser: BrowserFacts;
  /** The window of a visitor in disguise. @default 1280 x 720 on a screen of 1920 x 1080 */
  readonly window?: { readonly screen: Viewport; readonly viewport: Viewport } | undefined;
}

/**
 * What `browser.newContext` is told. `headers` have lower-case names; of these `user-agent` and
 * `accept-language` count here, the others are for `applyHeaders`.
 *
 * What is not asked for stays as the browser has it, so that it holds in every frame and worker.
 * The options are completed on each page by `emulatePage`, and by `shareLocation`.
 */
export function contextOptions(
  rendering: Rendering,
  headers: Readonly<Record<string, string>>,
  { browser, window = plainWindow }: Appearance,
): BrowserContextOptions {
  const { viewport = window.viewport, colorScheme, location, mobile } = rendering;
  const locale = localeOf(askedLanguages(rendering, headers));
  const facts = location === undefined ? undefined : countryFacts(location.country);
  const userAgent = askedUserAgent(rendering, headers, browser);
  return {
    ...(mobile === true
      ? { ...phone, ...(rendering.viewport === undefined ? {} : { viewport }) }
      : { viewport: { ...viewport }, screen: larger(window.screen, viewport) }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(locale === undefined ? {} : { locale }),
    ...(facts === undefined
      ? {}
      : {
          timezoneId: facts.timeZone,
          geolocation: { latitude: facts.latitude, longitude: facts.longitude, accuracy: 1000 },
        }),
    ...(colorScheme === undefined ? {} : { colorScheme }),
  };
}

/** The languages asked for, the preferred one first; none when the browser keeps its own. */
export function askedLanguages(
  { location }: Rendering,
  headers: Readonly<Record<string, string>>,
): string[] {
  const named = languagesInHeader(headers['accept-language'] ?? '');
  if (named.length > 0) return named;
  return location === undefined ? [] : languagesOf(location);
}

/** Undefined where the browser's own is right: nothing is replaced then, so nothing can differ. */
export function askedUserAgent(
  { mobile }: Rendering,
  headers: Readonly<Record<string, string>>,
  browser: BrowserFacts,
): string | undefined {
  if (headers['user-agent'] !== undefined) return headers['user-agent'];
  if (mobile === true) return phoneUserAgent(browser.version);
  return browser.saysHeadless ? browser.userAgent : undefined;
}

const plainWindow = {
  screen: { width: 1920, height: 1080 },
  viewport: { width: 1280, height: 720 },
} as const;

/** A window with its frame fits its screen. */
function larger(screen: Viewport, { width, height }: Viewport): Viewport {
  return { width: Math.max(screen.width, width + 8), height: Math.max(screen.height, height + 85) };
}
