/**
 * Functions that run in a page: they find its consent dialog, answer it, and remove the rest of it.
 */
import type { ConsentSigns } from '../consent-signs.ts';

/** State kept in our isolated world between two calls. */
interface HeldConsent {
  readonly box: HTMLElement;
  readonly isManager: boolean;
}

/** Finds a consent manager's box or the site's own dialog. */
export function findConsent(signs: ConsentSigns): 'manager' | 'dialog' | 'nothing' {
  const [cookies, privacy, consent, use] = [
    new RegExp(signs.cookies, 'i'),
    new RegExp(signs.privacy, 'i'),
    new RegExp(signs.consent, 'i'),
    new RegExp(signs.use, 'i'),
  ];
  const answers = new RegExp(
    [signs.reject, signs.accept, signs.acknowledge, signs.settings].join('|'),
    'i',
  );
  const dialogs = '[role="dialog"],[role="alertdialog"],[aria-modal="true"],dialog[open]';
  /** Text with open shadow roots; cut off if it is longer than any dialog. */
  const textOf = (root: Node, limit: number): string => {
    let text = '';
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (
      let node = walker.nextNode();
      node !== null && text.length < limit;
      node = walker.nextNode()
    ) {
      if (node instanceof Text) {
        const parent = node.parentElement?.localName;
        if (parent !== 'script' && parent !== 'style') text += `${node.data} `;
      } else if (node instanceof Element && node.shadowRoot !== null) {
        text += textOf(node.shadowRoot, limit - text.length);
      }
    }
    if (root instanceof Element && root.shadowRoot !== null) text += textOf(root.shadowRoot, limit);
    return text;
  };
  const isVisible = (element: Element): boolean => {
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.visibility !== 'visible' || style.opacity === '0')
      return false;
    const { width, height } = element.getBoundingClientRect();
    if (width > 1 && height > 1) return true;
    // A box around floating boxes has no size of its own.
    const inner = element.shadowRoot ?? element;
    return [...inner.children].slice(0, 20).some((child) => {
      const box = child.getBoundingClientRect();
      return box.width > 1 && box.height > 1 && getComputedStyle(child).visibility === 'visible';
    });
  };
  const isAbove = (element: Element): boolean => {
    // A custom element is often a wrapper without a position of its own.
    if (element.shadowRoot !== null) {
      if ([...element.shadowRoot.children].slice(0, 20).some(isAbove)) return true;
    }
    const { position, zIndex } = getComputedStyle(element);
    if (position === 'fixed' || position === 'sticky') return true;
    if (position === 'absolute' && Number(zIndex) >= 10) return true;
    return element.matches(dialogs);
  };
  const buttons = (root: Element): Element[] => {
    const found: Element[] = [];
    const roots: ParentNode[] = [root.shadowRoot ?? root];
    for (let next = roots.pop(); next !== undefined && found.length < 200; next = roots.pop()) {
      found.push(
        ...next.querySelectorAll(
          'button,a,[role="button"],input[type="button"],input[type="submit"]',
        ),
      );
      for (const one of [...next.querySelectorAll('*')].slice(0, 500)) {
        if (one.shadowRoot !== null) roots.push(one.shadowRoot);
      }
    }
    return found.slice(0, 200);
  };
  /** The page itself, its main content, and boxes with a form for another purpose. */
  const isContent = (element: Element): boolean => {
    if (element === document.body || element === document.documentElement) return true;
    if (element.closest('article,main,[role="main"]')?.matches('article') === true) return true;
    const other =
      'article,main,[role="main"],input[type="email"],input[type="password"],input[type="search"]';
    return element.matches(other) || element.querySelector(other) !== null;
  };
  const titles = [...document.querySelectorAll('h1')].filter(
    (one) => one.closest(dialogs) === null,
  );
  const isAboutThem = [document.title, titles[0]?.textContent ?? ''].some((text) =>
    cookies.test(text),
  );
  /** A page about cookies shows dialogs as examples, in its content. */
  const isExample = (element: Element): boolean => {
    if (!isAboutThem) return false;
    const main = 'main,[role="main"]';
    if (document.querySelector(main) !== null) return element.closest(main) !== null;
    return element.parentElement !== document.body;
  };
  const requestsConsent = (element: Element): boolean => {
    if (isContent(element) || isExample(element) || !isVisible(element)) return false;
    const text = textOf(element, 6000);
    if (text.length < 10 || text.length >= 6000) return false;
    const isAboutCookies =
      cookies.test(text) && (use.test(text) || privacy.test(text) || consent.test(text));
    if (!isAboutCookies && !(privacy.test(text) && consent.test(text))) return false;
    return buttons(element).some((button) => {
      const label = (
        button.textContent ||
        button.getAttribute('value') ||
        button.getAttribute('aria-label') ||
        ''
      ).trim();
      return label.length > 0 && label.length <= 60 && answers.test(label);
    });
  };
  const hold = (box: Element, isManager: boolean): 'manager' | 'dialog' => {
    const held: HeldConsent = { box: box as HTMLElement, isManager };
    Reflect.set(globalThis, 'heldConsent', held);
    return isManager ? 'manager' : 'dialog';
  };

  // Looked up by id and class: selectors would check every element.
  for (const id of signs.managerIds) {
    const box = document.getElementById(id);
    if (box !== null && isVisible(box)) return hold(box, true);
  }
  for (const name of signs.managerClasses) {
    const box = document.getElementsByClassName(name)[0];
    if (box !== undefined && isVisible(box)) return hold(box, true);
  }
  const seen = new Set<Element>();
  const isNewDialog = (element: Element): boolean => {
    if (seen.has(element)) return false;
    seen.add(element);
    return requestsConsent(element);
  };
  // Boxes with a matching name: above the page, or a bar in its flow that is not part of the text.
  let level: Element[] = [document.body];
  for (let depth = 0; depth < 3; depth++) {
    level = level.flatMap((parent) => [...parent.children].slice(0, 100)).slice(0, 300);
    for (const box of level) {
      const names = `${box.getAttribute('id') ?? ''} ${box.getAttribute('class') ?? ''}`;
      const isNamed = /cookie|consent|gdpr|dsgvo|rgpd|ccpa|privacy/i.test(names);
      if (!isNamed && !box.matches(dialogs)) continue;
      const isBar = !isAbove(box);
      if (isBar && (depth > 1 || !isNamed || box.textContent.length > 1500)) continue;
      if (isBar && box.closest('article,main,[role="main"],nav,footer') !== null) continue;
      if (isNewDialog(box)) return hold(box, false);
    }
  }
  // Boxes without a matching name: the front boxes at the usual positions of such dialogs.
  const [width, height] = [innerWidth, innerHeight];
  for (const y of [height - 20, 20, height / 2, height * 0.85]) {
    for (const x of [width / 2, 40, width - 40]) {
      let hit = document.elementFromPoint(x, y);
      for (let depth = 0; hit !== null && depth < 40; depth++) {
        if (isAbove(hit) && isNewDialog(hit)) return hold(hit, false);
        hit = hit.parentElement;
      }
    }
  }
  // For a frame only its name and position are known.
  for (const frame of [...document.getElementsByTagName('iframe')].slice(0, 50)) {
    const names = ['id', 'name', 'title', 'src']
      .map((name) => frame.getAttribute(name) ?? '')
      .join(' ');
    const isNamed =
      /consent|cookie|gdpr|privacy.?(?:mgmt|manager|center|wall)|trustarc|sp_message|cmp(?:ui|box)/i.test(
        names,
      );
    if (!isNamed || !isVisible(frame)) continue;
    for (
      let box: Element | null = frame;
      box !== null && box !== document.body;
      box = box.parentElement
    ) {
      if (isAbove(box) && !isContent(box)) return hold(box, false);
    }
  }
  return 'nothing';
}

