/** Profiles: browser state that visits with the same profile name share, in the client's store. */
import type { BrowserContext, Page } from 'playwright-core';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import type { Rendering } from '../../core/model/request.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Store } from '../../core/storage/store.ts';
import type { OpenVault, Vault } from '../../core/storage/vault.ts';
import { isRecord } from '../../core/runtime/json.ts';
import { hasShape } from '../actions/isolated-world.ts';

/** One visit with a profile. */
export interface ProfileVisit {
  readonly name: string;
  /** For `browser.newContext({ storageState })`; undefined when nothing is stored yet. */
  readonly storageState: BrowserState | undefined;
  /** Whether the profile has a cookie or a stored value for the page's site. */
  knows(url: string): boolean;
  /**
   * Stores the changes of the visit, unless `saveChanges` is false. For successful visits: a failed
   * one would overwrite a login that works. Resolves with warnings; rejects with the store's error.
   */
  save(context: BrowserContext): Promise<readonly string[]>;
}

/** The key of a profile in the store. Different names have different keys. */
export function profileKey(name: string): string {
  // Encoded as UTF-8, because half a surrogate pair has no URI form.
  const wellFormed = Buffer.from(name).toString('utf8');
  return `profiles/${encodeURIComponent(wellFormed).replaceAll('.', '%2E')}`;
}

/**
 * The profiles of one client. Visits with the same profile may run concurrently: each starts with
 * the stored state, and its changes are merged into the state stored meanwhile, one save at a time.
 * Two processes on one store do not wait for each other.
 */
export class Profiles {
  readonly #store: Store;
  readonly #vault: OpenVault | undefined;
  /** The last save in progress of each profile. */
  readonly #saves = new Map<string, Promise<unknown>>();

  constructor(store: Store, vault?: OpenVault) {
    this.#store = store;
    this.#vault = vault;
  }

  /** Begins a visit. Rejects with `STORAGE` when the stored state cannot be read. */
  async open({ name, saveChanges }: NonNullable<Rendering['profile']>): Promise<ProfileVisit> {
    const key = profileKey(name);
    await this.#saves.get(key);
    const storageState = await this.#load(key);
    return {
      name,
      storageState,
      knows: (url) => storageState !== undefined && hasStateFor(storageState, new URL(url)),
      save: async (context) => {
        if (saveChanges === false) return [];
        const { state, warnings } = await capture(context);
        await this.#inTurn(key, async () => {
          const stored = (await this.#load(key)) ?? emptyState;
          const merged = mergeStates(stored, storageState ?? emptyState, state);
          await this.#store.set(key, packState(merged, key, await this.#vault?.()));
        });
        return warnings;
      },
    };
  }

  async #load(key: string): Promise<BrowserState | undefined> {
    const bytes = await this.#store.get(key);
    return bytes === undefined ? undefined : unpackState(bytes, key, await this.#vault?.());
  }

  async #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#saves.get(key) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#saves.set(key, settled);
    try {
      await turn;
    } finally {
      if (this.#saves.get(key) === settled) this.#saves.delete(key);
    }
  }
}

/** The state of the context. If a database cannot be read, the cookies are still captured. */
async function capture(
  context: BrowserContext,
): Promise<{ readonly state: BrowserState; readonly warnings: readonly string[] }> {
  try {
    return { state: await context.storageState({ indexedDB: true }), warnings: [] };
  } catch (error) {
    const reason = messageOf(error).split('\n', 1)[0] ?? '';
    const warning = `The profile was saved without IndexedDB, which could not be read (${reason.slice(0, 100)}).`;
    return { state: await context.storageState(), warnings: [warning] };
  }
}

function hasStateFor({ cookies, origins }: BrowserState, url: URL): boolean {
  const isOwn = (domain: string): boolean =>
    domain === url.hostname || (domain.startsWith('.') && `.${url.hostname}`.endsWith(domain));
  return (
    cookies.some(({ domain }) => isOwn(domain)) ||
    origins.some(({ origin }) => origin === url.origin)
  );
}

// The stored state of a browser: cookies, localStorage and IndexedDB by origin.

type PlaywrightState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** The state of one origin; Playwright's types omit the databases. */
type OriginState = PlaywrightState['origins'][number] & {
  readonly indexedDB?: readonly { readonly name: string }[];
};

