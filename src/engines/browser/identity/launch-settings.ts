/** How Chromium is started so that nothing about it says that a program drives it. */

/** The part of Playwright's launch options that is about who the browser seems to be. */
export interface LaunchSettings {
  readonly headless: boolean;
  readonly args: string[];
  /** Playwright's own switches to leave out. */
  readonly ignoreDefaultArgs: string[];
}

/**
 * Switches that are good for every launch: `navigator.webdriver` is false as in any browser, and
 * pointing is that of a mouse.
 */
const stealthFlags: readonly string[] = [
  '--disable-blink-features=AutomationControlled',
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

/**
 * The common Chromium of Linux, with its windows on a screen that does not exist: no display is
 * needed, and there is no Headless in its user agent, its client hints or its window sizes, in
 * pages, frames and workers alike. Elsewhere it is the headless mode, whose user agent
 * `contextOptions` corrects.
 *
 * `stealth` leaves out software graphics: as in every Chrome on a machine without a graphics card
 * there is then no WebGL, in place of one that is called SwiftShader. Maps need it, so that it is
 * not for every launch.
 */
export function launchSettings(
  { stealth = false }: { readonly stealth?: boolean } = {},
  platform: NodeJS.Platform = process.platform,
): LaunchSettings {
  const hasOzone = platform === 'linux';
  return {
    headless: !hasOzone,
    args: [...stealthFlags, ...(hasOzone ? screenFlags : [])],
    ignoreDefaultArgs: [...lostGuards, ...(stealth ? ['--enable-unsafe-swiftshader'] : [])],
  };
}

/**
 * Guards of every Chromium that Playwright's switches take away: pages that call `history` or open
 * windows without end are slowed down in place of keeping the browser busy until time is over.
 */
const lostGuards: readonly string[] = [
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
];

/** The headless mode of Chromium uses the same screen. */
const screenFlags: readonly string[] = [
  '--ozone-platform=headless',
  '--ozone-override-screen-size=1920,1080',
  '--window-size=1288,805',
  '--mute-audio',
];
