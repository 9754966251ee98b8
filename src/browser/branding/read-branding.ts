/** Reads the branding of a loaded page in Chromium: colours, fonts, components, logo. */
import type { Page } from 'playwright-core';
import { nextFrame } from '../actions/in-page/next-frame.ts';
import { inTime, IsolatedWorld } from '../actions/isolated-world.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type {
  BrandColors,
  BrandComponents,
  Branding,
  BrandScheme,
} from '../../core/model/branding.ts';
import { withSignal } from '../../core/runtime/deadline.ts';
import { chooseColors } from './choose-colors.ts';
import { addStates, chooseComponents, type ChosenComponents } from './components.ts';
import { perceived } from './color.ts';
import { countElements } from './in-page/collect-styles.ts';
import { gradientsOf, measureSpacing, measureText, paletteOf } from './measures.ts';
import { readSiteIdentity, type SiteIdentity } from './site-identity.ts';
import { readScheme, type SchemeReading } from './read-scheme.ts';
import { compact } from '../../core/runtime/compact.ts';

const limits = {
  required: 8000, // milliseconds for the required parts; a quiet page takes a tenth of it
  optional: 3000, // milliseconds after that for states of buttons and the other scheme
  run: 2000, // milliseconds after which V8 ends one of our functions
  elements: 50_000, // with more, each change of style takes seconds: no optional parts
  restore: 1000, // milliseconds that a page gets to restore its scheme
};

/**
 * Reads a loaded page in Chromium. The page is left as it was, but its scripts may observe that the
 * preferred colour scheme changed and changed back. Rejects with `signal.reason` when that aborts, as it does
 * when the page crashes or closes, with `TIMEOUT` if the page does not respond, with `BROWSER_CRASHED` if it
 * moves on.
 */
export async function readBranding(page: Page, signal: AbortSignal): Promise<Branding> {
  signal.throwIfAborted();
  const failure = new AbortController();
  const timer = setTimeout(
    () => failure.abort(busyPage(page)),
    limits.required + limits.optional + 1000,
  );
  const main = setTimeout(() => failure.abort(busyPage(page)), limits.required);
  const ending = AbortSignal.any([signal, failure.signal]);
  try {
    await using opened = await openWorld(page, ending);
    const { world } = opened;
    const isLarge = Number(await world.call(countElements)) > limits.elements;
    await using _still = isLarge ? undefined : await stillPage(world);
    const reading = await readScheme(world);
    const identity = await readSiteIdentity(world, reading);
    clearTimeout(main);
    const spare = isLarge ? AbortSignal.abort() : AbortSignal.timeout(limits.optional);
    return await assembleBranding(
      page,
      world,
      { reading, identity },
      AbortSignal.any([ending, spare]),
    );
  } catch (error) {
    ending.throwIfAborted();
    throw lostPage(page, error);
  } finally {
    clearTimeout(timer);
    clearTimeout(main);
  }
}

