/** Runs in a page: presses the button of a consent dialog that gives the least away. */
import type { ConsentSigns } from '../consent-signs.ts';
import type { HeldConsent } from './find-consent.ts';

/** What was pressed. */
export type ConsentAnswer = 'reject' | 'acknowledge' | 'nothing';

/** With `onlyReject` nothing but a no is pressed. */
export function answerConsent({
  signs,
  onlyReject,
}: {
  readonly signs: ConsentSigns;
  readonly onlyReject: boolean;
}): ConsentAnswer {
  const held = Reflect.get(globalThis, 'heldConsent') as HeldConsent | undefined;
  if (held === undefined) return 'nothing';
  const { box } = held;
  const is = {
    reject: new RegExp(signs.reject, 'i'),
    accept: new RegExp(signs.accept, 'i'),
    acknowledge: new RegExp(signs.acknowledge, 'i'),
    settings: new RegExp(signs.settings, 'i'),
    payment: new RegExp(signs.payment, 'i'),
  };
  const isVisible = (element: Element): boolean => {
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    return style.visibility === 'visible' && style.opacity !== '0' && width > 1 && height > 1;
  };
  /** Links go elsewhere, and a button that sends a form does, too. */
  const staysHere = (element: Element): boolean => {
    if (element.matches(':disabled')) return false;
    if (element.localName === 'a') {
      const href = element.getAttribute('href') ?? '';
      return href === '' || href === '#' || /^javascript:\s*(?:;|void|$)/i.test(href);
    }
    const sends = element.matches(
      'button:not([type="button"]):not([type="reset"]),input[type="submit"]',
    );
    return !sends || element.closest('form') === null;
  };

  const labels: { readonly element: HTMLElement; readonly kind: string }[] = [];
  const roots: ParentNode[] = [box.shadowRoot ?? box];
  for (let next = roots.pop(); next !== undefined && labels.length < 100; next = roots.pop()) {
    for (const element of [...next.querySelectorAll('*')].slice(0, 2000)) {
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      if (!element.matches('button,a,[role="button"],input[type="button"],input[type="submit"]'))
        continue;
      if (!(element instanceof HTMLElement) || !isVisible(element)) continue;
      const label = (
        element.textContent.trim() ||
        element.getAttribute('value') ||
        element.getAttribute('aria-label') ||
        ''
      ).trim();
      if (label === '' || label.length > 60) continue;
      const kind =
        (is.payment.test(label) && 'other') ||
        (is.settings.test(label) && 'settings') ||
        (is.reject.test(label) && 'reject') ||
        (is.acknowledge.test(label) && 'acknowledge') ||
        (is.accept.test(label) && 'accept') ||
        'other';
      // A link to the policy is no choice.
      if (kind !== 'other' && (element.localName !== 'a' || staysHere(element)))
        labels.push({ element, kind });
    }
  }
  const first = (wanted: string): HTMLElement | undefined =>
    labels.find(({ element, kind }) => kind === wanted && staysHere(element))?.element;
  const hasChoice =
    onlyReject || labels.some(({ kind }) => kind === 'settings' || kind === 'reject');
  const reject = first('reject');
  // Where there is nothing to choose, the one button only puts the notice away.
  const button = reject ?? (hasChoice ? undefined : (first('acknowledge') ?? first('accept')));
  if (button === undefined) return 'nothing';
  button.click();
  return reject === undefined ? 'acknowledge' : 'reject';
}
