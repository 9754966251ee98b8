/** Consent dialogs that a site implements itself, in static HTML. */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../html/dom.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { consentWords } from '../text/consent-words.ts';
import { rememberedTest } from '../../core/runtime/remembered-test.ts';
import { leadsNowhere } from './closed-panels.ts';
import type { Transformer } from './transformer.ts';

/** The dialogs of pages in cleaning: they are found before buttons become text. */
const found = new WeakMap<HtmlPage, readonly DomElement[]>();

/**
 * Finds the site's own consent dialogs, unless they are the page's only text: elements marked as a dialog
 * (`role`, `aria-modal`, `<dialog>`) and, for main content, other boxes. They are removed once the main
 * content is chosen, or at once if there is none or if they hold more text than the page.
 */
export const findConsentDialogs: Transformer = {
  name: 'findConsentDialogs',
  apply(page, { blockAds, onlyMainContent }) {
    if (!blockAds) return;
    const { root } = page;
    const dialogs: DomElement[] = [];
    let length = 0;
    /** End of the header, menu or control that the walk is inside of. */
    let aroundUntil: DomNode | null | undefined;
    let examples: ((dialog: DomElement) => boolean) | undefined;
    let node: DomNode | null = root.firstChild;
    while (node !== null) {
      let skip = isUnread(node);
      if (node === aroundUntil) aroundUntil = undefined;
      if (isElement(node) && !skip) {
        if (aroundUntil === undefined && around.has(node.localName)) {
          aroundUntil = nextNode(node, root, true);
        }
        const isMarked = isMarkedDialog(node);
        if ((isMarked || onlyMainContent) && isConsentDialog(node, isMarked)) {
          examples ??= examplesOf(page);
          skip = !examples(node);
          if (skip) dialogs.push(node);
        }
      } else if (isText(node) && aroundUntil === undefined) {
        length += node.data.trim().length;
      }
      node = nextNode(node, root, skip);
    }
    if (length === 0 || dialogs.length === 0) return;
    const isMost = dialogs.some((dialog) => (dialog.textContent ?? '').length > length);
    if (!onlyMainContent || isMost) for (const dialog of dialogs) dialog.remove();
    else found.set(page, dialogs);
  },
};

/**
 * Removes the remaining dialogs; they stay until here because the main-content model was trained on pages
 * with them.
 */
export const removeConsentDialogs: Transformer = {
  name: 'removeConsentDialogs',
  apply(page) {
    for (const dialog of found.get(page) ?? []) dialog.remove();
  },
};

/**
 * True for a box in front of the page (by markup, name or position) that mentions consent and has an answer
 * button. Articles about cookies, boxes inside them and boxes with an unrelated form do not count.
 */
function isConsentDialog(element: DomElement, isMarked: boolean): boolean {
  if (!isMarked && !standsInFront(element)) return false;
  if (element.closest('article') !== null) return false;
  const box = readBox(element, isMarked ? markedLimits : limits);
  if (box === undefined) return false;
  const { text, answers } = box;
  if (!speaksOfConsent(text, isMarked)) return false;
  return answers.some((label) => label.length <= 60 && answer.test(label));
}

/** True if the text asks for consent. In a box that is marked as a dialog, the word "cookies" alone is not enough. */
export function speaksOfConsent(text: string, isMarked: boolean): boolean {
  if (!cookies.test(text)) return isMarked && privacy.test(text) && consent.test(text);
  return !isMarked || use.test(text) || privacy.test(text) || consent.test(text);
}

/** Tests for dialogs that are examples: those in the content of a page about cookies. */
function examplesOf({ document, root }: HtmlPage): (dialog: DomElement) => boolean {
  const headings = [...root.querySelectorAll('h1')].filter((one) => one.closest(dialogs) === null);
  const titles = [document.querySelector('title'), headings[0]];
  const isAboutCookies = titles.some((title) => cookies.test(title?.textContent ?? ''));
  const main = 'main, [role="main"]';
  const hasMain = isAboutCookies && root.querySelector(main) !== null;
  return (dialog) => {
    if (!isAboutCookies) return false;
    return hasMain ? dialog.closest(main) !== null : dialog.parentElement?.localName !== 'body';
  };
}

