/** Run in a page, on the elements of a view: where to click, and changes of fields. */
import type { HeldView } from './page-view.ts';

/** CSS pixels in the window, or why the element cannot be used. */
export interface PagePoint {
  readonly x: number;
  readonly y: number;
  /** Empty if the point hits the element itself. */
  readonly problem: string;
  /** The index of the innermost listed element at the point; -1 where there is none. */
  readonly inner: number;
}

/** Scrolls to an element, waits until it stops moving, and finds the point to click. */
export async function pointOf({ nodes }: HeldView, index: number): Promise<PagePoint> {
  const failed = (problem: string): PagePoint => ({ x: 0, y: 0, problem, inner: -1 });
  const element = nodes[index];
  if (element === undefined || !element.isConnected) return failed('is gone');
  const isHidden = ({ width, height }: DOMRect): boolean => width <= 1 || height <= 1;
  const labels = (element as Partial<HTMLInputElement>).labels;
  const isBare =
    isHidden(element.getBoundingClientRect()) ||
    !element.checkVisibility({ opacityProperty: true });
  const target = isBare ? (labels?.[0] ?? element) : element;
  target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  let box = boxOf(target);
  for (let frame = 0; ; frame++) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const next = boxOf(target);
    const isStill = next.x === box.x && next.y === box.y && next.width === box.width;
    box = next;
    if (isStill) break;
    if (frame > 60) return failed('keeps moving');
  }
  if (!target.isConnected || isHidden(box)) return failed('is not visible');
  if (element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true') {
    return failed('is disabled');
  }
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  const hit = hitAt(x, y);
  if (hit === null) return failed('cannot be scrolled into view');
  let inner = -1;
  for (let at: Node | null = hit; at !== null; at = parentOf(at)) {
    if (inner < 0) inner = nodes.indexOf(at as Element);
    if (at === target || at === element) return { x, y, problem: '', inner };
  }
  return failed(
    `is covered by <${hit.localName} class=${JSON.stringify((hit.getAttribute('class') ?? '').slice(0, 60))}>`,
  );

  /** The first line of its box, in the coordinates of the window. */
  function boxOf(one: Element): DOMRect {
    const { x, y, width, height } = one.getClientRects()[0] ?? new DOMRect();
    const box = new DOMRect(x, y, width, height);
    let frame = one.ownerDocument.defaultView?.frameElement ?? null;
    while (frame !== null) {
      const outer = frame.getBoundingClientRect();
      box.x += outer.x + frame.clientLeft;
      box.y += outer.y + frame.clientTop;
      frame = frame.ownerDocument.defaultView?.frameElement ?? null;
    }
    return box;
  }

  function hitAt(left: number, top: number): Element | null {
    let root: Document | ShadowRoot = document;
    let [atX, atY] = [left, top];
    let found: Element | null = null;
    for (;;) {
      const hit: Element | null = root.elementFromPoint(atX, atY);
      if (hit === null || hit === found) return found;
      found = hit;
      const inner: Document | null = /^i?frame$/.test(hit.localName)
        ? (hit as HTMLIFrameElement).contentDocument
        : null;
      if (inner !== null) {
        const outer = hit.getBoundingClientRect();
        atX -= outer.x + hit.clientLeft;
        atY -= outer.y + hit.clientTop;
        root = inner;
      } else if (hit.shadowRoot !== null) root = hit.shadowRoot;
      else return found;
    }
  }

  function parentOf(node: Node): Node | null {
    const slot = (node as Partial<Element>).assignedSlot;
    return slot ?? node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null;
  }
}

/**
 * Focuses a field and selects its text. `typed`: the text can be typed now; `set`: the field took the value
 * at once, as date fields do; else the reason why it takes none.
 */
export function enterField({ nodes }: HeldView, index: number, value: string | null): string {
  const element = nodes[index] as HTMLInputElement | HTMLTextAreaElement | undefined;
  if (element === undefined || !element.isConnected) return 'is gone';
  if (element.matches(':disabled') || element.readOnly) return 'is disabled';
  element.focus();
  // Keys go to the focused element, which may not be the one that the guard checked.
  if (value === null) return element.matches(':focus') ? 'typed' : 'cannot have the focus';
  const isInput = element.localName === 'input';
  if (isInput && /^(?:button|checkbox|file|image|radio|reset|submit)$/.test(element.type)) {
    return 'takes no text';
  }
  if (isInput && /^(?:color|date|datetime-local|month|range|time|week)$/.test(element.type)) {
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    setter?.call(element, value);
    if (element.value !== value)
      return `takes no ${JSON.stringify(value.slice(0, 40))}; it is of type ${element.type}`;
    for (const type of ['input', 'change'])
      element.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
    return 'set';
  }
  if (isInput || element.localName === 'textarea') {
    if (isInput && /[\n\r]/.test(value)) return 'takes one line only';
    element.select();
    return 'typed';
  }
  if (!(element as HTMLElement).isContentEditable) return 'takes no text';
  element.ownerDocument.getSelection()?.selectAllChildren(element);
  return 'typed';
}

/** Chooses the option with this text or `value`; returns a reason if there is none, else an empty text. */
export function chooseOption({ nodes }: HeldView, index: number, wanted: string): string {
  const list = nodes[index] as HTMLSelectElement | undefined;
  if (list === undefined || !list.isConnected) return 'is gone';
  if (list.localName !== 'select') return 'is not a list of options';
  if (list.matches(':disabled')) return 'is disabled';
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
  const options = [...list.options];
  const option =
    options.find(({ label }) => plain(label) === plain(wanted)) ??
    options.find(({ value }) => value === wanted);
  if (option === undefined || option.disabled) return 'has no such option';
  option.selected = true;
  for (const type of ['input', 'change'])
    list.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
  return '';
}

/** True when a field has this value, or its chosen option this text. */
export function hasValue({ nodes }: HeldView, index: number, wanted: string): boolean {
  const field = nodes[index] as Partial<HTMLInputElement & HTMLSelectElement> | undefined;
  const chosen = field?.selectedOptions?.[0]?.label;
  const own = field?.isContentEditable === true ? field.textContent : field?.value;
  return [own, chosen].some((one) => one?.trim() === wanted.trim());
}

/** The index in `now` of an element of an earlier view; -1 when it is gone. */
export function indexIn(now: HeldView, before: HeldView, index: number): number {
  const element = before.nodes[index];
  return element === undefined ? -1 : now.nodes.indexOf(element);
}

/** Returns the view, while the page holds the elements. */
export function takeView(held: HeldView): unknown {
  const { view } = held;
  held.view = undefined;
  return view;
}
