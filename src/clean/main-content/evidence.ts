/** The kinds of evidence about an element's part in the page, as bits. */

/** One bit for each kind. */
export const Evidence = {
  /** Menus, breadcrumbs, pagers, skip links, "on this page". */
  navigation: 1,
  /** The site's header, or a section's. */
  header: 2,
  footer: 4,
  /** Sidebars and asides. */
  aside: 8,
  /** Dialogs, drawers, tooltips: what lies over the page. */
  overlay: 16,
  /** Cookie and privacy bars. */
  consent: 32,
  /** Share and follow buttons; signatures under forum posts. */
  share: 64,
  /** Other pages that may interest too. */
  related: 128,
  /** Newsletter sign-ups, promotions, advertising. */
  promotion: 256,
  /** Readers' comments. */
  comments: 512,
  /** The form to write one. */
  commentForm: 1024,
  /** Reviews and testimonials: part of a page, never all of it. */
  reviews: 2048,
  /** Read by screen readers only. */
  screenReader: 4096,
  /** Author box, tags, date line. */
  byline: 8192,
  /** A box that belongs to the text: note, warning, tip. */
  callout: 16384,
  main: 32768,
  article: 65536,
  /** Navigation, footer, aside or dialog by tag or role, not by name only. */
  structural: 131072,
} as const;

/** How many kinds there are. */
export const kindCount: number = Object.keys(Evidence).length;
