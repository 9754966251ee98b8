/** Options of a job in its store: secrets are sealed or left out, and unstorable values are requested again. */
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual, promisify } from 'node:util';
import { isPlainHeader } from '../../../content/text/http-headers.ts';
import { isCredentialName } from '../../http/network/credentials.ts';
import { ValidationError, type ValidationIssue } from '../../runtime/errors.ts';
import type { JobInput } from '../../model/job.ts';
import type { Facet } from '../../checks/option.ts';
import { jobRows } from '../../options/job-options.ts';
import { pageRows } from '../../options/scrape-options.ts';
import type { JobEntry } from '../../options/scrape-target.ts';
import { bareUrl, canParseUrl } from '../../url/normalize-url.ts';

/** Options by name, as JSON. */
export type StoredOptions = Readonly<Record<string, StoredOption>>;

/** Values that JSON lacks are marked by `$`. */
type StoredOption =
  | string
  | number
  | boolean
  | null
  | readonly StoredOption[]
  | { readonly [name: string]: StoredOption };

type GivenOptions = Readonly<Record<string, unknown>>;

/** Seals the secrets of one job; undefined where the client has no key. */
export type Seal = (text: string) => string;

/** Opens secrets; undefined for one that another key has sealed. */
export type Unseal = (sealed: string) => string | undefined;

/** The values that the caller has to pass again, by their kind. */
const lost = {
  function: 'a function',
  secret: 'a secret, which is not stored without createClient({ secret }),',
  sealed: 'a secret, which only a client with the same createClient({ secret }) opens,',
  file: 'the URL of a file on this machine, which only this process may read; pass its content,',
  object: 'an object that cannot be stored',
} as const;

/** A value of an option that the store does not have, or has sealed with another key. */
export interface LostValue {
  readonly kind: keyof typeof lost;
  /** Names from the option down to the value: `scrapeOptions.headers.authorization`. */
  readonly path: string;
}

/** Options in a form that can be stored; signals and secrets are left out. */
export function optionsToStore(options: unknown): StoredOptions {
  return asRecord(toStore(options ?? {}, [], () => ({ $: 'secret' })));
}

/** The same with its secrets sealed. The options are read at once: later changes by the caller are not stored. */
export async function optionsToSeal(
  options: unknown,
  openSeal: () => Promise<Seal>,
): Promise<StoredOptions> {
  const secrets: string[] = [];
  const plain = toStore(options ?? {}, [], (value, path) => {
    secrets.push(value);
    return kept(value, path);
  });
  if (secrets.length === 0) return asRecord(plain);
  const seal = await openSeal();
  return asRecord(
    mapSecrets(plain ?? null, 'secret', (value) => ({ $: 'sealed', value: seal(value) })),
  );
}

/**
 * Throws `BAD_REQUEST` naming each option that another process would not find in the store; `stored` are the stored
 * options.
 */
export function refuseUnstored(subject: string, given: unknown, stored: StoredOptions): void {
  const names = new Map<string, string>();
  const whole = asRecord(mapSecrets(stored, 'sealed', () => null));
  for (const [name, value] of Object.entries(whole)) {
    const missing = whatIsLost(value, [name]);
    if (missing !== undefined) names.set(name, phraseOf(missing));
  }
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value instanceof AbortSignal) names.set(name, 'a signal');
  }
  if (names.size === 0) return;
  const issues = [...names].map(([name, what]) => {
    return { path: [name], message: `${name}: another process cannot receive ${what}` };
  });
  throw new ValidationError(subject, issues);
}

/** The rules for options of a job that is resumed. */
export interface ResumedOptions {
  /** Options that may differ. */
  readonly free: ReadonlySet<string>;
  readonly unseal?: Unseal | undefined;
  /** Secrets may differ from the secrets of the start. */
  readonly renews?: boolean | undefined;
  /** The message for a lost value. @default the caller of `resume()` gives it again */
  readonly lostMessage?: ((lost: LostValue) => string) | undefined;
}

/**
 * The options of a resumed job: the stored ones, overridden by the caller's. Only options in `free` may differ. Throws
 * `BAD_REQUEST` naming each other option that does, and each that has to be passed again.
 */
