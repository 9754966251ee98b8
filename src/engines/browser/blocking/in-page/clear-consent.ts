/** Runs in a page: removes what is left of a consent dialog and gives the page back to its reader. */
import type { ConsentSigns } from '../consent-signs.ts';
import type { HeldConsent } from './find-consent.ts';

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
  const isShown = (element: Element): boolean => {
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
  while (isShown(box) && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const wasShown = isShown(box);
  // Wrappers that hold nothing else go with it.
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
  // A box that only hides is text all the same for whoever reads the HTML.
  remove(wasShown ? outer : box);
  if (isManager) {
    const { managerIds, managerClasses } = signs;
    const left = [
      ...managerIds.map((id) => document.getElementById(id)),
      ...managerClasses.flatMap((name) => [...document.getElementsByClassName(name)]),
    ];
    for (const element of left) if (element !== null) remove(element);
  }

  // What darkened the page behind it: in front of everything, as large as the window, and empty.
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

  // Locks that the page would have opened by itself.
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
    if (hides && element.textContent.length > 200 && isShown(element))
      element.removeAttribute('aria-hidden');
  }
  return wasShown;
}
