/** `$ref` inside one JSON Schema: what it points to, and whether it comes back to itself. */
import { isRecord } from './json-value.ts';

/** Deeper schemas than a person writes are not followed. */
const mostDeep = 200;

/** The part of `root` that a reference names; undefined for one that leads out or nowhere. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const pointer = decoded(reference.slice(1));
  if (pointer === '') return root;
  if (pointer?.startsWith('/') !== true) return undefined;
  let part: unknown = root;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Readonly<Record<string, unknown>>)[key];
  }
  return part;
}

/** References whose ways are followed; each may lead to all others. */
const mostReferences = 1000;

/** Those that lead back to themselves, by way of others or directly; undefined when there are too many to tell. */
export function recursiveReferences(root: unknown): ReadonlySet<string> | undefined {
  const leadsTo = new Map<string, ReadonlySet<string>>();
  const open = [...referencesIn(root)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (leadsTo.has(next)) continue;
    if (leadsTo.size >= mostReferences) return undefined;
    const inside = referencesIn(resolveReference(root, next));
    leadsTo.set(next, inside);
    open.push(...inside);
  }
  return new Set([...leadsTo.keys()].filter((reference) => comesBack(reference, leadsTo)));
}

function comesBack(reference: string, leadsTo: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const seen = new Set<string>();
  const open = [...(leadsTo.get(reference) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === reference) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(leadsTo.get(next) ?? []));
  }
  return false;
}

/** All that are written in a part, at any depth. */
function referencesIn(part: unknown, found = new Set<string>(), depth = 0): ReadonlySet<string> {
  if (typeof part !== 'object' || part === null || depth > mostDeep) return found;
  if (isRecord(part) && typeof part['$ref'] === 'string') found.add(part['$ref']);
  for (const value of Object.values(part)) referencesIn(value, found, depth + 1);
  return found;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