export function optionsToResume(
  stored: StoredOptions,
  given: GivenOptions,
  { free, unseal, renews = false, lostMessage = giveAgain }: ResumedOptions,
): GivenOptions {
  const issues: ValidationIssue[] = [];
  const issue = (name: string, message: string): number =>
    issues.push({ path: [name], message: `${name}: ${message}` });
  const options: Record<string, unknown> = {};
  const opened = asRecord(unsealed(stored, unseal));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const isSame = matches(toStore(value, [name], kept), opened[name], renews);
    if (free.has(name) || isSame) options[name] = value;
    else
      issue(name, 'differs from what the job was started with; leave it out, or start another job');
  }
  for (const [name, value] of Object.entries(opened)) {
    if (name in options || given[name] !== undefined) continue;
    const missing = whatIsLost(value, [name]);
    if (missing === undefined) options[name] = restored(name, value);
    else issues.push({ path: [name], message: lostMessage(missing) });
  }
  if (issues.length > 0) throw new ValidationError('resume', issues);
  return options;
}

function giveAgain(missing: LostValue): string {
  const name = missing.path.replace(/\..*$/s, '');
  return `${name}: the job was started with ${phraseOf(missing)} here; pass it again`;
}

/** A salted hash of secrets: it reveals whether they are equal, and nothing else. */
export interface OptionsFingerprint {
  readonly salt: string;
  readonly hash: string;
}

/** The hash of the secrets with which pages are requested; undefined if there are none. */
export async function fingerprintOf(options: unknown): Promise<OptionsFingerprint | undefined> {
  const secrets = secretsOf(options);
  if (secrets === undefined) return undefined;
  const salt = randomBytes(16).toString('base64');
  return { salt, hash: (await hashOf(secrets, salt)).toString('base64') };
}

/**
 * Rejects with `BAD_REQUEST` when pages would now be requested with other credentials: the job's existing and future
 * pages are one result.
 */
export async function refuseOthers(
  options: unknown,
  fingerprint: OptionsFingerprint | undefined,
): Promise<void> {
  if (fingerprint === undefined) return;
  const secrets = secretsOf(options);
  const { salt, hash } = fingerprint;
  const before = Buffer.from(hash, 'base64');
  if (secrets !== undefined && timingSafeEqual(await hashOf(secrets, salt), before)) return;
  const names = ['scrapeOptions', 'routes'] as const;
  const name = names.find((one) => one in (options as object)) ?? 'headers';
  const message = `${name}: its secrets differ from those that the job was started with, so its pages would belong to two visitors; pass the same ones, set renewedCredentials: true for a renewed token of the same visitor, or start another job`;
  throw new ValidationError('resume', [{ path: [name], message }]);
}

/** A list of secrets as one text. Secrets of webhooks are left out: they do not affect pages. */
function secretsOf(options: unknown): string | undefined {
  const secrets: string[] = [];
  toStore(options ?? {}, [], (text, path) => {
    if (path[0] !== 'webhook') secrets.push(`${path.join('.').toLowerCase()}=${text}`);
    return null;
  });
  return secrets.length === 0 ? undefined : JSON.stringify(secrets.sort());
}

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

/** Slow, against guessing; runs on another thread. */
function hashOf(secrets: string, salt: string): Promise<Buffer> {
  return derive(secrets, salt, 32, { N: 8192 });
}

/** True if pages are the same under both, as far as is known: values that are not stored may differ. */
export function asksForTheSame(one: StoredOptions, other: StoredOptions): boolean {
  const asked = whatDecides(one);
  return whatIsLost(asked, []) === undefined && isDeepStrictEqual(asked, whatDecides(other));
}

function whatDecides(options: StoredOptions): StoredOptions {
  const { scrapeOptions = {}, removeRepeatedBlocks = false, strategy = 'breadthFirst' } = options;
  const { deduplicateContent = 'exact', routes = [], regexOnFullURL = false } = options;
  const asked =
    typeof scrapeOptions !== 'object' || scrapeOptions === null || isList(scrapeOptions)
      ? scrapeOptions
      : Object.fromEntries(Object.entries(scrapeOptions).filter(([name]) => !keepsPage(name)));
  // It decides which pages a route is for.
  const routed = isDeepStrictEqual(routes, []) ? {} : { routes, regexOnFullURL };
  return { scrapeOptions: asked, ...routed, removeRepeatedBlocks, strategy, deduplicateContent };
}

function keepsPage(name: string): boolean {
  return rows[name]?.samePage === true;
}

/** The call that started a job, without its secrets. */
export function inputToShow({
  verb,
  url,
  options,
}: Pick<JobInput, 'verb'> & {
  readonly url?: string | undefined;
  readonly options: StoredOptions;
}): JobInput {
  const shown = Object.fromEntries(optionsToShow(options));
  return { verb, ...(url === undefined ? {} : { url: bareUrl(url) }), options: shown };
}

/** Values that JSON cannot or must not hold appear as their kind in parentheses. */
function optionsToShow(stored: StoredOptions): [string, unknown][] {
  return Object.entries(stored).map(([name, one]) => [name, toShow(one)]);
}

