/**
 * Dismisses the consent dialog of a page: by its buttons, or by the rules of DuckDuckGo's
 * autoconsent, an optional package.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { type IsolatedWorld, pageWorld } from '../../actions/isolated-world.ts';
import { loadModule } from '../../../core/runtime/load-module.ts';
import { withSignal } from '../../../core/runtime/deadline.ts';
import { consentSigns } from './consent-signs.ts';
import {
  answerConsent,
  clearConsent,
  type ConsentAnswer,
  findConsent,
} from './in-page/consent-dialog.ts';

/** The result of dismissing a consent dialog. */
export interface ConsentOutcome {
  readonly found: boolean;
  /** `rules` of the optional package @duckduckgo/autoconsent, or our `words`. */
  readonly by?: 'rules' | 'words';
  /** The consent manager, if the rules name it. */
  readonly manager?: string;
  /**
   * `rejected`; `acknowledged`, if there was one button and no choice; `removed` from the page
   * without an answer; `none` when the time was over or the page navigated away.
   */
  readonly action?: 'rejected' | 'acknowledged' | 'removed' | 'none';
}

/** Time limits. */
export interface ConsentLimits {
  readonly signal: AbortSignal;
  /** Total limit in milliseconds. @default 4000 */
  readonly cap?: number | undefined;
}

/**
 * Checks once, in a few milliseconds; without a dialog it returns. A banner may appear late, so call it again
 * after the page has changed. Rejects only with the signal's reason.
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
      runLimit,
      within: (answer) => withSignal(answer, limit),
    });
    const kind = await world.call(findConsent, consentSigns);
    if (kind !== 'manager' && kind !== 'dialog') return { found: false };
    found = true;
    // A visible reject button needs no rules: the rules are slower, and cover consent managers
    // only.
    const refused = kind === 'dialog' ? await pressButton(world, true) : 'nothing';
    if (refused === 'reject')
      return { found, by: 'words', action: await finishDialog(world, refused) };
    const left = end - performance.now();
    const byRules = await answerByRules(world, page.url(), Math.min(800, left * 0.4), left * 0.7);
    if (byRules?.isAnswered === true) {
      const { manager } = byRules;
      return { found, by: 'rules', manager, action: await finishDialog(world, 'reject') };
    }
    return {
      found,
      by: 'words',
      action: await finishDialog(world, await pressButton(world, false)),
    };
  } catch {
    // The page navigated away, hangs or is closed: the visit notices that itself.
    signal.throwIfAborted();
    return found ? { found, action: 'none' } : { found };
  }
}

const runLimit = 1000; // milliseconds after which V8 stops a function that reads a page

/** Presses a button, chosen by its text. */
async function pressButton(world: IsolatedWorld, onlyReject: boolean): Promise<ConsentAnswer> {
  const pressed = await world.call(answerConsent, { signs: consentSigns, onlyReject });
  return pressed === 'reject' || pressed === 'acknowledge' ? pressed : 'nothing';
}

/** Waits for the dialog to close, removes the rest of it, and reports the result. */
async function finishDialog(
  world: IsolatedWorld,
  pressed: ConsentAnswer,
): Promise<NonNullable<ConsentOutcome['action']>> {
  const wait = pressed === 'nothing' ? 0 : 700;
  const wasLeft = await world.call(clearConsent, { signs: consentSigns, wait });
  if (wasLeft === true || pressed === 'nothing') return 'removed';
  return pressed === 'reject' ? 'rejected' : 'acknowledged';
}

// Answers consent managers by the rules of DuckDuckGo's autoconsent, an optional package.

/** The result of the rules. */
interface RuleOutcome {
  /** The name of the rule. */
  readonly manager: string;
  /** False when the rule found the dialog and could not answer it. */
  readonly isAnswered: boolean;
}

/**
 * Runs autoconsent's content script in our isolated world. Undefined if the package is not installed, or none
 * of its rules knows the dialog. Parts of its rules run in the page's main world: they address the consent
 * manager itself. `find`: limit for finding a dialog. `answer`: limit for everything.
 */
