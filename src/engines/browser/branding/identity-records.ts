/** What the page says about whose it is: plain records of its head and of pictures that may be its logo. */

/** The page's own words about itself; texts are trimmed, URLs absolute, empty where there is none. */
export interface IdentityRecords {
  readonly url: string;
  readonly title: string;
  readonly siteName: string;
  readonly applicationName: string;
  readonly themeColor: string;
  readonly ogImage: string;
  readonly icons: readonly IconRecord[];
  /** Texts of JSON-LD blocks. */
  readonly jsonLd: readonly string[];
  readonly pictures: readonly PictureRecord[];
}

/** A `link` element that names an icon. */
export interface IconRecord {
  readonly rel: string;
  readonly href: string;
  readonly sizes: string;
  readonly type: string;
}

/** A picture of the page. */
export interface PictureRecord {
  /** Its index in `boxes`. */
  readonly box: number;
  readonly kind: 'img' | 'svg' | 'background';
  /** Empty for an inline drawing. */
  readonly url: string;
  readonly alt: string;
  /** Of the link that it is in. */
  readonly href: string;
  /** Names of the element and of those around it, lower-case. */
  readonly names: string;
}
