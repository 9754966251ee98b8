/** The path of the code that a worker runs: a file of its own, so that tests can put the built one in its place. */

/** The module that a worker runs. */
export const workerFile: URL = new URL('./worker.js', import.meta.url);
