/** What a context's options cannot say of a reader: several languages, and the machine of a phone. */
import type { CDPSession, Frame, Page } from 'playwright-core';
import type { Rendering } from '../../../model/request.ts';
import type { BrowserFacts } from './browser-facts.ts';
import { clientHintsFor } from './client-hints.ts';
import { askedLanguages, askedUserAgent } from './context-options.ts';
import { languagesOf } from './languages.ts';
import { phonePlatform } from './phone.ts';

/**
 * Completes the options of `contextOptions` on a page, before it is sent anywhere. Nothing is done
 * where nothing is asked for.
 *
 * Workers, and requests of scripts, speak the first language only. A visit in disguise therefore
 * has only that one, everywhere alike, unless the caller named several. Frames of other sites are processes of their own and follow
 * as they come.
 */
export async function emulatePage(
  page: Page,
  rendering: Rendering,
  headers: Readonly<Record<string, string>>,
  browser: BrowserFacts,
): Promise<void> {
  const languages = isOneEnough(rendering, headers) ? [] : askedLanguages(rendering, headers);
  const userAgent = askedUserAgent(rendering, headers, browser);
  if (languages.length < 2 && userAgent === undefined) return;
  const isPhone = rendering.mobile === true && headers['user-agent'] === undefined;
  const override = {
    // An empty one leaves the browser's own, with its hints.
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

/** In disguise, where the languages follow from the country alone. */
function isOneEnough(
  { stealth, location }: Rendering,
  headers: Readonly<Record<string, string>>,
): boolean {
  if (stealth !== true || location === undefined) return false;
  const usual = languagesOf({ country: location.country, languages: [] });
  return askedLanguages({ location }, headers).join() === usual.join();
}

/** Only a frame that is a process of its own has a session; the others belong to the page's. */
async function reach(
  page: Page,
  frame: Frame,
  speak: (session: CDPSession) => Promise<void>,
): Promise<void> {
  try {
    await speak(await page.context().newCDPSession(frame));
  } catch {
    // It is part of the page's process, or gone.
  }
}
