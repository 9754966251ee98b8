/** Consent dialogs of a site's own, as they stand in static HTML. */
import { type DomElement, type DomNode, isElement, isText } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import type { HtmlPage } from '../model/page.ts';
import type { Transformer } from './transformer.ts';

/** The dialogs of pages that are being cleaned: they are found before buttons become text. */
const found = new WeakMap<HtmlPage, readonly DomElement[]>();

/** Finds consent dialogs of the site's own, where main content is wanted and they are not all that the page says. */
export const findConsentDialogs: Transformer = {
  name: 'findConsentDialogs',
  apply(page, { blockAds, onlyMainContent }) {
    if (!blockAds || !onlyMainContent) return;
    const { root } = page;
    const dialogs: DomElement[] = [];
    let hasText = false;
    let node: DomNode | null = root.firstChild;
    while (node !== null) {
      const isDialog = isElement(node) && isConsentDialog(node);
      if (isDialog) dialogs.push(node as DomElement);
      hasText ||= isText(node) && /\S/.test(node.data);
      node = nextNode(node, root, isDialog || isUnread(node));
    }
    if (hasText && dialogs.length > 0) found.set(page, dialogs);
  },
};

/** Removes those that are still there: what finds the main content has learned from pages with them. */
export const removeConsentDialogs: Transformer = {
  name: 'removeConsentDialogs',
  apply(page) {
    for (const dialog of found.get(page) ?? []) dialog.remove();
  },
};

/**
 * True for a small box that says by its name, role or place that it is in front of the page, speaks of
 * cookies and has a button for the answer. An article about cookies is none of it, nor what is in one,
 * nor a box with a form of another purpose.
 */
function isConsentDialog(element: DomElement): boolean {
  if (!boxes.has(element.localName) || !standsInFront(element)) return false;
  if (element.closest('article') !== null) return false;
  const box = readBox(element);
  if (box === undefined) return false;
  const { text, answers } = box;
  return cookies.test(text) && answers.some((label) => label.length <= 60 && answer.test(label));
}

/** What no reader sees: a later step removes it. */
function isUnread(node: DomNode): boolean {
  return isElement(node) && unread.has(node.localName);
}

const unread: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

const boxes: ReadonlySet<string> = new Set(['div', 'section', 'aside', 'dialog', 'form', 'footer']);

const name =
  /(?:cookie|consent|gdpr|dsgvo|rgpd|ccpa)s?[-_]?(?:\w+[-_])?(?:banner|bar|box|notice|notification|message|info|alert|hint|popup|pop-up|modal|dialog|overlay|wall|layer|consent|warning|policy-container)|(?:banner|bar|notice|popup|modal|dialog|overlay)[-_]?(?:cookie|consent|gdpr)/i;

function standsInFront(element: DomElement): boolean {
  if (element.localName === 'dialog' || element.getAttribute('aria-modal') === 'true') return true;
  const role = element.getAttribute('role');
  if (role === 'dialog' || role === 'alertdialog') return true;
  const names = `${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`;
  if (names.length < 1000 && name.test(names)) return true;
  return /position\s*:\s*(?:fixed|sticky)/i.test(element.getAttribute('style') ?? '');
}

/** What the box says; undefined when it is too large for a dialog, or holds what readers came for. */
function readBox(
  box: DomElement,
): { readonly text: string; readonly answers: readonly string[] } | undefined {
  let text = '';
  const answers: string[] = [];
  let nodes = 0;
  for (let node = nextNode(box, box); node !== null; node = nextNode(node, box, isUnread(node))) {
    if (++nodes > 600 || text.length > 4000) return undefined;
    if (isText(node)) text += `${node.data} `;
    else if (isElement(node)) {
      if (content.has(node.localName) || isField(node)) return undefined;
      const isButton = node.localName === 'button' || node.getAttribute('role') === 'button';
      if (isButton || isPlainLink(node)) answers.push((node.textContent ?? '').trim());
      else if (node.localName === 'input') answers.push(node.getAttribute('value') ?? '');
    }
  }
  return { text, answers };
}

const content: ReadonlySet<string> = new Set(['article', 'main', 'h1', 'pre']);

function isField(element: DomElement): boolean {
  const type = element.localName === 'input' ? element.getAttribute('type') : null;
  return type !== null && /^(?:email|password|search|tel)$/i.test(type);
}

/** A link that only runs a script. */
function isPlainLink(element: DomElement): boolean {
  if (element.localName !== 'a') return false;
  const href = element.getAttribute('href') ?? '';
  return href === '' || href.startsWith('#') || /^javascript:/i.test(href);
}

const cookies =
  /cookie|gdpr|dsgvo|rgpd|lgpd|ciastecz|kolačić|piškot|slapuk|sīkdat|küpsis|eväste|çerez|куки|бисквит|עוגיות|كوكي|ملفات تعريف|クッキー|쿠키/i;

const answer =
  /accept|agree|allow|reject|declin|refus|refuz|necessary|consent|got it|^ok|understood|akzept|zustimm|ablehn|einverstanden|verstanden|notwendig|autoriser|compris|acept|aceit|rechaz|recus|entend|accett|rifiut|capito|akkoord|weiger|begrepen|zgadzam|akceptuj|odrzu|rozum|přijmout|souhlas|odmít|elfogad|elutas|rendben|godta|godkend|tillad|avvis|afvis|forstå|godkänn|tillåt|avvisa|neka|förstår|hyväksy|hylkää|selvä|прин|соглас|понятно|відхил|зрозуміло|kabul|reddet|tamam|αποδοχή|απόρριψη|同意|拒|了解|接受|동의|거부|확인|אישור|דחייה|הבנתי|قبول|موافق|رفض/i;
