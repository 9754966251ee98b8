/** A tree to markdown, by the rules of its elements. */
import type { DomElement } from '../../html/dom.ts';
import { Emitter } from './emitter.ts';
import { rules } from './rules.ts';

interface MarkdownOptions {
  readonly baseUrl: string;
  /** Elements of which the markdown is known. */
  readonly verbatim?: ReadonlyMap<DomElement, string> | undefined;
}

/**
 * Converts a tree to GitHub-flavoured markdown, without a newline at the end.
 *
 * URLs become absolute against `baseUrl`. Text is escaped only where CommonMark would read it as
 * markup. The same tree gives the same bytes; the tree is not changed.
 *
 * @example
 * toMarkdown(page.root, { baseUrl: 'https://site.test/docs/' }); // '# Title\n\nText'
 */
export function toMarkdown(root: DomElement, options: MarkdownOptions): string {
  const emitter = new Emitter(root, options.baseUrl, rules, options.verbatim);
  emitter.visit(root);
  return emitter.finish();
}
