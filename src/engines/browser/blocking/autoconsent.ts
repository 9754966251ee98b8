/** Consent managers that DuckDuckGo's autoconsent knows, answered by its rules; an optional package. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { IsolatedWorld } from '../../../actions/isolated-world.ts';

/** What its rules did. */
export interface RuleOutcome {
  /** The name of the rule. */
  readonly manager: string;
  /** False when it found the dialog and could not answer it. */
  readonly isAnswered: boolean;
}

/** Milliseconds. */
export interface RuleLimits {
  /** Until a rule has found its dialog. */
  readonly find: number;
  /** For all of it. */
  readonly answer: number;
}

/**
 * Lets its content script say no in the world of ours. Undefined when the package is not installed, or
 * none of its rules knows the dialog. Parts of its rules run in the page's own world: they ask the
 * consent manager itself.
 */
export async function answerByRules(
  world: IsolatedWorld,
  url: string,
  limits: RuleLimits,
): Promise<RuleOutcome | undefined> {
  const rules = await loadRules(url);
  if (rules === undefined) return undefined;
  const { session, contextId } = world;
  let finish: (outcome: RuleOutcome | undefined) => void = () => undefined;
  const outcome = new Promise<RuleOutcome | undefined>((resolve) => (finish = resolve));
  let manager: string | undefined;

  const tell = (message: object): void => {
    void world
      .run(`autoconsentReceiveMessage(${JSON.stringify(message)})`)
      .catch(() => finish(undefined));
  };
  const onMessage = async (message: Message): Promise<void> => {
    switch (message.type) {
      case 'init':
        return tell({ type: 'initResp', config: settings, rules: { compact: rules.compact } });
      case 'eval': {
        const result = await world.run(message.code ?? '', false).catch(() => false);
        return tell({ type: 'evalResp', id: message.id, result });
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
    setTimeout(() => manager === undefined && finish(undefined), limits.find),
    setTimeout(() => {
      finish(manager === undefined ? undefined : { manager, isAnswered: false });
    }, limits.answer),
  ];
  session.on('Runtime.bindingCalled', onCalled);
  try {
    await session.send('Runtime.addBinding', { name: bindingName, executionContextId: contextId });
    // The script begins only once in a document, and this may be the second dialog of it.
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

const settings = {
  enabled: true,
  autoAction: 'optOut',
  enablePrehide: false,
  enableCosmeticRules: true,
  // The engine asks again when the page has changed.
  detectRetries: 0,
  isMainWorld: false,
} as const;

interface Rules {
  readonly script: string;
  readonly compact: unknown;
}

async function loadRules(url: string): Promise<Rules | undefined> {
  const { resolve } = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = resolve('@duckduckgo/autoconsent');
  } catch {
    return undefined;
  }
  const { filterCompactRules } = await import('@duckduckgo/autoconsent');
  const [script, text] = await Promise.all([
    readFile(join(dirname(entry), 'autoconsent.playwright.js'), 'utf8'),
    readFile(resolve('@duckduckgo/autoconsent/rules/compact-rules.json'), 'utf8'),
  ]);
  const all = JSON.parse(text) as Parameters<typeof filterCompactRules>[0];
  return { script, compact: filterCompactRules(all, { url, mainFrame: true }) };
}

interface Message {
  readonly type: string;
  readonly cmp?: string;
  readonly code?: string;
  readonly id?: string;
  readonly result?: boolean;
  readonly state?: { readonly lifecycle?: string };
}

/** The world is ours, but the page may have reached it: only the shape is believed. */
function readMessage(payload: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(payload);
    const isMessage = typeof message === 'object' && message !== null && 'type' in message;
    return isMessage ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}
