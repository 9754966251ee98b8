/** The targets of links: in the text, `[text](https://…)`, or `[text][1]` with a definition at its end. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';
import type { MarkdownOptions } from './markdown-options.ts';

/** The targets of references by their numbers. */
export type Definitions = ReadonlyMap<number, string>;

/** Markdown without the definitions that follow it. */
export interface WrittenMarkdown {
  readonly markdown: string;
  readonly definitions: Definitions;
}

/** The targets of the links of one text: as references one for each URL with its title. */
export class References {
  readonly #style: MarkdownOptions['links'];
  /** Labels of references, until the text is settled, by target. */
  readonly #labels = new Map<string, string>();

  constructor(style: MarkdownOptions['links']) {
    this.#style = style;
  }

  /** The end of a link: its bracket, and the target or the label of it. */
  linkEnd(target: string): string {
    if (this.#style !== 'reference') return `](${target})`;
    return `][${getOrInsert(this.#labels, target, () => `${unsettled}${this.#labels.size + 1}`)}]`;
  }

  /**
   * The text numbered in its order, which is not always the order of writing. Left out are numbers that the text has in
   * brackets: with a definition they would be links.
   */
  settle(text: string): WrittenMarkdown {
    if (this.#labels.size === 0) return { markdown: text, definitions: new Map() };
    const taken = new Set<number>();
    for (const [, digits] of text.matchAll(/\[[\s>]*(\d{1,9})[\s>]*\\?\]/g))
      taken.add(Number(digits));
    const targets = new Map([...this.#labels].map(([target, label]) => [label, target]));
    const numbers = new Map<string, number>();
    const definitions = new Map<number, string>();
    let last = 0;
    const markdown = text.replace(/\]\[(\d{10,})\]/g, (whole, label: string) => {
      const target = targets.get(label);
      if (target === undefined) return whole;
      const number = getOrInsert(numbers, label, () => {
        do last += 1;
        while (taken.has(last));
        return last;
      });
      definitions.set(number, target);
      return `][${number}]`;
    });
    return { markdown, definitions };
  }
}

/** Digits before the number of a link that no page has; a label of more than nine is none of `taken`. */
const unsettled = '734501926';

/** The definitions that a text uses, after a blank line; its references may be written as inline links. */
export function definitionsFor(text: string, definitions: Definitions): string {
  if (definitions.size === 0) return '';
  const used = new Set([...text.matchAll(/\][[(](\d+)[\])]/g)].map(([, digits]) => Number(digits)));
  const lines = [...used]
    .sort((a, b) => a - b)
    .flatMap((number) => {
      const target = definitions.get(number);
      return target === undefined ? [] : [`[${number}]: ${target}`];
    });
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
}
