/** Reads fields of DOC, DOCX and RTF documents: computed content such as links and page numbers. */

const mostOpen = 50; // nesting limit of fields; more are a broken document

/** Tracks the fields of a document. They may begin in one paragraph and end in another. */
export class WordFields {
  readonly #open: { instruction: string; isResult: boolean }[] = [];

  /** Handles a field character: `begin`, `separate` or `end`. */
  mark(kind: string | undefined): void {
    const field = this.#open.at(-1);
    if (kind === 'begin' && this.#open.length < mostOpen) {
      this.#open.push({ instruction: '', isResult: false });
    } else if (kind === 'separate' && field !== undefined) field.isResult = true;
    else if (kind === 'end') this.#open.pop();
  }

  /** Adds a piece of an instruction. */
  instruct(text: string): void {
    const field = this.#open.at(-1);
    if (field !== undefined && !field.isResult && field.instruction.length < 10_000) {
      field.instruction += text;
    }
  }

  /** True inside an instruction, whose text is not displayed. */
  get isHidden(): boolean {
    return this.#open.some(({ isResult }) => !isResult);
  }

  /** The link target of text at this position. */
  get href(): string | undefined {
    for (let at = this.#open.length - 1; at >= 0; at -= 1) {
      const href = linkOf(this.#open[at]?.instruction ?? '');
      if (href !== undefined) return href;
    }
    return undefined;
  }
}

/** `HYPERLINK "https://…" \l "part"` */
export function linkOf(instruction: string): string | undefined {
  if (!/^\s*HYPERLINK\b/i.test(instruction)) return undefined;
  const [, part] = /\\l\s+"([^"]*)"/i.exec(instruction) ?? [];
  const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))/i.exec(instruction) ?? [];
  const url = quoted ?? bare ?? '';
  const href = part === undefined ? url : `${url}#${part}`;
  return href === '' ? undefined : href;
}
