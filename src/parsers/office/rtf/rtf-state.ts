/** What holds for the text at a place of a rich text file. A group gets a copy and gives it up. */
import type { Marks } from '../writing/inline-writer.ts';

/** Where text goes. */
export type Destination =
  | 'text'
  /** Left out, but for a description inside. */
  | 'skip'
  /** Left out with all that is inside. */
  | 'drop'
  | 'fonts'
  | 'styles'
  | 'marker'
  | 'instruction'
  | 'fact'
  | 'property'
  | 'value'
  | 'time';

/** A field whose instruction was read, for its result. */
export interface RtfField {
  instruction: string;
}

/** Of a paragraph; `\pard` sets it back. */
export interface ParagraphState {
  readonly style: number | undefined;
  readonly outline: number | undefined;
  readonly level: number | undefined;
  readonly isInTable: boolean;
  /** Twips. */
  readonly left: number;
  /** Twips; negative where the first line begins further left. */
  readonly first: number;
}

/** All of it. */
export interface RtfState {
  destination: Destination;
  /** The name of what is read: `title`. */
  fact: string;
  marks: Marks;
  isHidden: boolean;
  font: number;
  /** Characters that stand for each `\u`. */
  fallback: number;
  field: RtfField | undefined;
  paragraph: ParagraphState;
  /** The group is a footnote. */
  isNote: boolean;
  /** The group began with `\*`: who does not know it leaves it out. */
  isOptional: boolean;
}

/** A paragraph about which nothing was said. */
export const plainParagraph: ParagraphState = {
  style: undefined,
  outline: undefined,
  level: undefined,
  isInTable: false,
  left: 0,
  first: 0,
};

/** The state at the beginning of a file. */
export function startState(): RtfState {
  return {
    destination: 'text',
    fact: '',
    marks: {},
    isHidden: false,
    font: -1,
    fallback: 1,
    field: undefined,
    paragraph: plainParagraph,
    isNote: false,
    isOptional: false,
  };
}

/** Groups whose text is not the text of the document, by their first word. */
export const destinations: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ...(
    'colortbl objdata objclass header headerl headerr headerf footer footerl footerr footerf nonshppict shprslt ' +
    'listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl ' +
    'annotation atnid atnauthor atnref atndate atntime bkmkstart bkmkend pgptbl filetbl nonesttables ' +
    'fchars lchars wgrffmtfilter mmathPr ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn tc xe rxe private'
  )
    .split(' ')
    .map((name) => [name, 'drop'] as const),
  ['pict', 'skip'],
  ['sp', 'skip'],
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['listtext', 'marker'],
  ['pntext', 'marker'],
  ['fldinst', 'instruction'],
  ...'title author subject keywords doccomm'.split(' ').map((name) => [name, 'fact'] as const),
  ['creatim', 'time'],
  ['revtim', 'time'],
  ['sn', 'property'],
  ['sv', 'value'],
  ['shptxt', 'text'],
  ['info', 'skip'],
]);

/** Words that stand for a character. */
export const characters: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['emdash', '—'],
  ['endash', '–'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
]);
