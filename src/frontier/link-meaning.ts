/** How near links are to a query in their meaning, whichever words they use. */

/**
 * For each text how near it is to what is looked for: 1 for the same, down to -1. Undefined when that cannot
 * be told any more. The same texts have to give the same numbers.
 */
export type Nearness = (texts: readonly string[]) => Promise<readonly number[] | undefined>;

/** How much URL and text of a link count together, and how much the title of the linking page. */
const weights = { link: 0.85, title: 0.15 };
/** Characters of a text that count. */
const textLimit = 200;
/** Texts that are asked about in one crawl. */
const mostTexts = 20_000;

/** Asks about each text once in a crawl. */
export class LinkMeaning {
  readonly #nearness: Nearness;
  readonly #onFull: (texts: number) => void;
  readonly #known = new Map<string, number>();
  #isFull = false;

  /** `onFull` is called once, when further texts are not asked about. */
  constructor(nearness: Nearness, onFull: (texts: number) => void = () => undefined) {
    this.#nearness = nearness;
    this.#onFull = onFull;
  }

  /**
   * The scores of links, each with the words of its URL, its text and the title of its page; -1 for one too
   * many. Undefined when nearness cannot be told any more; rejects as it does.
   */
  async scores(
    links: readonly (readonly (string | undefined)[])[],
  ): Promise<readonly number[] | undefined> {
    const asked = links.map(([url, text, title]) => ({
      link: short([text, url].filter(Boolean).join(': ')),
      title: short(title ?? ''),
    }));
    const unknown = new Set<string>();
    for (const { link, title } of asked) {
      for (const text of [link, title]) {
        if (text === '' || this.#known.has(text) || unknown.has(text)) continue;
        if (this.#known.size + unknown.size < mostTexts) unknown.add(text);
        else this.#tellFull();
      }
    }
    const texts = [...unknown];
    const found = texts.length === 0 ? [] : await this.#nearness(texts);
    if (found === undefined) return undefined;
    for (const [index, text] of texts.entries()) this.#known.set(text, found[index] ?? 0);
    return asked.map(({ link, title }) => {
      const near = link === '' ? 0 : this.#known.get(link);
      if (near === undefined) return -1;
      return weights.link * near + weights.title * (this.#known.get(title) ?? near);
    });
  }

  #tellFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#onFull(mostTexts);
  }
}

function short(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, textLimit)
    .replace(/\p{Cs}/gu, '');
}
