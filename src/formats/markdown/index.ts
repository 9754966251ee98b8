/** The markdown format: GitHub-flavoured, from the content of the page. */
import type { Format } from '../format.ts';

/** The page's content as markdown; of a page that is not HTML what its parser made. */
export const markdown: Format<'markdown', string, undefined> = {
  name: 'markdown',
  needs: 'content',
  async run(page) {
    if (page.kind === 'text') return page.markdown;
    const { toMarkdown } = await import('./to-markdown.ts');
    return toMarkdown(page.root, { baseUrl: page.baseUrl });
  },
};
