/** Whether selectors give what a model answered about the same page. */
import { withoutUnseen } from '../../../text/unseen.ts';
import { isSchemaObject } from '../json-schema.ts';
import type { PlanPart, RecipePlan } from './recipe-plan.ts';

/** What selectors gave and what was answered, compared by path. */
export interface Proof {
  /** Both say the same, and something. */
  readonly proven: ReadonlySet<string>;
  /** Paths of the answer for which selectors gave nothing, or something else, with what they gave. */
  readonly unproven: ReadonlyMap<
    string,
    { readonly selected: unknown; readonly answered: unknown }
  >;
  /** Neither says anything. */
  readonly silent: ReadonlySet<string>;
}

/** `isShortened`: the model saw the first rows of lists only. */
export function proveRecipe(
  { root }: RecipePlan,
  selected: unknown,
  answered: unknown,
  isShortened: boolean,
): Proof {
  const proven = new Set<string>();
  const unproven = new Map<string, { selected: unknown; answered: unknown }>();
  const silent = new Set<string>();
  const refute = (path: string, one: unknown, other: unknown): void => {
    proven.delete(path);
    silent.delete(path);
    if (!unproven.has(path)) unproven.set(path, { selected: one, answered: other });
  };
  const agree = (path: string, isSilent: boolean): void => {
    if (unproven.has(path)) return;
    if (!isSilent) proven.add(path);
    else if (!proven.has(path)) silent.add(path);
    if (proven.has(path)) silent.delete(path);
  };
  /** Of an empty list the page says nothing, nor of what would be in it. */
  const passOver = (part: PlanPart): void => {
    if (part.kind === 'object') part.members.forEach(passOver);
    else if (part.kind !== 'given') agree(part.path, true);
    if (part.kind === 'rows') passOver(part.item);
  };
  const compare = (part: PlanPart, one: unknown, other: unknown): void => {
    const { kind, path } = part;
    if (kind === 'object') {
      for (const [name, member] of part.members) {
        compare(member, memberOf(one, name), memberOf(other, name));
      }
    } else if (kind === 'value') {
      if (isNothing(one) && isNothing(other)) agree(path, true);
      else if (sameLeaf(one, other)) agree(path, false);
      else refute(path, one, other);
    } else if (kind === 'values' || kind === 'rows') {
      const ours = listOf(one);
      const theirs = listOf(other);
      const isCounted = isShortened ? ours.length >= theirs.length : ours.length === theirs.length;
      if (ours.length === 0 && theirs.length === 0) passOver(part);
      else if (!isCounted || theirs.length === 0) refute(path, one, other);
      else if (kind === 'rows') {
        agree(path, false);
        theirs.forEach((row, index) => compare(part.item, ours[index], row));
      } else if (theirs.every((value, index) => sameLeaf(ours[index], value))) agree(path, false);
      else refute(path, one, other);
    }
  };
  if (root !== undefined) compare(root, selected, answered);
  return { proven, unproven, silent };
}

/** The data: what is proven from the selectors, all else from the answer. */
export function joinProven(
  { root }: RecipePlan,
  selected: unknown,
  answered: unknown,
  proven: ReadonlySet<string>,
): unknown {
  const join = (part: PlanPart, one: unknown, other: unknown): unknown => {
    const { kind, path } = part;
    if (kind === 'object') {
      const members = new Map(Object.entries(isSchemaObject(other) ? other : {}));
      for (const [name, member] of part.members) {
        const value = join(member, memberOf(one, name), memberOf(other, name));
        if (value === undefined) members.delete(name);
        else members.set(name, value);
      }
      return isNothing(other) && members.size === 0 ? other : Object.fromEntries(members);
    }
    if (kind === 'given') return one ?? other;
    if (kind !== 'rows' || !proven.has(path)) return proven.has(path) ? one : other;
    const theirs = listOf(other);
    return listOf(one).map((row, index) => join(part.item, row, theirs[index]));
  };
  return root === undefined ? answered : join(root, selected, answered);
}

/**
 * The same value, whatever its white space and form of letters; a text that the outline cut is the
 * same as far as it goes.
 */
function sameLeaf(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
  }
  if (typeof one !== 'string' || typeof other !== 'string') return one === other && !isNothing(one);
  const ours = folded(one);
  const theirs = folded(other);
  if (ours === theirs) return ours !== '';
  const shown = theirs.replace(/\s?(?:…|\.\.\.)$/, '');
  return shown.length >= 60 && shown !== theirs && ours.startsWith(shown);
}

function folded(text: string): string {
  return withoutUnseen(text.normalize('NFKC'))
    .replace(/[\u200b-\u200f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function memberOf(value: unknown, name: string): unknown {
  return isSchemaObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