/**
 * Playwright's own shape, so that a file written by `storageState({ path })` can be stored
 * unchanged.
 */
type BrowserState = Omit<PlaywrightState, 'origins'> & { origins: OriginState[] };

/** The bytes for a store, encrypted if the client has a secret. */
export function packState(state: BrowserState, key: string, vault?: Vault): Uint8Array {
  const text = JSON.stringify(state);
  return Buffer.from(
    vault === undefined ? text : JSON.stringify({ sealed: vault.seal(text, key) }),
  );
}

/**
 * Parses the state stored under `key`. Throws `STORAGE` when it is damaged; neither the message nor
 * its cause quotes it, because it is as sensitive as a password.
 */
export function unpackState(bytes: Uint8Array, key: string, vault?: Vault): BrowserState {
  let parsed = parse(Buffer.from(bytes).toString('utf8'), key);
  const { sealed } = parsed;
  if (typeof sealed === 'string') {
    const text = vault?.open(sealed, key);
    if (text === undefined) {
      const message = `The browser state under "${key}" is sealed. Give the secret that sealed it: createClient({ secret }), or take another profile name.`;
      throw new PagewrightError('STORAGE', message);
    }
    parsed = parse(text, key);
  }
  for (const [name, sample] of Object.entries(stateSample)) {
    if (!hasShape(parsed[name], sample)) throw damaged(key, `its ${name} are not ${name}`);
  }
  return parsed as unknown as BrowserState;
}

/** What every state has. */
const stateSample = {
  cookies: [{ name: '', value: '', domain: '', path: '' }],
  origins: [{ origin: '', localStorage: [{ name: '', value: '' }] }],
};

function parse(text: string, key: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's message quotes its input.
    throw damaged(key, 'it is not complete JSON');
  }
  if (!isRecord(parsed)) throw damaged(key, 'it is not an object');
  return parsed;
}

function damaged(key: string, why: string): PagewrightError {
  return new PagewrightError(
    'STORAGE',
    `The browser state under "${key}" is damaged: ${why}. Delete it (storage.delete(${JSON.stringify(key)})) and log in once more with this profile, or take another profile name.`,
  );
}

// Merges the state of several visits with one profile: each change counts, the last one of an item
// wins.

/**
 * Applies the changes of a visit, from `before` to `after`, to the state `stored` by now. Items are
 * cookies (by name, domain and path), entries of localStorage and whole IndexedDB databases. Items
 * that the visit did not change stay as other visits have stored them; removed items are removed.
 */
function mergeStates(
  stored: BrowserState,
  before: BrowserState,
  after: BrowserState,
): BrowserState {
  const cookies = mergeItems(stored.cookies, before.cookies, after.cookies, cookieKey);
  const origins = new Set([...stored.origins, ...after.origins].map((origin) => origin.origin));
  return {
    cookies,
    origins: [...origins].map((name) =>
      mergeOrigin(originOf(stored, name), originOf(before, name), originOf(after, name)),
    ),
  };
}

/** The state of a new browser. */
const emptyState: BrowserState = { cookies: [], origins: [] };

function mergeOrigin(stored: OriginState, before: OriginState, after: OriginState): OriginState {
  const databases = mergeItems(
    stored.indexedDB ?? [],
    before.indexedDB ?? [],
    after.indexedDB ?? [],
    ({ name }) => name,
  );
  return {
    origin: stored.origin,
    localStorage: mergeItems(
      stored.localStorage,
      before.localStorage,
      after.localStorage,
      ({ name }) => name,
    ),
    ...(databases.length === 0 ? {} : { indexedDB: databases }),
  };
}

function mergeItems<Item>(
  stored: readonly Item[],
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const merged = new Map(stored.map((item) => [keyOf(item), item]));
  const old = new Map(before.map((item) => [keyOf(item), JSON.stringify(item)]));
  for (const item of after) {
    const key = keyOf(item);
    if (old.get(key) !== JSON.stringify(item)) merged.set(key, item);
    old.delete(key);
  }
  // The remaining items existed before the visit and are gone after it.
  for (const key of old.keys()) merged.delete(key);
  return [...merged.values()];
}

