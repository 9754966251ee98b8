/**
 * Set-up of the test files that share a process: none may start a process, or leave another behind
 * than it found. A file that has to belongs into `alone` in `vitest.config.ts`.
 */
import { ChildProcess } from 'node:child_process';
// The whole of Crawlee, which only sources load, replaces process.emit: before the first look.
import '@crawlee/core';
import { afterAll, beforeAll, expect } from 'vitest';

interface Spawning {
  spawn(this: ChildProcess, options: unknown): unknown;
}

const before = stateOfProcess();
const functions = replaceable();
const variables = { ...process.env };
const started: string[] = [];
const prototype = ChildProcess.prototype as unknown as Spawning;
const { spawn } = prototype;

beforeAll(() => {
  prototype.spawn = function (options) {
    started.push(String((options as { readonly file?: unknown }).file));
    return spawn.call(this, options);
  };
});

afterAll(() => {
  prototype.spawn = spawn;
  for (const [index, own] of replaceable().entries()) {
    expect(Object.is(own, functions[index]), `${own.name} is what it was`).toBe(true);
  }
  // Their names only: the log of a failure is no place for what they hold.
  const names = new Set([...Object.keys(variables), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => process.env[name] !== variables[name]);
  expect(changed, 'variables that were set, changed or deleted').toEqual([]);
  expect(started, 'processes that this file started').toEqual([]);
  for (const [name, value] of Object.entries(stateOfProcess())) {
    expect(value, `${name} of the process that others share`).toEqual(before[name]);
  }
});

/** What a test could change for those that come after it. */
function stateOfProcess(): Readonly<Record<string, unknown>> {
  return {
    folder: process.cwd(),
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    ),
    // Packages mark the global names that they add.
    globals: Object.getOwnPropertyNames(globalThis)
      .filter((name) => !name.startsWith('__'))
      .sort(),
    prototypes: [Object, Array, Function, String, Promise, Map].map(({ prototype: own }) =>
      Object.getOwnPropertyNames(own),
    ),
  };
}

/** A clock, a fetch or a screen in the place of the real one is another function. */
function replaceable(): readonly { readonly name: string }[] {
  const clocks = [Date, performance.now, setTimeout, setInterval, setImmediate, queueMicrotask];
  return [...clocks, fetch, process.stdout.write, process.stderr.write, process.emit];
}
