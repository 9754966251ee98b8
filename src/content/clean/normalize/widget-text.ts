/** Text that scripts replace or icon fonts draw: counters at zero, calendar data, icon names. */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../../html/dom.ts';
import { joinTexts, removeShortcodes } from './shortcodes.ts';

/** Gives counters their number; removes shortcodes, calendar data and icon names. Code stays. */
export function resolveWidgetText(root: DomElement): void {
  const gone = new Set<DomElement>();
  const bracketed: (DomNode & { data: string })[] = [];
  for (let node: DomNode | null = root; node !== null;) {
    if (isText(node)) {
      if (node.data.includes('[')) {
        joinTexts(node);
        bracketed.push(node);
      }
      const { data } = node;
      if (data.length < longestText && ink.test(data) && candidate.test(data)) readText(node, gone);
      node = nextNode(node, root);
    } else {
      node = nextNode(node, root, isElement(node) && unread.has(node.localName));
    }
  }
  for (const element of gone) element.remove();
  if (bracketed.length > 0) removeShortcodes(bracketed);
}

function readText(node: DomNode & { data: string }, gone: Set<DomElement>): void {
  const parent = node.parentElement;
  const text = node.data.trim();
  if (parent === null) return;
  if (zero.test(text)) node.data = goalOf(parent) ?? node.data;
  else if (timeZone.test(text) || isCalendarDate(parent, text)) addCalendarData(parent, gone);
  else if (iconName.test(text) && isIcon(parent, text)) gone.add(parent);
}

const ink = /\S/;

/** Zero, a date, the name of a time zone, or one word in lower case. */
const candidate = /^\s*(?:0[\s\d.,]*$|\d{1,4}[-/.]\d|[A-Z][a-z]+\/|[a-z][a-z\d_]*\s*$)/;

const longestText = 80;

const unread: ReadonlySet<string> = new Set(
  'code kbd math noscript pre samp script select style svg template textarea'.split(' '),
);

// Counters.

const zero = /^0+(?:[.,]0+)?$/;

/** The final number of a counter, from the attributes of its element or of a parent that only contains it. */
function goalOf(element: DomElement): string | undefined {
  const around = element.parentElement;
  const isAlone =
    around !== null &&
    around.firstElementChild === element &&
    element.nextElementSibling === null &&
    (around.textContent ?? '').length < longestText;
  for (const { attributes } of isAlone ? [element, around] : [element]) {
    for (const { name, value } of attributes) {
      const isGoal = goalName.test(name) && !notGoal.test(name);
      if (isGoal && /^\s*\d[\d.,\s]{0,20}$/.test(value) && /[1-9]/.test(value)) return value.trim();
    }
  }
  return undefined;
}

const goalName =
  /^data-(?:[\w-]*-)?(?:count(?:er|up|to)?|to|end|value|target|num(?:ber)?|stop|final|goal)(?:-(?:to|end|value|number|up))?$/;
const notGoal = /duration|delay|speed|from|start|step|decimal|interval|index|min|id$/;

// Calendar data: `var` or `span` elements that a script reads, with a time zone among them.

const timeZone =
  /^(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[A-Z][\w/+-]{2,40}$/;

function isCalendarDate(data: DomElement, text: string): boolean {
  return date.test(text) && calendarBox.test(data.parentElement?.getAttribute('class') ?? '');
}

const date = /^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/;

const calendarBox = /(?:^|\s)(?:atc_event|addeventatc|addtocalendar)(?:\s|$)/;

/** Adds an element and its siblings, if they include a time, and a box with only a label left. */
function addCalendarData(data: DomElement, gone: Set<DomElement>): void {
  const box = data.parentElement;
  if (box === null || !/^(?:var|span|time|div|data)$/.test(data.localName)) return;
  const alike: DomElement[] = [];
  let rest = '';
  let left = 60;
  for (let child = box.firstChild; child !== null; child = child.nextSibling) {
    if (--left < 0) return;
    if (isElement(child) && child.localName === data.localName) alike.push(child);
    else rest += (child.textContent ?? '').slice(0, 200).trim();
  }
  const isEvent = alike.length >= 3 && alike.some((one) => date.test(one.textContent ?? ''));
  if (!isEvent) return;
  if (rest.length <= 40) gone.add(box);
  else for (const one of alike) gone.add(one);
}

// Icons whose font draws a word as a picture.

const iconName = /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/;

function isIcon(element: DomElement, text: string): boolean {
  if (element.localName === 'mat-icon') return true;
  const names = element.getAttribute('class') ?? '';
  return (
    /(?:^|\s)(?:material-(?:icons|symbols)[\w-]*|mat-icon|google-symbols)(?:\s|$)/i.test(names) ||
    (text.includes('_') && /icon/i.test(names))
  );
}
