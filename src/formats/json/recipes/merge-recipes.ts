/** A new recipe with what still holds of an old one: each value, or list, from the one that proves more. */
import type { PageExtraction } from '../extract-without-model.ts';
import { joinProven, type Proof } from './prove-recipe.ts';
import { isAlike } from './recipe-answer.ts';
import {
  groupOf,
  planPath,
  type RecipeEntries,
  type RecipeEntry,
  type RecipePlan,
} from './recipe-plan.ts';
import type { TriedSchema } from './recipe-reading.ts';

/** The recipe before. */
export interface OldRecipe {
  readonly entries: RecipeEntries;
  /** It fitted the page: what it has beyond what the page shows is kept. */
  readonly isFitting: boolean;
  readonly unique: readonly string[];
}

/** A recipe on the page. */
interface Side {
  readonly entries: RecipeEntries;
  readonly proof: Proof;
  readonly tried: (TriedSchema & { readonly own: PageExtraction }) | undefined;
}

/** What holds on the page. */
export interface ProvenRecipe {
  readonly entries: RecipeEntries;
  /** Paths that are proven, and those of an old recipe that the page says nothing about. */
  readonly leaves: ReadonlySet<string>;
  readonly unique: readonly string[];
}

const mostAlternatives = 3;

/** Joins them; `value` and `extraction` are what the chosen selectors gave. */
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
      // Nothing speaks for it here, and nothing against it.
      const isKept = !isNew && old.isFitting && side.proof.silent.has(path);
      if (entry === undefined || !(isProven || isKept)) continue;
      const before = isNew && old?.isFitting === true ? old.entries.get(path) : undefined;
      const alternatives =
        before !== undefined && !path.includes('[]') && isAlike(before, entry)
          ? before.selectors.filter((one) => !entry.selectors.includes(one))
          : [];
      const selectors = [...entry.selectors, ...alternatives].slice(0, mostAlternatives);
      entries.set(path, { ...entry, selectors });
      leaves.add(path);
      if (!isNew) fromOld.add(path);
      const isUnique = side.tried?.matches[path] === 1 || (isKept && old.unique.includes(path));
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

/** Its lists are there, and a list of records has something in them. */
function isWithin(path: string, leaves: ReadonlySet<string>, { paths }: RecipePlan): boolean {
  for (let at = path.indexOf('[]'); at >= 0; at = path.indexOf('[]', at + 2)) {
    if (!leaves.has(path.slice(0, at + 2))) return false;
  }
  const inner = paths.filter((one) => one.startsWith(`${path}.`));
  return !path.endsWith('[]') || inner.length === 0 || inner.some((one) => leaves.has(one));
}

/** Sources and selectors of the values that were taken. */
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
          // What the caller's own selectors gave is the same on both sides.
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
