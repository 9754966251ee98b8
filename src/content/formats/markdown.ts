/** The markdown format: GitHub-flavoured, from the content of the page. */
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import { builtInModule, type ReplaceableFormat } from './format.ts';
import { withoutInvisible } from '../text/plain-text.ts';

/** Cached: each `import()` resolves the module again. */
const writer = new Lazy(() => loadModule(() => import('../markdown/to-markdown.ts')));

/**
 * The page's content as markdown; for a page that is not HTML the output of its parser. Rendered, the
 * markdown of HTML runs nothing and links to no code; a markdown file stays as its author wrote it,
 * tags and links included.
 */
export const markdown: ReplaceableFormat<'markdown', string, undefined> = {
  name: 'markdown',
  needs: 'content',
  worker: builtInModule,
  isReplaceable: true,
  async run(page) {
    if (page.kind === 'text') return withoutInvisible(page.markdown);
    const { toMarkdown } = await writer.get();
    const { verbatim } = page.file ?? {};
    return toMarkdown(page.root, page.baseUrl, verbatim);
  },
};
