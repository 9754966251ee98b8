/** How a site looks: what the branding format gives. */

/** Colours, fonts and components of a page as it is rendered. */
export interface Branding {
  readonly colorScheme: 'light' | 'dark';
}