function cookieKey({ name, domain, path }: BrowserState['cookies'][number]): string {
  return JSON.stringify([name, domain, path]);
}

function originOf(state: BrowserState, name: string): OriginState {
  const none = { origin: name, localStorage: [] };
  return state.origins.find(({ origin }) => origin === name) ?? none;
}

// A visit with a profile that ends at a login page has no document.

/** The end of a visit with a profile. */
export interface ProfileVisitEnd {
  readonly requestedUrl: string;
  readonly finalUrl: string;
  readonly statusCode: number;
  /** The page shows a form that asks for a password. */
  readonly hasPasswordField: boolean;
  /** The profile had state for this site when the visit began. Without it no login can be lost. */
  readonly hadCookies: boolean;
}

/** Why the login seems to be lost; undefined if it does not, or if a login page was requested. */
export function lostLogin(end: ProfileVisitEnd): string | undefined {
  const { requestedUrl, finalUrl, statusCode, hasPasswordField, hadCookies } = end;
  if (!hadCookies || isLoginUrl(requestedUrl)) return undefined;
  if (statusCode === 401) return 'the page answered 401';
  if (isLoginUrl(finalUrl) || movedToLoginHost(requestedUrl, finalUrl))
    return `the site redirected to ${withoutQuery(finalUrl)}`;
  if (hasPasswordField && !isAccountUrl(finalUrl)) return 'the page asks for a password';
  return undefined;
}

/**
 * Throws `BLOCKED_BY_SITE` when the login of the profile is lost: the site refuses the visit, and
 * the same call cannot succeed until a user logs in.
 */
export async function refuseLostLogin(
  page: Page,
  profile: Pick<ProfileVisit, 'name' | 'knows'>,
  requestedUrl: string,
  { url: finalUrl, statusCode }: Pick<Snapshot, 'url' | 'statusCode'>,
): Promise<void> {
  const hasPasswordField = await hasLoginForm(page);
  const hadCookies = profile.knows(requestedUrl);
  const reason = lostLogin({ requestedUrl, finalUrl, statusCode, hasPasswordField, hadCookies });
  if (reason === undefined) return;
  throw new PagewrightError(
    'BLOCKED_BY_SITE',
    `The profile ${JSON.stringify(profile.name)} is no longer logged in for ${withoutQuery(requestedUrl)}: ${reason}. Log in again: scrape the login page with this profile and actions that fill in and submit its form. Scrape public pages without a profile.`,
    { url: requestedUrl, statusCode },
  );
}

/**
 * True when the page shows a field for one password. A form to choose a new one has several, or
 * says so. Checked outside the page's own scripts.
 */
export async function hasLoginForm(page: Page): Promise<boolean> {
  const fields = page.locator('input[type="password"]:not([autocomplete~="new-password"]):visible');
  return (await fields.count()) === 1;
}

/** True for the URL of a login page, by a whole part of its path. */
export function isLoginUrl(address: string): boolean {
  const { pathname, hash } = new URL(address);
  const parts = `${pathname}/${hash.replace(/^#!?/, '')}`
    .toLowerCase()
    .split(/[/?]/)
    .map((part) => part.replace(/\.[a-z]{2,5}$/, ''));
  return parts.some((part) => loginPart.test(part));
}

/** A host for logins counts if the requested page is on another host. */
function movedToLoginHost(requested: string, final: string): boolean {
  const { hostname } = new URL(final);
  return loginHost.test(hostname) && hostname !== new URL(requested).hostname;
}

/** Pages that ask for the password although the reader is logged in. */
function isAccountUrl(address: string): boolean {
  return accountPart.test(new URL(address).pathname);
}

const loginPart =
  /^(?:(?:user|account|member|customer|wp)?[-_]?(?:log[-_]?in|sign[-_]?in|log[-_]?on|sign[-_]?on)(?:[-_](?:form|page))?|sso|authenticate|connexion|anmelden|acceder|iniciar-sesion)$/;

const loginHost = /^(?:login|signin|sso|auth|accounts?)\./;

const accountPart =
  /\/(?:account|settings?|security|password|profile|preferences|register|sign[-_]?up|join)(?:[/._-]|$)/i;

/** Queries of login pages carry tokens. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
