/** Proves that selectors give the values of a model's answer about the same page; merges them with an old recipe. */
import { withoutInvisible } from '../../content/text/plain-text.ts';
import type { PageExtraction } from '../heuristics/extract-without-model.ts';
import { isSchemaObject } from '../schema/json-schema.ts';
import { isAlike } from './recipe-answer.ts';
import type { TriedSchema } from './recipe-page.ts';
import {
  groupOf,
  type PlanPart,
  planPath,
  type RecipeEntries,
  type RecipeEntry,
  type RecipePlan,
} from './recipe-plan.ts';
import { memberOf } from '../../core/runtime/json.ts';

/** The values of selectors and of the answer, compared by path. */
interface RecipeProof {
  /** Paths with the same value on both sides. */
  readonly proven: ReadonlySet<string>;
  /** Paths of the answer for which selectors gave nothing, or another value, with that value. */
  readonly unproven: ReadonlyMap<
    string,
    { readonly selected: unknown; readonly answered: unknown }
  >;
  /** Paths without a value on either side. */
  readonly silent: ReadonlySet<string>;
}

/** `isShortened`: the model saw only the first rows of lists. */
export function proveRecipe(
  { root }: RecipePlan,
  selected: unknown,
  answered: unknown,
  isShortened: boolean,
): RecipeProof {
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
  /** An empty list proves nothing about itself or its items. */
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

/** The data: proven values from the selectors, all others from the answer. */
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
 * True for the same value, ignoring white space and Unicode form; a text that the outline cut is
 * compared up to the cut.
 */
function sameLeaf(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
  }
  if (typeof one !== 'string' || typeof other !== 'string') return one === other && !isNothing(one);
  const ours = folded(one);
  const theirs = folded(other);
  if (ours === theirs) return ours !== '';
  const start = theirs.replace(/\s?(?:…|\.\.\.)$/, '');
  return start.length >= 60 && start !== theirs && ours.startsWith(start);
}

function folded(text: string): string {
  return withoutInvisible(text.normalize('NFKC'))
    .replace(/[\u200b-\u200f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

// Merges a new recipe with the valid parts of an old one: each value, or list, from the one that proves more.

/** The previous recipe. */
export interface OldRecipe {
  readonly entries: RecipeEntries;
  /** True if it fits the page: its parts beyond the page's content are reused. */
  readonly isFitting: boolean;
  readonly unique: readonly string[];
}

/** One recipe's result on the page. */
interface Side {
  readonly entries: RecipeEntries;
  readonly proof: RecipeProof;
  readonly tried: (TriedSchema & { readonly own: PageExtraction }) | undefined;
}

/** The parts of a recipe that are valid on the page. */
export interface ProvenRecipe {
  readonly entries: RecipeEntries;
  /** Proven paths, and paths of an old recipe that the page does not contradict. */
  readonly leaves: ReadonlySet<string>;
  readonly unique: readonly string[];
}

const mostAlternatives = 3;

/** Merges both; `value` and `extraction` are the results of the chosen selectors. */
export function mergeRecipes(
  plan: RecipePlan,
  fresh: Side,
  old: (Side & OldRecipe) | undefined,
): ProvenRecipe & { readonly value: unknown; readonly extraction: PageExtraction } {
  const entries = new Map<string, RecipeEntry>();
  const leaves = new Set<string>();
  const unique: string[] = [];
  const listed = new Set(plan.paths);
  const fromOld = new Set<string>();
  for (const group of new Set(plan.paths.map(groupOf))) {
    const paths = plan.paths.filter((path) => groupOf(path) === group);
    const provenBy = (side: Side | undefined): number =>
      paths.filter((path) => side?.proof.proven.has(path) === true).length;
    const [now, then] = [provenBy(fresh), provenBy(old)];
    const isNew = now > then || old === undefined;
    const side = isNew ? fresh : old;
    for (const path of paths) {
      const entry = side.entries.get(path);
      const isProven = side.proof.proven.has(path);
      // The page neither supports nor contradicts it.
      const isReused = !isNew && old.isFitting && side.proof.silent.has(path);
      if (entry === undefined || !(isProven || isReused)) continue;
      const before = isNew && old?.isFitting === true ? old.entries.get(path) : undefined;
      const alternatives =
        before !== undefined && !path.includes('[]') && isAlike(before, entry)
          ? before.selectors.filter((one) => !entry.selectors.includes(one))
          : [];
      const selectors = [...entry.selectors, ...alternatives].slice(0, mostAlternatives);
      entries.set(path, { ...entry, selectors });
      leaves.add(path);
      if (!isNew) fromOld.add(path);
      const isUnique = side.tried?.matches[path] === 1 || (isReused && old.unique.includes(path));
      if (isUnique) unique.push(path);
    }
  }
  for (const path of [...leaves]) {
    if (isWithin(path, leaves, plan)) continue;
    leaves.delete(path);
    entries.delete(path);
  }
  const value = joinProven(plan, old?.tried?.own.value, fresh.tried?.own.value, fromOld);
  return {
    entries,
    leaves,
    unique,
    value,
    extraction: accountOf(fresh, old, { leaves, fromOld, listed }),
  };
}

/** True if its lists are retained, and each list of records has at least one value. */
function isWithin(path: string, leaves: ReadonlySet<string>, { paths }: RecipePlan): boolean {
  for (let at = path.indexOf('[]'); at >= 0; at = path.indexOf('[]', at + 2)) {
    if (!leaves.has(path.slice(0, at + 2))) return false;
  }
  const inner = paths.filter((one) => one.startsWith(`${path}.`));
  return !path.endsWith('[]') || inner.length === 0 || inner.some((one) => leaves.has(one));
}

/** Sources and selectors of the chosen values. */
function accountOf(
  fresh: Side,
  old: Side | undefined,
  {
    leaves,
    fromOld,
    listed,
  }: Readonly<Record<'leaves' | 'fromOld' | 'listed', ReadonlySet<string>>>,
): PageExtraction {
  const taken = <Value>(of: (one: PageExtraction) => Readonly<Record<string, Value>> | undefined) =>
    Object.fromEntries(
      [old, fresh].flatMap((side) => {
        const all = side?.tried === undefined ? {} : (of(side.tried.extraction) ?? {});
        return Object.entries(all).filter(([path]) => {
          const planned = planPath(path);
          // The caller's own selectors give the same on both sides.
          if (!listed.has(planned)) return side === fresh;
          return leaves.has(planned) && fromOld.has(planned) === (side === old);
        });
      }),
    );
  return {
    value: undefined,
    notFound: [],
    sources: taken((one) => one.sources),
    selectors: taken((one) => one.selectors),
  };
}
