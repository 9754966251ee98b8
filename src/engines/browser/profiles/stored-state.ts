/** The state of a browser as it is stored: cookies, localStorage and IndexedDB by origin. */
import type { BrowserContext } from 'playwright-core';
import { PagewrightError } from '../../../errors.ts';
import type { Vault } from '../../../storage/vault.ts';

type PlaywrightState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** What one origin keeps; Playwright's types leave the databases out. */
export type OriginState = PlaywrightState['origins'][number] & {
  readonly indexedDB?: readonly { readonly name: string }[];
};

/** Playwright's own shape, so that a file that `storageState({ path })` wrote can be stored as it is. */
export type BrowserState = Omit<PlaywrightState, 'origins'> & { origins: OriginState[] };

/** The bytes for a store, sealed where the client has a secret. */
export function packState(state: BrowserState, key: string, vault?: Vault): Uint8Array {
  const text = JSON.stringify(state);
  return Buffer.from(
    vault === undefined ? text : JSON.stringify({ sealed: vault.seal(text, key) }),
  );
}

/**
 * Reads what was stored under `key`. Throws `STORAGE` when it is damaged; neither the message nor
 * its cause shows any of it, for it is as good as a password.
 */
export function unpackState(bytes: Uint8Array, key: string, vault?: Vault): BrowserState {
  let parsed = parse(Buffer.from(bytes).toString('utf8'), key);
  if (isText(parsed['sealed'])) {
    const text = vault?.open(parsed['sealed'], key);
    if (text === undefined) {
      const message = `The browser state under "${key}" is sealed. Give the secret that sealed it: createClient({ secret }), or take another profile name.`;
      throw new PagewrightError('STORAGE', message);
    }
    parsed = parse(text, key);
  }
  const { cookies, origins } = parsed;
  if (!isListOf(cookies, isCookie)) throw damaged(key, 'its cookies are not cookies');
  if (!isListOf(origins, isOrigin)) throw damaged(key, 'its origins are not origins');
  return parsed as unknown as BrowserState;
}

function parse(text: string, key: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's message quotes what it read.
    throw damaged(key, 'it is not complete JSON');
  }
  if (!isRecord(parsed)) throw damaged(key, 'it is not an object');
  return parsed;
}

function isCookie(value: unknown): boolean {
  return isRecord(value) && ['name', 'value', 'domain', 'path'].every((key) => isText(value[key]));
}

function isOrigin(value: unknown): boolean {
  return (
    isRecord(value) &&
    isText(value['origin']) &&
    isListOf(value['localStorage'], (item) => {
      return isRecord(item) && isText(item['name']) && isText(item['value']);
    })
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function damaged(key: string, why: string): PagewrightError {
  return new PagewrightError(
    'STORAGE',
    `The browser state under "${key}" is damaged: ${why}. Delete it (storage.delete(${JSON.stringify(key)})) and log in once more with this profile, or take another profile name.`,
  );
}
