/** The option blockAds: removes the parts that ad networks and consent managers leave in static HTML. */
import { type DomElement, outermostElements } from '../html/dom.ts';
import { speaksOfConsent } from './consent-dialog.ts';
import { rememberedTest } from '../../core/runtime/remembered-test.ts';
import type { Transformer } from './transformer.ts';

/**
 * Removes ad slots, trackers and consent pop-ups that carry a vendor's own id or class; where the whole page
 * is wanted, also boxes with common names.
 */
export const blockAds: Transformer = {
  name: 'blockAds',
  apply({ root }, options) {
    if (!options.blockAds) return;
    if (!options.onlyMainContent) removeNamed(root);
    for (const ad of outermostElements(root, isVendorElement)) ad.remove();
  },
};

/**
 * Removes boxes with common names for ads or consent banners, unless they are most of the page or one of many
 * entries.
 */
function removeNamed(root: DomElement): void {
  const named = outermostElements(root, isNamedBox);
  if (named.length === 0) return;
  const lengthOf = (element: DomElement): number => (element.textContent ?? '').trim().length;
  const most = 0.5 * lengthOf(root);
  for (const element of named) {
    const length = lengthOf(element);
    const isOther = consentName.test(`${element.id} ${element.className}`)
      ? !speaksOfConsent((element.textContent ?? '').slice(0, 4_000), true)
      : isEntry(element);
    if (length <= most && !isOther) element.remove();
  }
}

function isNamedBox(element: DomElement): boolean {
  if (/^(?:article|body|button|h[1-6]|html|main)$/.test(element.localName)) return false;
  const names = element.getAttribute('class');
  const id = element.getAttribute('id');
  return (names !== null && boxName.test(names)) || (id !== null && boxName.test(id));
}

const boxName =
  /(?:^|\s)(?:ads?|adverts?|advertise?ments?|advertising|(?:ad|ads|advert)[-_]?(?:banner|box|container|slot|unit|wrapper|block|space|zone|placeholder|area|break|label)|banner[-_]?ads?|(?:cookies?|gdpr|consent)[-_]?(?:banner|bar|consent|dialog|message|modal|notice|notification|overlay|popup|prompt|wall))(?:\s|$)/i;

const consentName = /cookie|gdpr|consent/i;

/** True for one of several ads side by side, as on a classifieds page. */
function isEntry(element: DomElement): boolean {
  let alike = 0;
  for (const side of ['previousElementSibling', 'nextElementSibling'] as const) {
    const beside = element[side];
    if (beside?.localName === element.localName && beside.className === element.className) alike++;
  }
  return alike > 0 && /\S/.test(element.textContent ?? '');
}

function isVendorElement(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'iframe' || name === 'img') {
    if (vendorFrames.test(element.getAttribute('src') ?? '')) return true;
  }
  const id = element.getAttribute('id');
  if (id !== null && id !== '') {
    if (vendorIds.has(id) || vendorIdStart.test(id)) return true;
  }
  const classes = element.getAttribute('class');
  return classes !== null && hasVendorClass(classes);
}

// Exact ids and classes that ad networks and consent managers leave in a page. Vendor names only: for main
// content, other names are weighed as evidence instead.

/** Whole `id` values. */
const vendorIds: ReadonlySet<string> = new Set([
  // Consent managers
  'axeptio_overlay',
  'BorlabsCookieBox',
  'BorlabsCookieBoxWrap',
  'ccc-overlay',
  'cmpbox',
  'cmpbox2',
  'cmpwrapper',
  'cmplz-cookiebanner-container',
  'cookie-law-info-bar',
  'cookiefirst-root',
  'cookiescript_injected',
  'CookiebotWidget',
  'CybotCookiebotDialog',
  'CybotCookiebotDialogBodyUnderlay',
  'didomi-host',
  'didomi-notice',
  'didomi-popup',
  'ez-cookie-dialog-wrapper',
  'hs-eu-cookie-confirmation',
  'iubenda-cs-banner',
  'ketch-banner',
  'klaro',
  'moove_gdpr_cookie_info_bar',
  'moove_gdpr_cookie_modal',
  'onetrust-banner-sdk',
  'onetrust-consent-sdk',
  'onetrust-pc-sdk',
  'qc-cmp2-container',
  'shopify-pc__banner',
  'tarteaucitronRoot',
  'teconsent',
  'termly-code-snippet-support',
  'truste-consent-track',
  'transcend-consent-manager',
  'trustarc-banner-overlay',
  'usercentrics-root',
  'usercentrics-cmp-ui',
]);

const vendorIdStart =
  /^(?:aswift_|div-gpt-ad|google_ads_|gpt_unit_|mys-wrapper|sp_message_container_|taboola-)/;

/** Whole class names. */
const vendorClasses: ReadonlySet<string> = new Set([
  // Ad slots
  'adsbygoogle',
  'ezoic-ad',
  'google-auto-placed',
  'OUTBRAIN',
  'raptive-ad',
  'adthrive-ad',
  'mv-ad-box',
  'teads-adCall',
  'trc_related_container',
  'trc_rbox_container',
  // Consent managers
  'brlbs-cmpnt-dialog',
  'cky-btn-revisit-wrapper',
  'cky-consent-container',
  'cky-modal',
  'cky-overlay',
  'cmplz-cookiebanner',
  'cmplz-manage-consent',
  'evidon-banner',
  'fc-consent-root',
  'onetrust-pc-dark-filter',
  'osano-cm-widget',
  'osano-cm-window',
  'qc-cmp2-container',
  'truste_overlay',
  'truste_box_overlay',
]);

const hasVendorClass = rememberedTest(
  new RegExp(`(?:^|\\s)(?:${[...vendorClasses].join('|')})(?:\\s|$)`),
);

/** Hosts of frames and tracking images that carry advertising. */
const vendorFrames: RegExp =
  /^(?:https?:)?\/\/(?:[\w-]+\.)*(?:doubleclick\.net|googlesyndication\.com|amazon-adsystem\.com|adnxs\.com|consensu\.org|taboola\.com|outbrain\.com)\//i;
