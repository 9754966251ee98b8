/** Elements that stand apart from the text around them. */

/** What the HTML standard's rendering section displays as blocks, tables or list items. */
export const blockElements: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li ' +
    'listing main menu nav ol optgroup option p plaintext pre search section summary table tbody ' +
    'td tfoot th thead tr ul xmp'
  ).split(' '),
);