function toShow(stored: StoredOption): unknown {
  if (typeof stored === 'string') return bareUrl(stored);
  if (typeof stored !== 'object' || stored === null) return stored;
  if (isList(stored)) return stored.map(toShow);
  const { $: kind, value, source, flags } = stored;
  if (typeof kind !== 'string') return Object.fromEntries(optionsToShow(asRecord(stored)));
  if (kind === 'url' && typeof value === 'string') return bareUrl(value);
  if (kind === 'regexp' && typeof source === 'string' && typeof flags === 'string') {
    return `/${source}/${flags}`;
  }
  return kind === 'sealed' ? '(secret)' : `(${kind})`;
}

/** A URL of a batch without its user name and password, which are sealed or left out; with its data, if it has some. */
export type StoredUrl =
  string | (JobEntry & { readonly $?: 'secret' | 'sealed'; readonly value?: string });

/** True for a URL with a user name or password. */
export function hasSecret(url: string): boolean {
  return url !== bareUrl(url) && canParseUrl(url);
}

/** A URL, or other text, without its password, which is sealed or left out. */
export function urlToStore({ url: given, data }: JobEntry, seal?: Seal): StoredUrl {
  const url = bareUrl(given);
  if (!hasSecret(given)) return data === undefined ? url : { url, data };
  return seal === undefined
    ? { $: 'secret', url, data }
    : { $: 'sealed', url, value: seal(given), data };
}

/**
 * The URLs as passed: `given` repeats the URLs whose user names and passwords are not stored. Throws `BAD_REQUEST`
 * naming the first that is missing.
 */
export function urlsToResume(
  stored: readonly StoredUrl[],
  given: readonly JobEntry[],
  unseal?: Unseal,
): JobEntry[] {
  const known = new Map(given.map(({ url }) => [bareUrl(url), url]));
  return stored.map((one) => {
    if (typeof one === 'string') return { url: one };
    const { $: kind, url: bare, value, data } = one;
    if (kind === undefined) return one;
    const url = known.get(bare) ?? (value === undefined ? undefined : unseal?.(value));
    if (url !== undefined) return { url, data };
    const why = lost[kind];
    const message = `urls: ${bare} was given with a user name and password, ${why} pass the URLs of the batch again`;
    throw new ValidationError('resume', [{ path: ['urls'], message }]);
  });
}

/** Converts a secret to its stored form. */
type SecretForm = (text: string, path: readonly string[]) => StoredOption;

/** In memory. */
const kept: SecretForm = (value) => ({ $: 'secret', value });

function toStore(
  value: unknown,
  path: readonly string[],
  secret: SecretForm,
): StoredOption | undefined {
  if (value === undefined || value instanceof AbortSignal) return undefined;
  if (isSecret(value, path)) return secret(value instanceof URL ? value.href : value, path);
  if (isAllSecret(path) && (typeof value === 'string' || isPlainObject(value))) {
    return secret(JSON.stringify(value), path);
  }
  if (typeof value === 'function') return { $: 'function' };
  if (value instanceof URL && value.protocol === 'file:') return { $: 'file' };
  if (value instanceof URL) return { $: 'url', value: value.href };
  if (value instanceof RegExp) return { $: 'regexp', source: value.source, flags: value.flags };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $: 'object' };
  if (typeof value !== 'object' || path.length > deepest) return { $: 'object' };
  if (Array.isArray(value)) {
    return value.map((one, index) => toStore(one, [...path, String(index)], secret) ?? null);
  }
  if (!isPlainObject(value) || '$' in value) return { $: 'object' };
  const entries: [string, StoredOption][] = [];
  for (const [key, one] of Object.entries(value)) {
    const stored = toStore(one, [...path, key], secret);
    if (stored !== undefined) entries.push([key, stored]);
  }
  return Object.fromEntries(entries);
}

/** The options of jobs that may have secrets. */
const rows: Facet = { ...pageRows, webhook: jobRows.webhook };

function isSecret(value: unknown, path: readonly string[]): value is string | URL {
  if (typeof value !== 'string' && !(value instanceof URL)) return false;
  const [name = '', ...rest] = path.slice(startOfPage(path));
  if (Object.hasOwn(rows, name) && rows[name]?.secret?.(rest, value) === true) return true;
  return /^(?:actions|formats)$/.test(name) && isNestedSecret(rest);
}

