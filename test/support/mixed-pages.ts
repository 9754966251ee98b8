/** The 40 pages of fixtures/apps: half complete as they come, half filled in by a script. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One page of the manifest. */
export interface MixedPage {
  /** On the site that the folder is: `/article/`. */
  readonly path: string;
  /** True when its text comes by script. */
  readonly dynamic: boolean;
  /** Must be in the right result … */
  readonly text: string;
  /** … as its title, where that is all that a page has. */
  readonly in?: 'title';
  /** What `renderingSignal` says; none for a static page. */
  readonly signal?: string;
}

/** The folder, as `serve()` takes it. */
export const mixedPagesFolder: string = fileURLToPath(
  new URL('../../fixtures/apps/', import.meta.url),
);

/** The manifest. */
export const mixedPages: readonly MixedPage[] = JSON.parse(
  readFileSync(`${mixedPagesFolder}pages.json`, 'utf8'),
) as MixedPage[];

/** The page as it is sent. */
export function mixedPageBody({ path }: MixedPage): Buffer {
  return readFileSync(`${mixedPagesFolder}${path.slice(1)}index.html`);
}
