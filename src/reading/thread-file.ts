/** Where the code of a reading thread is: a file of its own, so that tests can put the built one in its place. */

/** The module that a thread runs. Its name is one that no file beside a bundle has by chance. */
export const threadFile: URL = new URL('./inside-reading-thread.js', import.meta.url);
