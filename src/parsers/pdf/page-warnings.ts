/** What could not be read of a PDF, in sentences that name the pages. */

/** What happened to the pages of a file. */
export class PageWarnings {
  readonly #empty: number[] = [];
  readonly #leftOut: string[] = [];
  readonly #others: string[] = [];

  add(warning: string): void {
    this.#others.push(warning);
  }

  empty(page: number): void {
    this.#empty.push(page);
  }

  leftOut(page: number, reason: string): void {
    if (this.#leftOut.length < maxNamed)
      this.#leftOut.push(`Page ${page} was left out: ${reason}.`);
  }

  /** `names` are those of tables of characters. */
  missingMaps(names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    const listed = [...names].slice(0, 5).join(', ');
    this.add(
      `Text in fonts that are not in the file was left out: reading it needs tables of characters (${listed}), which are there after npm install pdfjs-dist.`,
    );
  }

  list(): string[] {
    const [empty, plural] = [this.#empty, this.#empty.length > 1];
    return [
      ...this.#others,
      ...this.#leftOut,
      ...(empty.length === 0
        ? []
        : [
            `${plural ? 'Pages' : 'Page'} ${ranges(empty)} ${plural ? 'have' : 'has'} no text: ${plural ? 'they are' : 'it is'} empty, or a picture such as a scan, which is not read.`,
          ]),
    ];
  }
}

/** Pages whose reasons are told one by one. */
const maxNamed = 20;

/** `1, 3–7, 9` */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < numbers.length;) {
    let end = at;
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end += 1;
    parts.push(end > at ? `${numbers[at]}–${numbers[end]}` : `${numbers[at]}`);
    at = end + 1;
  }
  return parts.join(', ');
}
