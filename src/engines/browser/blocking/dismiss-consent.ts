/** Puts away the consent dialog of a page. */
import type { Page } from 'playwright-core';
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';
import { pageWorld } from '../../../actions/page-session.ts';
import { withSignal } from '../../../network/deadline.ts';
import { answerByRules } from './autoconsent.ts';
import { consentSigns } from './consent-signs.ts';
import { answerConsent, type ConsentAnswer } from './in-page/answer-consent.ts';
import { clearConsent } from './in-page/clear-consent.ts';
import { findConsent } from './in-page/find-consent.ts';

/** How a dialog was dealt with. */
export interface ConsentOutcome {
  readonly found: boolean;
  /** `rules` are those of the optional package @duckduckgo/autoconsent, `words` ours. */
  readonly by?: 'rules' | 'words';
  /** The consent manager, where the rules named it. */
  readonly manager?: string;
  /**
   * `rejected`; `acknowledged`, where there was one button and nothing to choose; `removed` from the
   * page without an answer; `none` when time was over or the page went elsewhere.
   */
  readonly action?: 'rejected' | 'acknowledged' | 'removed' | 'none';
}

/** How long it may take. */
export interface ConsentLimits {
  readonly signal: AbortSignal;
  /** Milliseconds for all of it. @default 4000 */
  readonly cap?: number | undefined;
}

/**
 * Looks once, in a few milliseconds, and is done when there is no dialog: a banner may come late, so
 * call it again after the page has changed. Rejects only with the signal's reason.
 */
export async function dismissConsent(
  page: Page,
  { signal, cap = 4000 }: ConsentLimits,
): Promise<ConsentOutcome> {
  const end = performance.now() + cap;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(cap))]);
  let found = false;
  try {
    const world = await pageWorld(page, {
      ...{ runLimit, within: (answer) => withSignal(answer, limit) },
    });
    const kind = await world.call(findConsent, consentSigns);
    if (kind !== 'manager' && kind !== 'dialog') return { found: false };
    found = true;
    // A no that can be read needs no rules: they take their time, and know managers only.
    const refused = kind === 'dialog' ? await answer(world, true) : 'nothing';
    if (refused === 'reject') return { found, by: 'words', action: await finish(world, refused) };
    const left = end - performance.now();
    const byRules = await answerByRules(world, page.url(), {
      find: Math.min(800, left * 0.4),
      answer: left * 0.7,
    });
    if (byRules?.isAnswered === true) {
      const { manager } = byRules;
      return { found, by: 'rules', manager, action: await finish(world, 'reject') };
    }
    return { found, by: 'words', action: await finish(world, await answer(world, false)) };
  } catch {
    // The page went elsewhere, hangs or is closed: the visit goes on and sees that itself.
    signal.throwIfAborted();
    return found ? { found, action: 'none' } : { found };
  }
}

/** Milliseconds after which V8 ends what looks at a page. */
const runLimit = 1000;

/** Presses a button by what it says. */
async function answer(world: IsolatedWorld, onlyReject: boolean): Promise<ConsentAnswer> {
  const pressed = await world.call(answerConsent, { signs: consentSigns, onlyReject });
  return pressed === 'reject' || pressed === 'acknowledge' ? pressed : 'nothing';
}

/** Gives the dialog time to go, removes what is still there, and says what came of it all. */
async function finish(
  world: IsolatedWorld,
  pressed: ConsentAnswer,
): Promise<NonNullable<ConsentOutcome['action']>> {
  const wait = pressed === 'nothing' ? 0 : 700;
  const wasLeft = await world.call(clearConsent, { signs: consentSigns, wait });
  if (wasLeft === true || pressed === 'nothing') return 'removed';
  return pressed === 'reject' ? 'rejected' : 'acknowledged';
}