/** Elements that surround the content of a page. */
const around: ReadonlySet<string> = new Set(['header', 'nav', 'footer', 'a', 'button']);

/** True for a node that readers do not see; a later step removes it. */
function isUnread(node: DomNode): boolean {
  return isElement(node) && unread.has(node.localName);
}

const unread: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

const isAboutConsent = rememberedTest(/cookie|consent|gdpr|dsgvo|rgpd|ccpa/i);

const consentName =
  /(?:cookie|consent|gdpr|dsgvo|rgpd|ccpa)s?[-_]?(?:\w+[-_])?(?:banner|bar|box|notice|notification|message|info|alert|hint|popup|pop-up|modal|dialog|overlay|wall|layer|consent|warning|policy-container)|(?:banner|bar|notice|popup|modal|dialog|overlay)[-_]?(?:cookie|consent|gdpr)/i;

/** Custom elements are boxes too. */
const isBox = rememberedTest(/^(?:div|section|aside|form|footer|[a-z]+-[a-z-]+)$/);

const dialogs = 'dialog, [aria-modal="true"], [role="dialog"], [role="alertdialog"]';

function isMarkedDialog(element: DomElement): boolean {
  if (element.localName === 'body' || element.localName === 'main') return false;
  if (element.localName === 'dialog' || element.getAttribute('aria-modal') === 'true') return true;
  const role = element.getAttribute('role');
  return role !== null && /^\s*(?:alert)?dialog\s*$/i.test(role);
}

function standsInFront(element: DomElement): boolean {
  if (!isBox(element.localName)) return false;
  const id = element.getAttribute('id') ?? '';
  const classes = element.getAttribute('class') ?? '';
  const isNamed =
    (isAboutConsent(id) || isAboutConsent(classes)) && id.length + classes.length < 999;
  if (isNamed && consentName.test(`${id} ${classes}`)) return true;
  const style = element.getAttribute('style');
  return style !== null && /position\s*:\s*(?:fixed|sticky)/i.test(style);
}

/** The largest size of a dialog, and elements that a dialog does not hold. A marked-up dialog may list all purposes. */
const limits = {
  nodes: 600,
  characters: 4_000,
  content: new Set(['article', 'main', 'h1', 'pre']),
};
const markedLimits = { nodes: 5_000, characters: 40_000, content: new Set(['article', 'main']) };

/** Reads the text of the box; undefined if it is too large for a dialog, or holds content. */
function readBox(
  box: DomElement,
  { nodes: mostNodes, characters, content }: typeof limits,
): { readonly text: string; readonly answers: readonly string[] } | undefined {
  let text = '';
  const answers: string[] = [];
  let nodes = 0;
  for (let node = nextNode(box, box); node !== null; node = nextNode(node, box, isUnread(node))) {
    if (++nodes > mostNodes || text.length > characters) return undefined;
    if (isText(node)) text += `${node.data} `;
    else if (isElement(node)) {
      if (content.has(node.localName) || isField(node)) return undefined;
      const isButton = node.localName === 'button' || node.getAttribute('role') === 'button';
      if (isButton || (node.localName === 'a' && leadsNowhere(node))) answers.push(labelOf(node));
      else if (node.localName === 'input') answers.push(node.getAttribute('value') ?? '');
    }
  }
  return { text, answers };
}

function labelOf(button: DomElement): string {
  return (button.textContent ?? '').trim() || (button.getAttribute('aria-label') ?? '');
}

function isField(element: DomElement): boolean {
  const type = element.localName === 'input' ? element.getAttribute('type') : null;
  return type !== null && /^(?:email|password|search|tel)$/i.test(type);
}

const [cookies, privacy, consent, use] = [
  new RegExp(consentWords.cookies, 'i'),
  new RegExp(consentWords.privacy, 'i'),
  new RegExp(consentWords.consent, 'i'),
  new RegExp(consentWords.use, 'i'),
];

const { accept, reject, acknowledge, settings } = consentWords;

/** Words of assent that may be followed by others: nothing is clicked here. */
const understood =
  '^ok|got it|understood|verstanden|compris|entend|capito|begrepen|rozum|rendben|forstå|förstår|selvä|понятно|зрозуміло|tamam|了解|확인|הבנתי';

const answer = new RegExp([accept, reject, acknowledge, settings, understood].join('|'), 'i');
