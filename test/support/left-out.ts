/** What this run leaves out: `.ci/test.mjs` writes it to a file, and names that. */
import { readFileSync } from 'node:fs';

interface LeftOut {
  /** Test files of which nothing runs. */
  readonly files: readonly string[];
  /** Full names of tests by test file. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

const { PAGEWRIGHT_LEFT_OUT: file } = process.env;

/** Empty where nobody chose, so that a file run by hand runs whole. */
export const leftOut: LeftOut =
  file === undefined
    ? { files: [], tests: {} }
    : (JSON.parse(readFileSync(file, 'utf8')) as LeftOut);
