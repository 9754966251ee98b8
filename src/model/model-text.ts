/** A page as a language model may read it: what its readers see, and nothing that is hidden from them. */

/** Text on a page that looks like instructions to a model. */
export interface InstructionAttempt {
  /** How it begins, on one line. */
  readonly quote: string;
  /** It is hidden from readers, and is not in the text for the model. */
  readonly isHidden: boolean;
}

/** Style sheets, and rules of them, that are not known: what they hide may be in the text. */
export interface UnreadStyles {
  /** Some are in files of their own. */
  readonly files: boolean;
  /** Some rules take too long on this page, or there are too many. */
  readonly rules: boolean;
}

/** Plain data. */
export interface ModelText {
  /** Markdown of the cleaned page, without texts of pictures and of attributes. */
  readonly markdown: string;
  readonly attempts: readonly InstructionAttempt[];
  readonly unreadStyles: UnreadStyles;
}
