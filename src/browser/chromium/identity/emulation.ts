/**
 * Emulates a device, a location and a language: options of the context, and overrides over the
 * DevTools protocol.
 */
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Frame,
  Page,
} from 'playwright-core';
import type { Rendering, Viewport } from '../../../core/model/request.ts';
import type { ReaderLocation } from '../../../core/model/request-options.ts';
import { countryFacts, defaultCountry } from '../../../core/checks/country-facts.ts';

/**
 * The options of `browser.newContext`. `headers` have lower-case names; only `user-agent` and
 * `accept-language` are used here, the others are for `applyHeaders`.
 *
 * Options not asked for keep the browser's default, so that they hold in every frame and worker.
 * `emulatePage` completes the options on each page, and so does `shareLocation`.
 *
 * `browser`: facts about the running browser. `window`: the window of a visitor in stealth.
 */
export function contextOptions(
  rendering: Rendering,
  headers: Readonly<Record<string, string>>,
  browser: BrowserFacts,
  window: { readonly screen: Viewport; readonly viewport: Viewport } = plainWindow,
): BrowserContextOptions {
  const { viewport = window.viewport, colorScheme, location, mobile } = rendering;
  const locale = localeOf(requestedLanguages(rendering, headers));
  const facts = countryFacts(location?.country ?? defaultCountry);
  const userAgent = requestedUserAgent(rendering, headers, browser);
  return {
    ...(mobile === true
      ? { ...phone, ...(rendering.viewport === undefined ? {} : { viewport }) }
      : { viewport: { ...viewport }, screen: larger(window.screen, viewport) }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(locale === undefined ? {} : { locale }),
    // The machine's own time zone would reveal its location.
    ...(facts === undefined ? {} : { timezoneId: facts.timeZone }),
    ...(facts === undefined || location === undefined
      ? {}
      : { geolocation: { latitude: facts.latitude, longitude: facts.longitude, accuracy: 1000 } }),
    ...(colorScheme === undefined ? {} : { colorScheme }),
  };
}

/** The requested languages, in order of preference; none if the browser keeps its own. */
function requestedLanguages(
  { location }: Rendering,
  headers: Readonly<Record<string, string>>,
): string[] {
  const named = languagesInHeader(headers['accept-language'] ?? '');
  if (named.length > 0) return named;
  return location === undefined ? [] : languagesOf(location);
}

/** Undefined if the browser's own is right: without an override, nothing can differ. */
function requestedUserAgent(
  { mobile }: Rendering,
  headers: Readonly<Record<string, string>>,
  browser: BrowserFacts,
): string | undefined {
  if (headers['user-agent'] !== undefined) return headers['user-agent'];
  if (mobile === true) return phoneUserAgent(browser.version);
  return browser.isHeadless ? browser.userAgent : undefined;
}

const plainWindow = {
  screen: { width: 1920, height: 1080 },
  viewport: { width: 1280, height: 720 },
} as const;

/** The window with its frame fits the screen. */
function larger(screen: Viewport, { width, height }: Viewport): Viewport {
  return { width: Math.max(screen.width, width + 8), height: Math.max(screen.height, height + 85) };
}

// Emulation beyond the options of a context: several languages, and the machine of a phone.

/**
 * Completes the options of `contextOptions` on a page, before it navigates. Does nothing if no
 * option asks for it.
 *
 * Workers, and requests of scripts, use the first language only. A visit in stealth therefore has
 * only that one, everywhere alike, unless the caller named several. Frames of other sites are
 * processes of their own and are handled as they come.
 */
export async function emulatePage(
  page: Page,
  rendering: Rendering,
  headers: Readonly<Record<string, string>>,
  browser: BrowserFacts,
): Promise<void> {
  const languages = isOneEnough(rendering, headers) ? [] : requestedLanguages(rendering, headers);
  const userAgent = requestedUserAgent(rendering, headers, browser);
  if (languages.length < 2 && userAgent === undefined) return;
  const isPhone = rendering.mobile === true && headers['user-agent'] === undefined;
  const override = {
    // An empty value keeps the browser's own, with its hints.
    userAgent: userAgent ?? '',
    ...(languages.length === 0 ? {} : { acceptLanguage: languages.join(',') }),
    ...(userAgent === undefined ? {} : { userAgentMetadata: clientHintsFor(userAgent) }),
    ...(isPhone ? { platform: phonePlatform } : {}),
  };
  const speak = async (session: CDPSession): Promise<void> => {
    await session.send('Emulation.setUserAgentOverride', override);
  };
  await speak(await page.context().newCDPSession(page));
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) void reach(page, frame, speak);
  });
}

/** True in stealth, if the languages follow from the country alone. */
function isOneEnough(
  { stealth, location }: Rendering,
  headers: Readonly<Record<string, string>>,
): boolean {
  if (stealth !== true || location === undefined) return false;
  const usual = languagesOf({ country: location.country, languages: [] });
  return requestedLanguages({ location }, headers).join() === usual.join();
}

/** Only a frame in its own process has a session; other frames belong to the page's. */
async function reach(
  page: Page,
  frame: Frame,
  speak: (session: CDPSession) => Promise<void>,
): Promise<void> {
  try {
    await speak(await page.context().newCDPSession(frame));
  } catch {
    // The frame is in the page's process, or gone.
  }
}

// Facts about a running Chromium, for identities that fit it.

/** Read once after the launch. */
export interface BrowserFacts {
  /** `156.0.8078.79` */
  readonly version: string;
  /** The browser's User-Agent as in normal use, without "Headless". */
  readonly userAgent: string;
  /** True if the browser reveals to pages that it is headless, unless overridden. */
  readonly isHeadless: boolean;
}

