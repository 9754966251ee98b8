/** The path of the code that a worker runs: a separate file, so that tests can substitute the built one. */

/** The module that a worker runs. Throws in a CommonJS bundle, which has no `import.meta.url`. */
export function workerFile(): URL {
  return new URL('./worker.js', import.meta.url);
}