/** Opens a separate CDP session: changes made for the reading end with it at the latest. */
async function openWorld(
  page: Page,
  signal: AbortSignal,
): Promise<AsyncDisposable & { readonly world: IsolatedWorld }> {
  const within = <T>(answer: Promise<T>): Promise<T> => withSignal(answer, signal);
  const session = await within(page.context().newCDPSession(page));
  // A page that hangs does not respond: its session ends with it.
  const close = async (): Promise<void> => void (await inTime(session.detach(), 500));
  try {
    const { targetInfo } = await within(session.send('Target.getTargetInfo'));
    const options = { name: 'branding', runLimit: limits.run, within };
    const world = await IsolatedWorld.open(session, targetInfo.targetId, options);
    return { world, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The result; optional parts that need the page again are left out when `spare` aborts. */
async function assembleBranding(
  page: Page,
  world: IsolatedWorld,
  { reading, identity }: { readonly reading: SchemeReading; readonly identity: SiteIdentity },
  spare: AbortSignal,
): Promise<Branding> {
  const { themeColor, brandName, images } = identity;
  const designOf = (of: SchemeReading): { colors: BrandColors; chosen: ChosenComponents } => {
    const chosen = chooseComponents(of);
    return { colors: chooseColors(of, chosen, themeColor), chosen };
  };
  const { colors, chosen } = designOf(reading);
  const { prefersDark } = reading.records;
  const components = await unlessAborted(spare, () =>
    withSignal(addStates(world, reading, chosen), spare),
  );
  const other = await unlessAborted(spare, () =>
    inOtherScheme(page, world, prefersDark, spare, async () => designOf(await readScheme(world))),
  );
  const now: BrandScheme = { colors, components: componentsOf(chosen) };
  const then = other && { colors: other.colors, components: componentsOf(other.chosen) };
  const isSame = then === undefined || JSON.stringify(now) === JSON.stringify(then);
  const lightness = perceived(colors.background ?? '#ffffff').lightness;
  return compact({
    colorScheme: lightness < 0.5 ? 'dark' : 'light',
    brandName,
    logo: images.logo,
    colors,
    palette: paletteOf(reading),
    gradients: gradientsOf(reading),
    ...measureText(reading),
    spacing: measureSpacing(reading),
    components: components ?? now.components,
    images,
    schemes: isSame
      ? undefined
      : { light: prefersDark ? then : now, dark: prefersDark ? now : then },
  });
}

async function unlessAborted<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function componentsOf(chosen: ChosenComponents): BrandComponents {
  return compact({
    buttonPrimary: chosen.buttonPrimary?.component,
    buttonSecondary: chosen.buttonSecondary?.component,
    input: chosen.input?.component,
  });
}

function busyPage(page: Page): PagewrightError {
  return new PagewrightError(
    'TIMEOUT',
    `The page did not let its styles be read within ${limits.required} ms: its scripts or its size keep it busy. Request the page without branding.`,
    { url: page.url() },
  );
}

function lostPage(page: Page, cause: unknown): PagewrightError {
  const because = cause instanceof Error ? ` (${cause.message.slice(0, 300)})` : '';
  return new PagewrightError(
    'BROWSER_CRASHED',
    `The page crashed, closed or moved on while its styles were read${because}.`,
    { url: page.url(), cause },
  );
}

// Switches transitions off while the page is read, so that each colour is the final one.

/**
 * Switches transitions off until it is disposed. The style sheet is the inspector's: scripts do not see it.
 * Costs two calculations of all styles.
 */
export async function stillPage(world: IsolatedWorld): Promise<AsyncDisposable> {
  await world.send('DOM.enable');
  await world.send('CSS.enable');
  const { styleSheetId } = await world.send('CSS.createStyleSheet', { frameId: world.frameId });
  const write = async (text: string): Promise<void> => {
    await world.send('CSS.setStyleSheetText', { styleSheetId, text });
  };
  await write('*, *::before, *::after { transition: none !important; }');
  return {
    // If the page is gone or hangs, there is nothing to restore.
    [Symbol.asyncDispose]: () => write('').catch(() => undefined),
  };
}

// The page in the other colour scheme.

/**
 * Runs `work` while the page has the opposite of `prefersDark`, and restores the scheme, also after
 * `signal` aborted.
 */
export async function inOtherScheme<T>(
  page: Page,
  world: IsolatedWorld,
  prefersDark: boolean,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const setScheme = async (isDark: boolean, until: AbortSignal): Promise<void> => {
    await withSignal(page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' }), until);
    // The next frame has the new scheme; a page that paints no frame only waits 100 ms.
    await withSignal(inTime(world.call(nextFrame), 100), until);
  };
  try {
    await setScheme(!prefersDark, signal);
    return await withSignal(work(), signal);
  } finally {
    // A hanging page does not respond; the command is sent anyway.
    await setScheme(prefersDark, AbortSignal.timeout(limits.restore)).catch(() => undefined);
  }
}
