/** Finds and starts Chromium, or connects to a running browser. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserContext, BrowserType } from 'playwright-core';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { loadPackage } from '../../core/runtime/optional-packages.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import type { BrowserChoice } from './browser-choice.ts';
import { launchFiltered } from './browser-pipe.ts';
import type { MessageFilter } from './message-filter.ts';

const startTimeout = 30_000; // milliseconds

/**
 * Chromium uses only the last such list, so Playwright's own is repeated here: all before the first
 * empty line. The second group would send requests to servers of Google, through the proxy of the
 * page. The third costs CPU: the popups of the address bar are web pages in a renderer of each window
 * (half of a visit), and a renderer is started ahead for the context used last, which is hardly ever
 * the next one (a fifth).
 */
export const disabledFeatures: readonly string[] = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',

  'AutofillServerCommunication',
  'Translate',

  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
];

/**
 * Flags that stop Chromium's own background requests, and stop pages from bypassing the proxy through
 * WebRTC.
 */
const flags: readonly string[] = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${disabledFeatures.join()}`,
  '--no-pings',
  '--dns-prefetch-disable',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** The choice, and how to start the browser. */
interface BrowserToOpen extends BrowserChoice {
  /** Start it like a person's browser. */
  readonly stealth: boolean;
  readonly warn: (sentence: string) => void;
}

const withoutSandbox =
  'Chromium runs without its sandbox, because this process is run by root: a page that breaks out of ' +
  'its renderer has the rights of root. Run the process as another user.';

const withoutLimits =
  'What pages make the browser report is not limited, because it does not come through a pipe: a ' +
  'page that logs without end may fill the memory of this process. Leave out --remote-debugging-port.';

/** A browser, and whether this client closes it. */
export interface OpenBrowser {
  readonly browser: Browser;
  readonly isOwn: boolean;
  /** The caller's own context, in which pages are opened; undefined: each tab has its own. */
  readonly context: BrowserContext | undefined;
  /** Started here, with flags that keep its pages on their proxy. */
  readonly isLocal: boolean;
  /** Limits what its pages make it report; undefined for a browser that was not started here. */
  readonly messages: MessageFilter | undefined;
}

/**
 * Opens the browser of the choice. Rejects with `MISSING_DEPENDENCY` without playwright-core, with
 * `BROWSER_UNAVAILABLE` when there is no Chromium or it does not start.
 */
export async function openBrowser(choice: BrowserToOpen): Promise<OpenBrowser> {
  const { endpoint } = choice;
  // Their declared types are minimal because the package is optional.
  const context = choice.context as BrowserContext | undefined;
  const browser = (choice.browser as Browser | undefined) ?? context?.browser() ?? undefined;
  const remote = { isLocal: false, messages: undefined };
  if (browser !== undefined) return { browser, context, isOwn: false, ...remote };
  if (context !== undefined) throw persistent();
  const type = (choice.type as BrowserType | undefined) ?? (await playwrightChromium());
  if (endpoint !== undefined) {
    return { browser: await connectToBrowser(type, endpoint), context, isOwn: true, ...remote };
  }
  const launched = await launchFiltered(() => launchBrowser(type, choice));
  if (launched.messages === undefined) choice.warn(withoutLimits);
  return { ...launched, context, isOwn: true, isLocal: true };
}

function persistent(): PagewrightError {
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    'A persistent context does not expose its browser. Pass a context of a browser that you launched or connected to: createClient({ browser: { context } }).',
  );
}

async function playwrightChromium(): Promise<BrowserType> {
  const purpose = 'Rendering pages in a browser';
  const load = (): Promise<typeof import('playwright-core')> => import('playwright-core');
  return (await loadPackage(purpose, 'playwright-core', load)).chromium;
}

async function launchBrowser(type: BrowserType, choice: BrowserToOpen): Promise<Browser> {
  const { headless, args, ignoreDefaultArgs } = launchSettings(choice);
  const bundled = type.executablePath();
  const executablePath = choice.executablePath ?? (await findChromium(bundled));
  // As root Chromium does not start with its sandbox; otherwise the sandbox is used.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) choice.warn(withoutSandbox);
  try {
    return await type.launch({
      executablePath,
      ...(choice.headless === false
        ? { headless: false, args: [...flags, ...(choice.args ?? [])] }
        : { headless, ignoreDefaultArgs, args: [...flags, ...args, ...(choice.args ?? [])] }),
      chromiumSandbox: !isRoot,
      timeout: startTimeout,
      // The process belongs to the caller, and so does signal handling.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    if (sandboxFailure.test(messageOf(error))) throw sandboxUnavailable(executablePath, error);
    throw unavailable(`${executablePath} does not start`, error);
  }
}

/** Chromium's log if it may not create user namespaces, or change its root in one. */
const sandboxFailure = /No usable sandbox|sandboxing failed|Zygote process exited prematurely/;

function sandboxUnavailable(executablePath: string, cause: unknown): PagewrightError {
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    `The sandbox of ${executablePath} does not start: this system or container forbids user namespaces or chroot. Allow them (docs/deployment.md says how for Docker), or do without the sandbox: createClient({ browser: { args: ['--no-sandbox'] } }).`,
    { cause },
  );
}

async function connectToBrowser(type: BrowserType, endpoint: string): Promise<Browser> {
  try {
    return await type.connectOverCDP(endpoint, { timeout: startTimeout });
  } catch (error) {
    throw unavailable(`No browser answers at ${withoutSecrets(endpoint)}`, error);
  }
}

function unavailable(what: string, cause: unknown): PagewrightError {
  // Playwright puts the whole log of the browser into its message.
  const [reason = ''] = messageOf(cause).split('\n');
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    `${what}: ${reason.slice(0, 300)}. Check createClient({ browser }).`,
    { cause },
  );
}

/** Endpoints of services carry a token in the query or as the user. */
function withoutSecrets(endpoint: string): string {
  if (!canParseUrl(endpoint)) return 'the endpoint';
  const { protocol, host, pathname } = new URL(endpoint);
  return `${protocol}//${host}${pathname}`;
}

