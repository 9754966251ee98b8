/** Runs the tests of a file, but for those that this run leaves out. */
import { type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';
import { leftOut } from './left-out.ts';

// Vitest takes the default export of the file that its option `runner` names.
export default class RingRunner extends TestRunner {
  onCollected(files: readonly RunnerTestFile[]): void {
    for (const file of files) {
      const names = new Set(leftOut.tests[file.name]);
      if (names.size > 0) leaveOut(file, names);
    }
  }
}

/** Skips tests before any hook runs: a group with no other test prepares nothing. */
function leaveOut(suite: RunnerTestSuite, names: ReadonlySet<string>, path = ''): void {
  for (const task of suite.tasks) {
    const name = path === '' ? task.name : `${path} > ${task.name}`;
    if (task.type === 'suite') leaveOut(task, names, name);
    else if (names.has(name)) task.mode = 'skip';
  }
  const { tasks } = suite;
  if (tasks.length > 0 && tasks.every(({ mode }) => mode === 'skip' || mode === 'todo')) {
    suite.mode = 'skip';
  }
}
