/** The slow tests that this run leaves out: `.ci/test.mjs` writes them to a file, and names it. */
import { readFileSync } from 'node:fs';

const { PAGEWRIGHT_LEFT_OUT: file } = process.env;

/** Full names of tests by test file; empty where nobody chose, so that a file run by hand runs whole. */
export const leftOut: Readonly<Record<string, readonly string[]>> =
  file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>);
