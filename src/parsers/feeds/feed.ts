/** What a feed says, whatever its format. */

/** A feed. Texts are plain, without markup. */
export interface Feed {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The page that the feed is about, as written. */
  readonly link: string | undefined;
  readonly author: string | undefined;
  readonly language: string | undefined;
  /** As written. */
  readonly published: string | undefined;
  /** As written. */
  readonly updated: string | undefined;
  /** Where the feed goes on (RFC 5005), as written. */
  readonly next: string | undefined;
  /** What these are relative to, where the feed says so. */
  readonly base?: string | undefined;
  readonly entries: readonly FeedEntry[];
  readonly warning?: string | undefined;
}

/** An entry. */
export interface FeedEntry {
  readonly title: string | undefined;
  readonly link: string | undefined;
  readonly author: string | undefined;
  readonly published: string | undefined;
  readonly updated: string | undefined;
  readonly tags: readonly string[];
  readonly content: FeedText | undefined;
  /** What its links are relative to, where the feed says so. */
  readonly base?: string | undefined;
  /** What links of the content are relative to, where the feed says so. */
  readonly contentBase?: string | undefined;
  readonly enclosures: readonly Enclosure[];
}

/** The content of an entry. */
export interface FeedText {
  readonly kind: 'text' | 'html';
  readonly text: string;
}

/** A file that comes with an entry. */
export interface Enclosure {
  readonly url: string;
  readonly title?: string | undefined;
  readonly type?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
}
