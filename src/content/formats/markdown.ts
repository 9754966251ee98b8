/** The markdown format: GitHub-flavoured, from the content of the page. */
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import { z } from 'zod';
import { check } from '../../core/checks/check.ts';
import { compact } from '../../core/runtime/compact.ts';
import type { MarkdownHandler, MarkdownOptions } from '../markdown/markdown-options.ts';
import {
  builtInModule,
  type Format,
  type FormatRequest,
  type ReplaceableFormat,
} from './format.ts';
import { withoutInvisible } from '../text/plain-text.ts';

/** Cached: each `import()` resolves the module again. */
const writer = new Lazy(() => loadModule(() => import('../markdown/to-markdown.ts')));

/** All but parts of tables and lists, the page as a whole, and what is not content: no rule is called for these. */
const notAlone =
  /^(?!(?:body|caption|col|colgroup|head|html|li|noscript|script|style|tbody|td|template|tfoot|th|thead|title|tr)$)/;

/** The options, also of other formats that write markdown. */
export const markdownSchemas = {
  links: z.enum(['inline', 'text', 'reference']).optional(),
  images: z.enum(['inline', 'alt', 'none']).optional(),
  handlers: z
    .record(
      z
        .string()
        .regex(/^[a-z][^\sA-Z/>]*$/, 'expected the name of an element in lower case')
        .regex(
          notAlone,
          'expected an element that is written by itself, unlike parts of tables and lists',
        ),
      z.custom<MarkdownHandler>((value) => typeof value === 'function', 'expected a function'),
    )
    .optional(),
} satisfies Record<keyof MarkdownOptions, z.ZodType>;

const optionsSchema = z.strictObject(markdownSchemas);

/** Undefined without options. */
export function parseMarkdownOptions(
  options: Readonly<Record<string, unknown>>,
): MarkdownOptions | undefined {
  const given = compact(check('markdown', optionsSchema, options));
  return Object.keys(given).length === 0 ? undefined : given;
}

/**
 * The page's content as markdown; for a page that is not HTML the output of its parser. Rendered, the
 * markdown of HTML runs nothing and links to no code; a markdown file stays as its author wrote it,
 * tags and links included.
 *
 * With `links` and `images` it is shorter, for readers that follow no links and see no pictures. Other formats read
 * the markdown without options: the positions of `highlights`, `question` and `json` are positions in that.
 *
 * @example
 * await scrape(url, { formats: [{ type: 'markdown', links: 'text', images: 'alt' }] });
 */
export const markdown: ReplaceableFormat<'markdown', string, MarkdownOptions | undefined> = {
  name: 'markdown',
  needs: 'content',
  worker: builtInModule,
  isReplaceable: true,
  showsContent: true,
  parseOptions: parseMarkdownOptions,
  async run(page, options) {
    if (page.kind === 'text') return withoutInvisible(page.markdown);
    const { toMarkdown } = await writer.get();
    return toMarkdown(page, options);
  },
};

/** The markdown without options, which other formats read where the document has none or another one. */
export const plainMarkdown: Format<'plainMarkdown', string, MarkdownOptions | undefined> = {
  ...markdown,
  name: 'plainMarkdown',
};

/** True for markdown as other formats read it, also for a custom format in its place. */
export function isPlainMarkdown({ format, options }: FormatRequest): boolean {
  const { name } = format;
  return (
    name === plainMarkdown.name ||
    (name === markdown.name && (format !== markdown || options === undefined))
  );
}