// Finds Chromium on this machine.

/** The executable that `openBrowser` starts if the choice names none. Rejects as it does. */
export async function locateChromium(): Promise<string> {
  return findChromium((await playwrightChromium()).executablePath());
}

/** Environment variables with the path of an executable, as other tools use them. */
const executableVariables = [
  'PAGEWRIGHT_CHROMIUM',
  'PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH',
  'PUPPETEER_EXECUTABLE_PATH',
  'CHROME_PATH',
];

/** Names of the executable on systems. */
const executableNames = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];

/** Install locations outside the PATH. */
const executablePaths: readonly string[] =
  process.platform === 'darwin'
    ? [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ]
    : process.platform === 'win32'
      ? [
          'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
          'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
        ]
      : ['/usr/bin/chromium', '/usr/bin/google-chrome', '/snap/bin/chromium'];

/**
 * Finds Chromium or Chrome: from an environment variable, else the driver's download (`bundled`),
 * else the system's. Throws a `BROWSER_UNAVAILABLE` that says how to install one.
 */
export async function findChromium(bundled?: string): Promise<string> {
  for (const variable of executableVariables) {
    const path = process.env[variable];
    if (path === undefined || path === '') continue;
    if (await isExecutable(path)) return path;
    throw new PagewrightError(
      'BROWSER_UNAVAILABLE',
      `${variable} names ${path}, which is not an executable file.`,
    );
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const extension = process.platform === 'win32' ? '.exe' : '';
  const inPath = executableNames.flatMap((command) =>
    folders.map((folder) => join(folder, command + extension)),
  );
  for (const path of [bundled, ...inPath, ...executablePaths]) {
    if (path !== undefined && path !== '' && (await isExecutable(path))) return path;
  }
  throw new PagewrightError(
    'BROWSER_UNAVAILABLE',
    'Chromium or Chrome was not found on this machine. Install one (Debian: apt-get install chromium; elsewhere: npx playwright install chromium), set PAGEWRIGHT_CHROMIUM to its path, or pass it: createClient({ browser: { executablePath } }).',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

// Launch settings that hide the automation of Chromium.

/** The part of Playwright's launch options that affects the browser's apparent identity. */
export interface LaunchSettings {
  readonly headless: boolean;
  readonly args: string[];
  /** Playwright's switches to leave out. */
  readonly ignoreDefaultArgs: string[];
}

/**
 * Switches for every launch: `navigator.webdriver` is false as in any browser, and the pointer is a
 * mouse.
 */
const stealthFlags: readonly string[] = [
  '--disable-blink-features=AutomationControlled',
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

/**
 * On Linux: the common Chromium, with its windows on a virtual screen: it needs no display, and
 * there is no Headless in its user agent, its client hints or its window sizes, in pages, frames
 * and workers alike. Elsewhere: the headless mode, whose user agent `contextOptions` corrects.
 *
 * `stealth` leaves out software graphics: as in every Chrome on a machine without a graphics card
 * there is then no WebGL, instead of one called SwiftShader. Maps need it, so other launches keep
 * it.
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
 * Chromium's protections that Playwright's switches disable: pages that call `history` or open
 * windows without end are slowed down instead of keeping the browser busy until the time is over.
 */
const lostGuards: readonly string[] = [
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
];

/** Chromium's headless mode uses the same screen. */
const screenFlags: readonly string[] = [
  '--ozone-platform=headless',
  '--ozone-override-screen-size=1920,1080',
  '--window-size=1288,805',
  '--mute-audio',
];
