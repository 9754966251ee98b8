/** Writes blocks into nested containers: prefixes of quotes and lists, blank lines between blocks. */

/** A container that blocks are written into. */
export interface ContainerLevel {
  readonly kind: 'root' | 'quote' | 'list' | 'item' | 'note';
  readonly parent: ContainerLevel | undefined;
  /** The prefix of every line inside. */
  readonly prefix: string;
  /** The start of the first line, replacing this level's share of the prefix. */
  readonly lead: string;
  readonly depth: number;
  /** True once a block was written. */
  used: boolean;
  /** The list written last, if nothing came after it. */
  lastList: ListLevel | undefined;
}

/** A list; its items are nested levels. */
export interface ListLevel extends ContainerLevel {
  readonly kind: 'list';
  /** `-` or `*`, or the delimiter after the number: `.` or `)`. */
  readonly marker: string;
  readonly ordered: boolean;
  /** True when the list may not follow a paragraph directly: only one that starts with 1 may. */
  readonly needsBlankLine: boolean;
  /** True for a list of items that are not in a list element. */
  readonly orphans: boolean;
  /** The number of the next item. */
  next: number;
  /** True if its items are separated by blank lines. */
  loose: boolean;
  lastItem: ContainerLevel | undefined;
}

const limits = {
  depth: 100, // deeper containers are written as if at this depth, which real pages do not reach
  indentation: 10_000_000, // characters of all prefixes: 100 levels make a page 100 times as large
  beforeAlert: 40, // characters; alerts with a longer prefix are written as plain quotes
};

/** Headings and pictures; repeated running text is intended. */
const headingOrPicture = /^(?:#{1,6} |\[?!\[)/;

/** A possible blank line: decided when the list is complete. */
interface BlockGap {
  readonly prefix: string;
  readonly list: ListLevel | undefined;
}

/** Collects the text of a document. Containers are only written once they have content. */
export class BlockWriter {
  readonly #parts: (string | BlockGap)[] = [];
  #indentation = 0;
  #last: { readonly text: string; readonly level: ContainerLevel } | undefined;
  /** The container of the next block. */
  level: ContainerLevel = {
    kind: 'root',
    parent: undefined,
    prefix: '',
    lead: '',
    depth: 0,
    used: false,
    lastList: undefined,
  };

  /** A new container inside of the current one. `lead` and `indent` have the same width. */
  newLevel(kind: 'quote' | 'item' | 'note', lead: string, indent: string): ContainerLevel {
    const deep = this.level.depth >= limits.depth;
    return {
      kind,
      parent: this.level,
      prefix: deep ? this.level.prefix : this.level.prefix + indent,
      lead: deep && kind === 'quote' ? '' : lead,
      depth: this.level.depth + 1,
      used: false,
      lastList: undefined,
    };
  }

  /** A new quote. An alert's kind is written on a first line of its own. */
  newQuote(alert?: string): ContainerLevel {
    const { prefix } = this.level;
    // The line after the alert's kind repeats the whole prefix.
    const fits = prefix.length <= limits.beforeAlert;
    const lead = alert === undefined || !fits ? '> ' : `> [!${alert}]\n${prefix}> `;
    return this.newLevel('quote', lead, '> ');
  }

  /** A new list. Its marker differs from a list right before, which would otherwise absorb it. */
  newList(ordered: boolean, start: number, orphans = false): ListLevel {
    const before = this.level.lastList;
    const [usual, other] = ordered ? ['.', ')'] : ['-', '*'];
    return {
      kind: 'list',
      parent: this.level,
      prefix: this.level.prefix,
      lead: '',
      depth: this.level.depth,
      used: false,
      lastList: undefined,
      marker: before?.marker === usual ? other : usual,
      ordered,
      needsBlankLine: ordered && start !== 1,
      orphans,
      next: start,
      loose: false,
      lastItem: undefined,
    };
  }

  /**
   * Writes a block; lines are separated by `\n`. A heading or picture just written (for another screen width)
   * is not repeated. `isAlt`: the block is only alternative texts.
   */
  write(text: string, isAlt = false): void {
    const { level: current } = this;
    const isRepeated = this.#last?.text === text && this.#last.level === current;
    if (isRepeated && (isAlt || headingOrPicture.test(text))) return;
    this.#last = { text, level: current };
    const fresh: ContainerLevel[] = [];
    let level = this.level;
    while (!level.used && level.parent !== undefined) {
      fresh.push(level);
      level = level.parent;
    }
    const isFlat = this.#countIndentation(text);
    if (level.used) {
      const gap = gapBefore(level, fresh.at(-1));
      this.#parts.push(isFlat ? { ...gap, prefix: '' } : gap);
    }
    let prefix = isFlat ? '' : level.prefix;
    for (let at = fresh.length - 1; at >= 0; at--) {
      const next = fresh[at] as ContainerLevel;
      level.used = true;
      level.lastList = isList(next) ? next : undefined;
      prefix += next.lead;
      if (next.kind === 'note' && at > 0) prefix = this.#emptyLine(prefix, next);
      level = next;
    }
    level.used = true;
    level.lastList = undefined;
    const inner = isFlat ? '' : level.prefix;
    this.#parts.push(text === '' ? prefix.trimEnd() : prefix, indented(text, inner));
  }

  /** True if the indentation budget does not cover this block. */
  #countIndentation(text: string): boolean {
    const width = this.level.prefix.length;
    if (width === 0) return false;
    // One line more for the gap before.
    let lines = 2;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
    if (this.#indentation + lines * width > limits.indentation) return true;
    this.#indentation += lines * width;
    return false;
  }

  /** Puts a leading nested container on a line of its own, since some parsers do not know footnotes. */
  #emptyLine(prefix: string, level: ContainerLevel): string {
    this.#parts.push(`${prefix.trimEnd()}\n${level.parent?.prefix.trimEnd() ?? ''}\n`);
    return level.prefix;
  }

  /** The document so far. */
  toString(): string {
    let text = '';
    for (const part of this.#parts) {
      if (typeof part === 'string') text += part;
      else if (part.list !== undefined && !part.list.loose) text += '\n';
      else text += `\n${part.prefix}\n`;
    }
    return text;
  }
}

/** The gap between the last child of `level` and its new one: a container, or a plain block. */
function gapBefore(level: ContainerLevel, child: ContainerLevel | undefined): BlockGap {
  const prefix = level.prefix.trimEnd();
  if (isList(level)) return { prefix, list: level };
  const list = level.kind === 'item' ? level.parent : undefined;
  if (!isList(list)) return { prefix, list: undefined };
  if (isList(child) && !child.needsBlankLine) return { prefix, list };
  list.loose = true;
  return { prefix, list: undefined };
}

function isList(level: ContainerLevel | undefined): level is ListLevel {
  return level?.kind === 'list';
}

function indented(text: string, prefix: string): string {
  if (prefix === '' || !text.includes('\n')) return text;
  const blank = prefix.trimEnd();
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? line : line === '' ? blank : prefix + line))
    .join('\n');
}