// Runs in a page: presses the button of a consent dialog that gives the least consent.

/** The kind of button that was pressed. */
export type ConsentAnswer = 'reject' | 'acknowledge' | 'nothing';

/** With `onlyReject` only a reject button is pressed. */
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
  /** Links leave the page, and so does a button that submits a form. */
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
      // A link to the policy is not a choice.
      if (kind !== 'other' && (element.localName !== 'a' || staysHere(element)))
        labels.push({ element, kind });
    }
  }
  const first = (wanted: string): HTMLElement | undefined =>
    labels.find(({ element, kind }) => kind === wanted && staysHere(element))?.element;
  const hasChoice =
    onlyReject || labels.some(({ kind }) => kind === 'settings' || kind === 'reject');
  const reject = first('reject');
  // A notice without a choice has one button, which closes it.
  const button = reject ?? (hasChoice ? undefined : (first('acknowledge') ?? first('accept')));
  if (button === undefined) return 'nothing';
  button.click();
  return reject === undefined ? 'acknowledge' : 'reject';
}

// Runs in a page: removes the rest of a consent dialog and makes the page usable again.

/** Returns true when the dialog itself had to be removed: it was still there after `wait` ms. */
export async function clearConsent({
  signs,
  wait,
}: {
  readonly signs: ConsentSigns;
  readonly wait: number;
}): Promise<boolean> {
  const held = Reflect.get(globalThis, 'heldConsent') as HeldConsent | undefined;
  if (held === undefined) return false;
  Reflect.deleteProperty(globalThis, 'heldConsent');
  const { box, isManager } = held;
  const { body, documentElement } = document;
  const isDisplayed = (element: Element): boolean => {
    if (!element.isConnected || getComputedStyle(element).visibility !== 'visible') return false;
    const boxes = [element, ...(element.shadowRoot ?? element).children];
    return boxes.some((one) => {
      const { width, height } = one.getBoundingClientRect();
      return width > 1 && height > 1 && getComputedStyle(one).visibility === 'visible';
    });
  };
  const remove = (element: Element): void => {
    if (element === body || element === documentElement) return;
    if (element instanceof HTMLDialogElement && element.open) element.close();
    element.remove();
  };

  const end = performance.now() + wait;
  while (isDisplayed(box) && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const wasDisplayed = isDisplayed(box);
  // Wrappers that hold nothing else are removed too.
  let outer: Element = box;
  for (
    let parent = box.parentElement;
    parent !== null && parent !== body;
    parent = parent.parentElement
  ) {
    const rest = parent.textContent.length - outer.textContent.length;
    if (
      parent.matches('main,article') ||
      rest > 20 ||
      parent.querySelector('main,article,h1,img,video') !== null
    )
      break;
    outer = parent;
  }
  // A hidden box is still text in the HTML.
  remove(wasDisplayed ? outer : box);
  if (isManager) {
    const { managerIds, managerClasses } = signs;
    const left = [
      ...managerIds.map((id) => document.getElementById(id)),
      ...managerClasses.flatMap((name) => [...document.getElementsByClassName(name)]),
    ];
    for (const element of left) if (element !== null) remove(element);
  }

  // The backdrop of the dialog: in front of everything, as large as the window, and empty.
  for (let count = 0; count < 5; count++) {
    const front = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    if (!(front instanceof HTMLElement) || front.matches('iframe,video,canvas,img,object,embed'))
      break;
    const { width, height } = front.getBoundingClientRect();
    const covers = width >= innerWidth * 0.95 && height >= innerHeight * 0.95;
    const { position } = getComputedStyle(front);
    if (!covers || (position !== 'fixed' && position !== 'absolute')) break;
    if (
      front.textContent.trim() !== '' ||
      front.querySelector('img,video,iframe,canvas,svg') !== null
    )
      break;
    remove(front);
  }

  // Scroll locks that the page would have removed by itself.
  for (const element of [documentElement, body]) {
    const { overflowY, position } = getComputedStyle(element);
    if (overflowY === 'hidden' || overflowY === 'clip') {
      element.style.setProperty('overflow', 'visible', 'important');
      element.style.setProperty('overflow-y', 'auto', 'important');
    }
    if (position === 'fixed') element.style.setProperty('position', 'static', 'important');
  }
  const locked = [body, ...document.querySelectorAll('body > *,body > * > *,main,[inert]')].slice(
    0,
    500,
  );
  for (const element of locked) {
    if (!(element instanceof HTMLElement)) continue;
    const { filter, pointerEvents } = getComputedStyle(element);
    if (filter.includes('blur')) element.style.setProperty('filter', 'none', 'important');
    if (pointerEvents === 'none' && element.textContent.length > 500) {
      element.style.setProperty('pointer-events', 'auto', 'important');
    }
    if (element.inert) element.inert = false;
    const hides = element.getAttribute('aria-hidden') === 'true';
    if (hides && element.textContent.length > 200 && isDisplayed(element))
      element.removeAttribute('aria-hidden');
  }
  return wasDisplayed;
}
