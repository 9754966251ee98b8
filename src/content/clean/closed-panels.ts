/** Text that is collapsed rather than hidden: accordion answers, the rest of a truncated text. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  isElement,
  isText,
  nextNode,
} from '../html/dom.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

const limits = {
  leastBodies: 3,
  leastAnswers: 2, // of heads that are questions
  compared: 3_000, // nodes compared in one box
  leastRest: 40, // characters: a sentence
  beside: 6, // nodes read beside an element
  shortestPassage: 10, // characters
};

/** Finds the collapsed parts of one page by the controls and siblings around them. */
export class ClosedPanels {
  readonly #isHidden: (element: DomElement) => boolean;
  /** Bodies of accordions, by the element whose children were compared. */
  readonly #known = new Map<DomElement, ReadonlySet<DomElement>>();

  constructor(isHidden: (element: DomElement) => boolean) {
    this.#isHidden = isHidden;
  }

  /** True for hidden text that the reader opens with one click. */
  has(element: DomElement): boolean {
    const parent = element.parentElement;
    if (parent === null || isOverlay(element) || !isPassage(element)) return false;
    if (isInMenu(parent)) return false;
    const around = parent.parentElement;
    return (
      this.#bodiesIn(parent).has(element) ||
      (around !== null && this.#bodiesIn(around).has(element)) ||
      (paneName.test(element.className) && this.#visibleAlike(element) > 0) ||
      this.#isRest(element, parent)
    );
  }

  /** Hidden children and grandchildren after a visible head, if there are at least three alike. */
  #bodiesIn(box: DomElement): ReadonlySet<DomElement> {
    const known = this.#known.get(box);
    if (known !== undefined) return known;
    const byShape = new Map<string, DomElement[]>();
    let left = limits.compared;
    const compare = (parent: DomElement, shape: string): void => {
      let head = '';
      let isQuestion = false;
      for (let child = parent.firstChild; child !== null && --left > 0; child = child.nextSibling) {
        if (!isElement(child)) {
          if (isText(child) && ink.test(child.data)) head = '#text';
        } else if (!this.#isHidden(child)) {
          const text = startOf(child, 200);
          if (text === '') continue;
          head = shapeOf(child);
          isQuestion = /[?？]$/.test(text);
        } else if (head !== '') {
          const key = `${isQuestion ? '?' : ''} ${shape} ${head} ${shapeOf(child)}`;
          getOrInsert(byShape, key, () => []).push(child);
          head = '';
        }
      }
    };
    compare(box, '');
    for (let item = box.firstElementChild; item !== null; item = item.nextElementSibling) {
      if (left <= 0) break;
      if (!this.#isHidden(item)) compare(item, shapeOf(item));
    }
    const bodies = new Set<DomElement>();
    for (const [key, alike] of byShape) {
      // A message repeated in every item is not an answer.
      const texts = new Set(alike.map((body) => startOf(body, 60)));
      if (texts.size < (key.startsWith('?') ? limits.leastAnswers : limits.leastBodies)) continue;
      for (const body of alike) bodies.add(body);
    }
    this.#known.set(box, bodies);
    return bodies;
  }

  /** True for the rest of a text or list that starts before it and has its opener beside it. */
  #isRest(element: DomElement, parent: DomElement): boolean {
    if (!this.#continuesText(element, parent) && this.#visibleAlike(element) < limits.leastBodies)
      return false;
    return hasOpener(element) || hasOpener(parent);
  }

  #continuesText(element: DomElement, parent: DomElement): boolean {
    const start = startOf(element, 400);
    if (start.length < limits.leastRest || !/[.!?。！？]/u.test(start)) return false;
    let before = '';
    let node: DomNode | null = element.previousSibling ?? parent.previousSibling;
    for (let left = limits.beside; node !== null && left > 0; left--, node = node.previousSibling) {
      if (isText(node)) before += node.data.trim();
      else if (isElement(node) && !this.#isHidden(node)) before += startOf(node, limits.leastRest);
      if (before.length >= limits.leastRest) return true;
    }
    return false;
  }

  /** Siblings of the same shape that are not hidden: the open panel, the first entries of a list. */
  #visibleAlike(item: DomElement): number {
    const shape = shapeOf(item);
    let alike = 0;
    let sibling = item.parentElement?.firstElementChild ?? null;
    for (let left = limits.beside; sibling !== null && left > 0; left--) {
      if (!this.#isHidden(sibling) && shapeOf(sibling) === shape) alike++;
      sibling = sibling.nextElementSibling;
    }
    return alike;
  }
}

const paneName = /(?:^|[\s_-])(?:tabs?|pane|panel)(?:$|[\s_-])/i;

const ink = /[\p{L}\p{N}]/u;

export function shapeOf({ localName, className }: DomElement): string {
  return `${localName}.${className.trim().split(/\s+/, 1)[0] ?? ''}`;
}

/** True for boxes over the page, messages, and text for screen readers. */
export function isOverlay(element: DomElement): boolean {
  const role = element.getAttribute('role');
  if (role !== null && /dialog|menu|listbox|tooltip|alert|status|navigation/.test(role))
    return true;
  const names = `${element.id} ${element.className}`.slice(0, 500);
  return overlayNames.test(names);
}

const overlayNames =
  /(?:^|[\s_-])(?:modal|pop-?up|popover|tool-?tip|drop-?down|(?:sub|mega)?-?menu|nav|overlay|lightbox|toast|off-?canvas|drawer|cookies?|consent|newsletter|login|sr-only|(?:visually|a11y)-?hidden|hidden-visually|screen-reader(?:-text|-only)?|error|alert|success|skeleton|template|print)(?:$|[\s_-])/i;

function isInMenu(element: DomElement): boolean {
  const isMenu = (around: DomElement): boolean =>
    /^(?:nav|dialog)$/.test(around.localName) ||
    /^(?:navigation|dialog)$/.test(around.getAttribute('role') ?? '');
  return closestWhere(element, isMenu) !== undefined;
}

/** True for text that is not mostly links, without controls. */
function isPassage(element: DomElement): boolean {
  if (/^(?:nav|form|template|dialog|button|select|option|svg|img|iframe)$/.test(element.localName))
    return false;
  let length = 0;
  let linked = 0;
  let left = 600;
  for (let node = element.firstChild; node !== null && --left > 0;) {
    const isUnread = isElement(node) && /^(?:script|style|template|noscript)$/.test(node.localName);
    if (isText(node)) length += node.data.trim().length;
    else if (isElement(node)) {
      if (/^(?:form|input|nav|select|textarea)$/.test(node.localName)) return false;
      if (node.localName === 'a') linked += startOf(node, 400).length;
    }
    node = nextNode(node, element, isUnread);
  }
  return length >= limits.shortestPassage && linked <= 0.5 * length;
}

/** The first characters of the text, without white space at its ends. */
function startOf(element: DomElement, most: number): string {
  let text = '';
  let left = 200;
  for (let node = element.firstChild; node !== null && text.length < most && --left > 0;) {
    if (isText(node)) text = `${text}${node.data.slice(0, 2 * most + 100)}`.trimStart();
    node = nextNode(node, element, isElement(node) && /^(?:script|style)$/.test(node.localName));
  }
  return text.slice(0, most).trimEnd();
}

function hasOpener(element: DomElement): boolean {
  for (const side of ['nextElementSibling', 'previousElementSibling'] as const) {
    let beside = element[side];
    for (let left = 3; beside !== null && left > 0; left--, beside = beside[side]) {
      if (isOpener(beside)) return true;
      for (let inner = beside.firstElementChild, most = 5; inner !== null && most > 0; most--) {
        if (isOpener(inner)) return true;
        inner = inner.nextElementSibling;
      }
    }
  }
  return false;
}

/** A control with a short text. */
function isOpener(element: DomElement): boolean {
  const { localName } = element;
  const isControl =
    localName === 'button' ||
    (localName === 'a' && leadsNowhere(element)) ||
    element.getAttribute('role') === 'button' ||
    element.hasAttribute('onclick') ||
    (localName === 'label' && element.hasAttribute('for')) ||
    openerNames.test(element.className);
  const label = isControl ? startOf(element, 41) : '';
  return label !== '' && label.length <= 40;
}

/** True for a link that only runs a script. */
export function leadsNowhere(link: DomElement): boolean {
  const href = link.getAttribute('href') ?? '';
  return href === '' || href.startsWith('#') || /^javascript:/i.test(href);
}

const openerNames =
  /(?:^|[\s_-])(?:(?:read|show|see|view|load)-?(?:more|all|less)|more(?:-link|-button|-btn)?|toggler?|expander?|opener|trigger)(?:$|\s)/i;