/** Reads the facts from the browser. */
export async function readBrowserFacts(browser: Browser): Promise<BrowserFacts> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { userAgent } = await session.send('Browser.getVersion');
    return {
      version: browser.version(),
      userAgent: userAgent.replace('HeadlessChrome/', 'Chrome/'),
      isHeadless: userAgent.includes('Headless'),
    };
  } finally {
    await session.detach();
  }
}

// Client hints about the machine; brands and versions stay those of the browser.

/** The part of CDP's `UserAgentMetadata` that has no default. */
interface ClientHints {
  readonly platform: string;
  readonly platformVersion: string;
  readonly architecture: string;
  readonly model: string;
  readonly mobile: boolean;
}

/**
 * Client hints that fit a User-Agent, which says less: every Android phone is `Android 10; K`
 * there.
 */
function clientHintsFor(userAgent: string): ClientHints {
  if (/Android/.test(userAgent)) {
    return {
      platform: 'Android',
      platformVersion: '14.0.0',
      architecture: '',
      model: 'Pixel 7',
      mobile: /Mobile/.test(userAgent),
    };
  }
  const system = systems.find(({ pattern }) => pattern.test(userAgent)) ?? linux;
  return { ...system.hints, architecture: architecture(), model: '', mobile: false };
}

function architecture(): string {
  return process.arch.startsWith('arm') ? 'arm' : 'x86';
}

const linux = { pattern: /Linux/, hints: { platform: 'Linux', platformVersion: '' } };

const systems = [
  { pattern: /Windows/, hints: { platform: 'Windows', platformVersion: '15.0.0' } },
  { pattern: /Mac OS X/, hints: { platform: 'macOS', platformVersion: '15.0.0' } },
  linux,
] as const;

// The languages that a reader prefers, by location or by the Accept-Language header.

/**
 * `{ country: 'DE' }` → `['de-DE', 'de', 'en']`: each language, the same without its region, and
 * English, as in the Accept-Language header of a plain request.
 */
export function languagesOf({ country, languages }: ReaderLocation): string[] {
  const spoken =
    languages.length > 0
      ? languages
      : [`${new Intl.Locale(`und-${country}`).maximize().language}-${country}`];
  return [...new Set(spoken.flatMap((tag) => [tag, tag.split('-')[0] ?? tag]).concat('en'))];
}

/** `de;q=0.5, fr` → `['fr', 'de']`. Empty when the header names no language. */
export function languagesInHeader(header: string): string[] {
  const ranges = header.split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    return { tag, quality: quality === undefined ? 1 : Number(quality) };
  });
  const named = ranges.filter(({ tag, quality }) => tagForm.test(tag) && quality > 0);
  const sorted = named.sort((one, other) => other.quality - one.quality);
  return [...new Set(sorted.map(({ tag }) => tag))].slice(0, mostLanguages);
}

/** The first language that the browser accepts as its locale. */
function localeOf(languages: readonly string[]): string | undefined {
  return languages.find((tag) => {
    try {
      return Intl.getCanonicalLocales(tag).length > 0;
    } catch {
      return false;
    }
  });
}

const tagForm = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

const mostLanguages = 10; // weights of the header have one digit

// The phone of `mobile`: a common Android one, with the Chrome of the running version.

/** Options of a context: the page's size on that phone, with the browser's bars visible. */
const phone: {
  readonly viewport: { width: number; height: number };
  readonly screen: { width: number; height: number };
  readonly deviceScaleFactor: number;
  readonly isMobile: true;
  readonly hasTouch: true;
} = {
  viewport: { width: 412, height: 839 },
  screen: { width: 412, height: 915 },
  deviceScaleFactor: 2.625,
  isMobile: true,
  hasTouch: true,
};

/**
 * Chrome for Android sends the same User-Agent on all phones, with the main version only
 * (User-Agent reduction).
 */
function phoneUserAgent(version: string): string {
  return `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version.split('.')[0] ?? ''}.0.0.0 Mobile Safari/537.36`;
}

/** The value of `navigator.platform` in Chrome for Android, on every phone. */
const phonePlatform = 'Linux armv81';

// The window of a visitor: it distinguishes two people with the same browser.

/** A window on a screen. */
export interface SessionWindow {
  readonly screen: Viewport;
  /** The part of the window that shows the page. */
  readonly viewport: Viewport;
}

/** Draws a window as wide as its screen, as most people use it. `random` is for tests. */
export function drawWindow(random: () => number = Math.random): SessionWindow {
  const screen = screens[Math.floor(random() * screens.length)] ?? screens[0];
  return {
    screen,
    viewport: { width: screen.width - frame.width, height: screen.height - frame.height },
  };
}

/** Common screens, the most common one twice. */
const screens = [
  { width: 1920, height: 1080 },
  { width: 1920, height: 1080 },
  { width: 1536, height: 864 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
] as const;

/** Chromium's window frame, and a task bar of 40 px. */
const frame = { width: 8, height: 85 + 40 } as const;

// Only the visited page may read the reader's location.

/**
 * Lets the page's own origin, as https and with or without `www.`, request the position of the context. Other
 * origins are refused, unless the page itself delegates the permission to a frame (`allow="geolocation"`).
 */
export async function shareLocation(context: BrowserContext, url: string): Promise<void> {
  const { host, hostname, protocol } = new URL(url);
  const origins = new Set([`${protocol}//${host}`]);
  // An address or a port has no other form.
  if (host === hostname && /[a-z]$/i.test(hostname)) {
    const bare = host.replace(/^www\./, '');
    for (const name of [bare, `www.${bare}`]) origins.add(`https://${name}`);
  }
  for (const origin of origins) await context.grantPermissions(['geolocation'], { origin });
}
