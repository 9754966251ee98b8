/** The markdown format: GitHub-flavoured, from the content of the page. */
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import { z } from 'zod';
import { check } from '../../core/checks/check.ts';
import { compact } from '../../core/runtime/compact.ts';
import type { Page } from '../../core/model/page.ts';
import type { MarkdownHandlers, MarkdownOptions } from '../markdown/own-elements.ts';
import type { WrittenMarkdown } from '../markdown/to-markdown.ts';
import { builtInModule, type FormatRequest, type ReplaceableFormat } from './format.ts';
import { withoutInvisible } from '../text/plain-text.ts';

/** Cached: each `import()` resolves the module again. */
const writer = new Lazy(() => loadModule(() => import('../markdown/to-markdown.ts')));

/** The names of the options. */
export const markdownOptionNames = ['links', 'images', 'handlers'] as const;

const handlerSchema = z.custom<MarkdownHandlers[string]>((value) => typeof value === 'function', {
  error: 'expected a function',
});

/** All but parts of tables and lists, the page as a whole, and what is not content: no rule is called for these. */
const notAlone =
  /^(?!(?:body|caption|col|colgroup|head|html|li|noscript|script|style|tbody|td|template|tfoot|th|thead|title|tr)$)/;

const noClass = 'expected an object without "constructor"';

const optionsSchema = z.strictObject({
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
      handlerSchema,
      {
        error: ({ input }) =>
          Object.hasOwn(Object(input) as object, 'constructor') ? noClass : undefined,
      },
    )
    .optional(),
} satisfies Record<keyof MarkdownOptions, z.ZodType>);

/** Undefined for options that change nothing. */
export function parseMarkdownOptions(
  options: Readonly<Record<string, unknown>>,
): MarkdownOptions | undefined {
  const { links, images, handlers } = check('markdown', optionsSchema, options);
  const isUsual = (links ?? 'inline') === 'inline' && (images ?? 'inline') === 'inline';
  return isUsual && Object.keys(handlers ?? {}).length === 0
    ? undefined
    : compact({ links, images, handlers });
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
  parseOptions: parseMarkdownOptions,
  async run(page, options) {
    return (await markdownOf(page, options)).text;
  },
};

/** True for markdown that is not what other formats read. */
export function isStyledMarkdown({ format, options }: Omit<FormatRequest, 'uses'>): boolean {
  return format === markdown && options !== undefined;
}

/** The markdown, with the definitions of its links apart. */
export async function markdownOf(
  page: Page,
  options: MarkdownOptions | undefined,
): Promise<WrittenMarkdown> {
  if (page.kind === 'text') {
    const text = withoutInvisible(page.markdown);
    return { text, body: text, definitions: new Map() };
  }
  const { writeMarkdown } = await writer.get();
  const { verbatim } = page.file ?? {};
  return writeMarkdown(page.root, page.baseUrl, { ...options, verbatim, url: page.url });
}
