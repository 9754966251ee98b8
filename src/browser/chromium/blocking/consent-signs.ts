/** Signs of a consent dialog: the boxes of consent managers, and words. */
import { consentWords } from '../../../content/text/consent-words.ts';

/** The argument of a function in the page; words are sources of regular expressions. */
export interface ConsentSigns extends Record<keyof typeof consentWords, string> {
  /** Ids and classes that only boxes of consent managers have. */
  readonly managerIds: readonly string[];
  readonly managerClasses: readonly string[];
}

/** Names that a manager gives to its boxes. */
const managerIds = [
  'axeptio_overlay',
  'BorlabsCookieBox',
  'BorlabsCookieBoxWrap',
  'ccc-overlay',
  'cmpbox',
  'cmpbox2',
  'cmplz-cookiebanner-container',
  'cmpwrapper',
  'cookie-law-info-bar',
  'cookiefirst-root',
  'cookiescript_injected',
  'CybotCookiebotDialog',
  'CybotCookiebotDialogBodyUnderlay',
  'didomi-host',
  'didomi-notice',
  'didomi-popup',
  'ez-cookie-dialog-wrapper',
  'hs-eu-cookie-confirmation',
  'iubenda-cs-banner',
  'ketch-banner',
  'moove_gdpr_cookie_info_bar',
  'onetrust-banner-sdk',
  'onetrust-consent-sdk',
  'onetrust-pc-sdk',
  'qc-cmp2-container',
  'shopify-pc__banner',
  'tarteaucitronRoot',
  'termly-code-snippet-support',
  'transcend-consent-manager',
  'trustarc-banner-overlay',
  'truste-consent-track',
  'usercentrics-cmp-ui',
  'usercentrics-root',
];

const managerClasses = [
  'brlbs-cmpnt-dialog',
  'cc-window',
  'cky-consent-container',
  'cky-overlay',
  'cmplz-cookiebanner',
  'evidon-banner',
  'fc-consent-root',
  'osano-cm-window',
  'truste_box_overlay',
  'truste_overlay',
];

export const consentSigns: ConsentSigns = { managerIds, managerClasses, ...consentWords };
