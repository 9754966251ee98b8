/** The options of a job in its store: what cannot or must not be stored is asked for again. */
import { isDeepStrictEqual } from 'node:util';
import { ValidationError, type ValidationIssue } from '../../errors.ts';

/** Options by name in a form that is JSON. */
export type StoredOptions = Readonly<Record<string, StoredOption>>;

/** Values that JSON does not have are told by `$`. */
type StoredOption =
  | string
  | number
  | boolean
  | null
  | readonly StoredOption[]
  | { readonly [name: string]: StoredOption };

type Given = Readonly<Record<string, unknown>>;

/** What the caller has to hand in again, by its kind. */
const lost: Readonly<Record<string, string>> = {
  function: 'a function',
  secret: 'a secret, which is not stored',
  object: 'an object that cannot be stored',
};

/** Headers that are not stored. */
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
]);

/** Options in a form that can be stored; signals are left out. */
export function optionsToStore(options: unknown): StoredOptions {
  const stored = toStore(options ?? {}, []);
  return typeof stored === 'object' && stored !== null ? (stored as StoredOptions) : {};
}

/**
 * The options of a job that goes on: those stored, and what the caller gives in their place. Only those
 * in `free` may differ. Throws `BAD_REQUEST` naming each that does, and each that has to be given again.
 */
export function optionsToResume(
  stored: StoredOptions,
  given: Given,
  free: ReadonlySet<string>,
): Given {
  const issues: ValidationIssue[] = [];
  const issue = (name: string, message: string): number =>
    issues.push({ path: [name], message: `${name}: ${message}` });
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const isSame = isDeepStrictEqual(toStore(value, [name]), stored[name]);
    if (free.has(name) || isSame) options[name] = value;
    else issue(name, 'differs from what the job was started with; leave it out, or start another');
  }
  for (const [name, value] of Object.entries(stored)) {
    if (name in options || given[name] !== undefined) continue;
    const missing = whatIsLost(value);
    if (missing === undefined) options[name] = fromStore(value);
    else issue(name, `the job was started with ${missing} here; give it again`);
  }
  if (issues.length > 0) throw new ValidationError('resume', issues);
  return options;
}

/** True when pages give the same by both, as far as can be told: what is not stored may be another. */
export function asksForTheSame(one: StoredOptions, other: StoredOptions): boolean {
  const asked = whatDecides(one);
  return whatIsLost(asked) === undefined && isDeepStrictEqual(asked, whatDecides(other));
}

/** Scrape options that say how a page is got, not what comes of it. */
const ways = ['maxAge', 'storeInCache', 'timeout', 'retries', 'proxy'];

function whatDecides(options: StoredOptions): StoredOptions {
  const { scrapeOptions = {}, removeRepeatedBlocks = false, strategy = 'breadthFirst' } = options;
  const { deduplicateContent = 'exact' } = options;
  const asked =
    typeof scrapeOptions !== 'object' || scrapeOptions === null || isList(scrapeOptions)
      ? scrapeOptions
      : Object.fromEntries(Object.entries(scrapeOptions).filter(([name]) => !ways.includes(name)));
  return { scrapeOptions: asked, removeRepeatedBlocks, strategy, deduplicateContent };
}

function toStore(value: unknown, path: readonly string[]): StoredOption | undefined {
  const name = path.at(-1) ?? '';
  if (value === undefined || value instanceof AbortSignal) return undefined;
  const isSecret = path.at(-2) === 'headers' && secretHeaders.has(name.toLowerCase());
  if (isSecret || (name === 'secret' && path[0] === 'webhook')) return { $: 'secret' };
  if (typeof value === 'function') return { $: 'function' };
  if (value instanceof URL) return { $: 'url', value: value.href };
  if (value instanceof RegExp) return { $: 'regexp', source: value.source, flags: value.flags };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $: 'object' };
  if (typeof value !== 'object' || path.length > deepest) return { $: 'object' };
  if (Array.isArray(value)) {
    return value.map((one, index) => toStore(one, [...path, String(index)]) ?? null);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || '$' in value) {
    return { $: 'object' };
  }
  const entries: [string, StoredOption][] = [];
  for (const [key, one] of Object.entries(value)) {
    const stored = toStore(one, [...path, key]);
    if (stored !== undefined) entries.push([key, stored]);
  }
  return Object.fromEntries(entries);
}

/** Schemas are nested; what is nested deeper may have no end. */
const deepest = 64;

function fromStore(stored: StoredOption): unknown {
  if (typeof stored !== 'object' || stored === null) return stored;
  if (isList(stored)) return stored.map(fromStore);
  const { $: kind, value, source, flags } = stored;
  if (kind === 'url' && typeof value === 'string') return new URL(value);
  if (kind === 'regexp' && typeof source === 'string' && typeof flags === 'string') {
    return new RegExp(source, flags);
  }
  return Object.fromEntries(Object.entries(stored).map(([key, one]) => [key, fromStore(one)]));
}

function whatIsLost(stored: StoredOption): string | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const kind = isList(stored) ? undefined : stored['$'];
  if (typeof kind === 'string') return lost[kind];
  for (const one of Object.values(stored)) {
    const missing = whatIsLost(one);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function isList(value: object): value is readonly StoredOption[] {
  return Array.isArray(value);
}