async function answerByRules(
  world: IsolatedWorld,
  url: string,
  find: number,
  answer: number,
): Promise<RuleOutcome | undefined> {
  const rules = await loadRules(url);
  if (rules === undefined) return undefined;
  const { session, contextId } = world;
  let finish: (outcome: RuleOutcome | undefined) => void = () => undefined;
  const outcome = new Promise<RuleOutcome | undefined>((resolve) => (finish = resolve));
  let manager: string | undefined;

  const send = (message: object): void => {
    void world
      .run(`autoconsentReceiveMessage(${JSON.stringify(message)})`)
      .catch(() => finish(undefined));
  };
  const onMessage = async (message: AutoconsentMessage): Promise<void> => {
    switch (message.type) {
      case 'init':
        return send({
          type: 'initResp',
          config: autoconsentSettings,
          rules: { compact: rules.compact },
        });
      case 'eval': {
        const result = await world.run(message.code ?? '', false).catch(() => false);
        return send({ type: 'evalResp', id: message.id, result });
      }
      case 'popupFound':
        manager ??= message.cmp ?? 'unknown';
        return;
      case 'optOutResult':
        return finish({ manager: message.cmp ?? 'unknown', isAnswered: message.result === true });
      case 'report':
        if (message.state?.lifecycle === 'nothingDetected') finish(undefined);
        return;
      default:
    }
  };
  const onCalled = (event: { readonly name: string; readonly payload: string }): void => {
    const message = event.name === bindingName ? readMessage(event.payload) : undefined;
    if (message !== undefined) void onMessage(message);
  };

  const timers = [
    setTimeout(() => manager === undefined && finish(undefined), find),
    setTimeout(() => {
      finish(manager === undefined ? undefined : { manager, isAnswered: false });
    }, answer),
  ];
  session.on('Runtime.bindingCalled', onCalled);
  try {
    await session.send('Runtime.addBinding', { name: bindingName, executionContextId: contextId });
    // The script starts only once per document, and this may be the document's second dialog.
    await world.run(`delete globalThis.autoconsentReceiveMessage;
    globalThis.autoconsentSendMessage = (message) => {
      ${bindingName}(JSON.stringify(message));
      return Promise.resolve();
    };`);
    await world.run(rules.script);
    return await outcome;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    session.off('Runtime.bindingCalled', onCalled);
  }
}

const bindingName = 'tellRules';

const autoconsentSettings = {
  enabled: true,
  autoAction: 'optOut',
  enablePrehide: false,
  enableCosmeticRules: true,
  // The engine calls again when the page has changed.
  detectRetries: 0,
  isMainWorld: false,
} as const;

async function loadRules(url: string): Promise<{ script: string; compact: unknown } | undefined> {
  const { resolve } = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = resolve('@duckduckgo/autoconsent');
  } catch {
    return undefined;
  }
  const { filterCompactRules } = await loadModule(() => import('@duckduckgo/autoconsent'));
  const [script, text] = await Promise.all([
    readFile(join(dirname(entry), 'autoconsent.playwright.js'), 'utf8'),
    readFile(resolve('@duckduckgo/autoconsent/rules/compact-rules.json'), 'utf8'),
  ]);
  const all = JSON.parse(text) as Parameters<typeof filterCompactRules>[0];
  return { script, compact: filterCompactRules(all, { url, mainFrame: true }) };
}

interface AutoconsentMessage {
  readonly type: string;
  readonly cmp?: string;
  readonly code?: string;
  readonly id?: string;
  readonly result?: boolean;
  readonly state?: { readonly lifecycle?: string };
}

/** The page may have reached our isolated world: only the shape of the message is trusted. */
function readMessage(payload: string): AutoconsentMessage | undefined {
  try {
    const message: unknown = JSON.parse(payload);
    const isMessage = typeof message === 'object' && message !== null && 'type' in message;
    return isMessage ? (message as AutoconsentMessage) : undefined;
  } catch {
    return undefined;
  }
}
