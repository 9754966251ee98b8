/** Starts Chromium, or connects to one that runs. */
import type { Browser, BrowserContext, BrowserType } from 'playwright-core';
import { messageOf, MissingDependencyError, PagewrightError } from '../../errors.ts';
import type { BrowserChoice } from './browser-choice.ts';
import { findChromium } from './executable.ts';
import { launchSettings } from './identity/launch-settings.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/** Milliseconds that a browser may take to start. */
const startTimeout = 30_000;

/**
 * Chromium heeds the last list that it is given, so that Playwright's own is repeated in this one:
 * all before the empty line. Of the rest the last one starts a renderer ahead for the context that was
 * used last, which is hardly ever the next one: a fifth of the CPU of a visit. The others would ask
 * servers of Google, through the proxy of the page.
 */
const disabledFeatures: readonly string[] = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],

  ...['AutofillServerCommunication', 'Translate', 'SpareRendererForSitePerProcess'],
];

/**
 * Flags that keep Chromium from talking to anybody but the pages' servers, and pages from reaching
 * past the proxy: WebRTC knows other ways.
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

/** The choice, and how the browser is to be started. */
interface BrowserToOpen extends BrowserChoice {
  /** So that it looks like that of a person. */
  readonly stealth: boolean;
  readonly warn: (sentence: string) => void;
}

const withoutSandbox =
  'Chromium runs without its sandbox, because this process is run by root: a page that breaks out of ' +
  'its renderer has the rights of root. Run the process as another user.';

/** A browser, and whether it is ours to close. */
export interface OpenBrowser {
  readonly browser: Browser;
  readonly isOwn: boolean;
  /** The caller's own context in it. */
  readonly context: BrowserContext | undefined;
  /** It was started here, with flags that keep its pages to their proxy. */
  readonly isLocal: boolean;
}

/**
 * Opens the browser of the choice. Rejects with `MISSING_DEPENDENCY` without playwright-core, with
 * `BROWSER_UNAVAILABLE` when there is no Chromium or it does not start.
 */
export async function openBrowser(choice: BrowserToOpen): Promise<OpenBrowser> {
  const { endpoint } = choice;
  // Their types say no more than what can be said without the package that is optional.
  const context = choice.context as BrowserContext | undefined;
  const browser = (choice.browser as Browser | undefined) ?? context?.browser() ?? undefined;
  if (browser !== undefined) return { browser, context, isOwn: false, isLocal: false };
  if (context !== undefined) throw persistent();
  const type = (choice.type as BrowserType | undefined) ?? (await playwrightChromium());
  if (endpoint !== undefined) {
    return { browser: await connect(type, endpoint), context, isOwn: true, isLocal: false };
  }
  return { browser: await launch(type, choice), context, isOwn: true, isLocal: true };
}

function persistent(): PagewrightError {
  return new PagewrightError(
    'BROWSER_UNAVAILABLE',
    'A persistent context does not tell its browser. Hand over a context of a browser that you launched or connected to: createClient({ browser: { context } }).',
  );
}

async function playwrightChromium(): Promise<BrowserType> {
  try {
    const { chromium } = await import('playwright-core');
    return chromium;
  } catch (error) {
    throw new MissingDependencyError('playwright-core', 'Rendering pages in a browser', error);
  }
}

async function launch(type: BrowserType, choice: BrowserToOpen): Promise<Browser> {
  const { headless, args, ignoreDefaultArgs } = launchSettings(choice);
  const bundled = type.executablePath();
  const executablePath = choice.executablePath ?? (await findChromium(bundled));
  // As root Chromium does not start with its sandbox; elsewhere it is there to be used.
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
      // The process is the caller's: its signals are none of our business.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    throw unavailable(`${executablePath} does not start`, error);
  }
}

async function connect(type: BrowserType, endpoint: string): Promise<Browser> {
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
