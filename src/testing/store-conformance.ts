/** What every store has to do. */
import assert from 'node:assert/strict';
import type { Store } from '../storage/store.ts';
import type { ConformanceCase } from './conformance-case.ts';
import {
  optionalCases,
  optionalCasesOfTwo,
  type OptionalMember,
  optionalMembers,
  type WholeStore,
} from './store-optional-cases.ts';
import { cases, casesOfTwo } from './store-cases.ts';

/** What a suite of cases is to know about a store. */
export interface StoreConformanceOptions {
  /**
   * Opens the place of the last store that `makeStore` gave once more, as a second process would.
   * Without it the cases of two stores on one place are left out.
   */
  readonly openAgain?: () => Store | Promise<Store>;
  /** Optional members that the store does not have: their cases only see that it has none. */
  readonly without?: readonly OptionalMember[];
}

/** The suite. `makeStore` gives an empty store each time; it is disposed of after the case. */
export function storeConformance(
  makeStore: () => Store | Promise<Store>,
  options: StoreConformanceOptions = {},
): readonly ConformanceCase[] {
  const { openAgain, without = [] } = options;
  const suite: ConformanceCase[] = [];
  const add = (name: string, check: (store: Store) => Promise<void>): void => {
    const run = async (): Promise<void> => {
      const store = await makeStore();
      try {
        await check(store);
      } finally {
        await store.dispose?.();
      }
    };
    suite.push({ name, run });
  };
  const addWith = (name: string, check: (store: Store, other: Store) => Promise<void>): void => {
    if (openAgain === undefined) return;
    add(name, async (store) => {
      const other = await openAgain();
      try {
        await check(store, other);
      } finally {
        await other.dispose?.();
      }
    });
  };

  for (const [name, check] of Object.entries(cases)) add(name, check);
  for (const [name, check] of Object.entries(casesOfTwo)) addWith(name, check);
  for (const member of optionalMembers) {
    if (without.includes(member)) {
      add(`skipped, as the store has none: ${member}`, (store) => {
        assert.equal(
          store[member],
          undefined,
          `The store has ${member}: take it out of "without".`,
        );
        return Promise.resolve();
      });
      continue;
    }
    for (const [name, check] of Object.entries(optionalCases[member])) {
      add(`${member}: ${name}`, (store) => check(whole(store, member)));
    }
    for (const [name, check] of Object.entries(optionalCasesOfTwo[member])) {
      addWith(`${member}: ${name}`, (store, other) =>
        check(whole(store, member), whole(other, member)),
      );
    }
  }
  return suite;
}

function whole(store: Store, member: OptionalMember): WholeStore {
  const advice = `The store has no ${member}. Where that is meant, pass { without: ['${member}'] }.`;
  assert.equal(typeof store[member], 'function', advice);
  return store as WholeStore;
}
