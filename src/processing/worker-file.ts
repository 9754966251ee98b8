/** The path of the code that a worker runs: a separate file, so that tests can substitute the built one. */

/** The module that a worker runs. */
export const workerFile: URL = new URL('./worker.js', import.meta.url);
