/** Runs in a page: looks for a consent dialog and keeps it for the functions that answer it. */
import type { ConsentSigns } from '../consent-signs.ts';

/** What is kept in the world of ours between two calls. */
export interface HeldConsent {
  readonly box: HTMLElement;
  readonly isManager: boolean;
}

/** What was found: a consent manager's box, a dialog of the site's own, or nothing. */
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
  /** With open shadow roots; cut off where it is longer than any dialog. */
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
    // A box around boxes that float above the page has no size of its own.
    const inner = element.shadowRoot ?? element;
    return [...inner.children].slice(0, 20).some((child) => {
      const box = child.getBoundingClientRect();
      return box.width > 1 && box.height > 1 && getComputedStyle(child).visibility === 'visible';
    });
  };
  const isAbove = (element: Element): boolean => {
    // A custom element is often a wrapper without a place of its own.
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
  /** The page itself, what readers came for, and boxes with a form of another purpose. */
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
  /** A page that is about cookies shows dialogs as examples: those among its content. */
  const isExample = (element: Element): boolean => {
    if (!isAboutThem) return false;
    const main = 'main,[role="main"]';
    if (document.querySelector(main) !== null) return element.closest(main) !== null;
    return element.parentElement !== document.body;
  };
  const asksForConsent = (element: Element): boolean => {
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

  // By the document's own tables: selectors would look at every element.
  for (const id of signs.managerIds) {
    const box = document.getElementById(id);
    if (box !== null && isVisible(box)) return hold(box, true);
  }
  for (const name of signs.managerClasses) {
    const box = document.getElementsByClassName(name)[0];
    if (box !== undefined && isVisible(box)) return hold(box, true);
  }
  const seen = new Set<Element>();
  const look = (element: Element): boolean => {
    if (seen.has(element)) return false;
    seen.add(element);
    return asksForConsent(element);
  };
  // What has a fitting name: above the page, or a bar in its flow that is no part of the text.
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
      if (look(box)) return hold(box, false);
    }
  }
  // What has no name: the boxes that are in front where such dialogs stand.
  const [width, height] = [innerWidth, innerHeight];
  for (const y of [height - 20, 20, height / 2, height * 0.85]) {
    for (const x of [width / 2, 40, width - 40]) {
      let hit = document.elementFromPoint(x, y);
      for (let depth = 0; hit !== null && depth < 40; depth++) {
        if (isAbove(hit) && look(hit)) return hold(hit, false);
        hit = hit.parentElement;
      }
    }
  }
  // In a frame there are only its name and where it stands.
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
