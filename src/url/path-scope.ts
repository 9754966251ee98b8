/** Which paths belong to a crawl that starts at a given path. */
import { normalizeEscapes } from './escapes.ts';

/**
 * A test on the path alone; the host is for the caller to compare.
 *
 * `/blogs/` admits what is under it, `/blogs` admits itself and what is under it (not
 * `/blogsearch`), `/blogs/a.html` admits what is in its directory, `/` admits all.
 */
export function pathScope(url: URL): (candidate: URL) => boolean {
  const start = normalizeEscapes(url.pathname);
  if (start.endsWith('/') || file.test(start)) {
    const directory = start.slice(0, start.lastIndexOf('/') + 1);
    return (candidate) => normalizeEscapes(candidate.pathname).startsWith(directory);
  }
  return (candidate) => {
    const path = normalizeEscapes(candidate.pathname);
    return path === start || path.startsWith(`${start}/`);
  };
}

/** A last segment with an extension that starts with a letter: `a.html`, but not `v1.10`. */
const file = /[^/]\.[a-z][a-z0-9]{1,5}$/i;
