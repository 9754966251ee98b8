/** What a sitemap says. */

/** A page that a sitemap or feed lists. */
export interface SitemapUrl {
  /** Absolute and normalised. */
  url: string;
  /** When the page changed, as the sitemap says: a W3C date or an ISO time. */
  lastmod?: string;
  /** News sitemaps and feeds have titles. */
  title?: string;
  /** Feeds have summaries; the beginning of one, in one line. */
  description?: string;
}

/** A sitemap that a sitemap lists. */
export interface ChildSitemap {
  /** Absolute and normalised. */
  url: string;
  lastmod?: string;
}

/** One sitemap file, read. */
export interface SitemapContent {
  /** In the order of the file; not made unique. */
  readonly urls: SitemapUrl[];
  readonly sitemaps: ChildSitemap[];
  /** What is wrong with the file though it could be read in part. */
  readonly warnings: string[];
}

/** One entry as the file has it, before its URL is resolved. */
export interface RawEntry {
  readonly link: string;
  readonly date?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** Takes entries as they are read; false when it wants no more. */
export type EntrySink = (entry: RawEntry, kind: 'url' | 'sitemap') => boolean;

/** Reads one kind of sitemap piece by piece, handing its entries to a sink. */
export interface SitemapReader {
  /** False when the rest need not be read. */
  readonly isReading: boolean;
  write(text: string): void;
  /** Ends the reading; gives warnings. `isCut`: the text ended before its end. */
  end(isCut: boolean): string[];
}