/** True for an option of the call that is stored as one secret, its JSON. */
function isAllSecret([name = '', ...rest]: readonly string[]): boolean {
  return rest.length === 0 && Object.hasOwn(rows, name) && rows[name]?.allSecret === true;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Where the options of a page begin: `targets.0.routes.1.scrapeOptions`, with any part left out. */
function startOfPage(path: readonly string[]): number {
  let start = path[0] === 'targets' ? 2 : 0;
  if (path[start] === 'routes') start += 2;
  return path[start] === 'scrapeOptions' ? start + 1 : 0;
}

/** Secrets of custom actions and formats: headers and cookies at any depth, and text typed by inner actions. */
function isNestedSecret(path: readonly string[]): boolean {
  const [outer, second, first] = [path.at(-4), path.at(-3), path.at(-2)];
  const name = path.at(-1) ?? '';
  if (path.includes('schema')) return false;
  if (first === 'headers') return !isPlainHeader(name);
  if (second === 'cookies' && name === 'value') return true;
  if (first === 'variables' && outer === 'actions') return true;
  return second === 'actions' && (name === 'text' || isCredentialName(name));
}

const deepest = 64; // schemas are nested; an object that is nested deeper may have no end

/** Opens sealed values; one that cannot be opened stays sealed. */
function unsealed(stored: StoredOption, unseal: Unseal | undefined): StoredOption {
  return mapSecrets(stored, 'sealed', (value) => {
    const text = unseal?.(value);
    return text === undefined ? { $: 'sealed' } : { $: 'secret', value: text };
  });
}

/** The same options with each secret of a kind replaced. */
function mapSecrets(
  stored: StoredOption,
  kind: 'secret' | 'sealed',
  change: (value: string) => StoredOption,
): StoredOption {
  if (typeof stored !== 'object' || stored === null) return stored;
  if (isList(stored)) return stored.map((one) => mapSecrets(one, kind, change));
  const { $: found, value } = stored;
  if (found === kind && typeof value === 'string') return change(value);
  return Object.fromEntries(
    Object.entries(stored).map(([key, one]) => [key, mapSecrets(one, kind, change)]),
  );
}

/** Equal but for secrets that are not known, or may be renewed. */
function matches(
  given: StoredOption | undefined,
  stored: StoredOption | undefined,
  renews: boolean,
): boolean {
  if (!isObject(given) || !isObject(stored)) return isDeepStrictEqual(given, stored);
  if (isHidden(stored)) {
    const isKnown = !renews && !isList(stored) && stored['value'] !== undefined;
    return isHidden(given) && (!isKnown || isDeepStrictEqual(given, stored));
  }
  const [one, other] = [Object.entries(given), new Map(Object.entries(stored))];
  return (
    isList(given) === isList(stored) &&
    one.length === other.size &&
    one.every(([name, value]) => other.has(name) && matches(value, other.get(name), renews))
  );
}

function isHidden(value: object): boolean {
  return '$' in value && (value.$ === 'secret' || value.$ === 'sealed');
}

function restored(name: string, stored: StoredOption): unknown {
  const value = fromStore(stored);
  return isAllSecret([name]) ? JSON.parse(String(value)) : value;
}

function fromStore(stored: StoredOption): unknown {
  if (typeof stored !== 'object' || stored === null) return stored;
  if (isList(stored)) return stored.map(fromStore);
  const { $: kind, value, source, flags } = stored;
  if (kind === 'secret') return value;
  if (kind === 'url' && typeof value === 'string') return new URL(value);
  if (kind === 'regexp' && typeof source === 'string' && typeof flags === 'string') {
    return new RegExp(source, flags);
  }
  return Object.fromEntries(Object.entries(stored).map(([key, one]) => [key, fromStore(one)]));
}

/** `a secret … in scrapeOptions.headers.Authorization` */
function phraseOf({ kind, path }: LostValue): string {
  return path.includes('.') ? `${lost[kind]} in ${path}` : lost[kind];
}

/** The first missing value. */
function whatIsLost(stored: StoredOption, path: readonly string[]): LostValue | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const kind = isList(stored) ? undefined : stored['$'];
  if (kind === 'secret' && 'value' in stored) return undefined;
  if (typeof kind === 'string') {
    return isLostKind(kind) ? { kind, path: path.join('.') } : undefined;
  }
  for (const [name, one] of Object.entries(stored)) {
    const missing = whatIsLost(one, [...path, name]);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function isLostKind(kind: string): kind is LostValue['kind'] {
  return Object.hasOwn(lost, kind);
}

function asRecord(value: StoredOption | undefined): StoredOptions {
  return isObject(value) && !isList(value) ? value : {};
}

function isObject(value: StoredOption | undefined): value is StoredOption & object {
  return typeof value === 'object' && value !== null;
}

function isList(value: object): value is readonly StoredOption[] {
  return Array.isArray(value);
}
