/** Pseudo-classes of forms, links and documents as HTML defines them, where css-select differs or lacks them. */
import { type DomElement, closestWhere, findElement } from './dom.ts';

/** A selector that replaces the pseudo-class, or a test; `rule` is the text in its parentheses. */
type PseudoClass = string | ((element: DomElement, rule?: string | null) => boolean);

const textTypes =
  'text search url tel email password date month week time datetime-local number'.split(' ');

/** Text inputs, which is the default type. */
const textInput = `input:is(:not([type]), [type=""], ${textTypes.map((type) => `[type=${type} i]`).join(', ')})`;

const editable = '[contenteditable]:not([contenteditable=false i], [contenteditable=inherit i])';

const noValue = ':is(:not([value]), [value=""])';

/** States that exist only while someone uses the page. */
const never =
  'focus focus-within focus-visible target target-within host modal fullscreen popover-open autofill user-valid ' +
  'user-invalid picture-in-picture playing paused seeking buffering stalled current past future';

/** For css-select, by name. */
export const pseudoClasses: Readonly<Record<string, PseudoClass>> = {
  ...Object.fromEntries(never.split(' ').map((name) => [name, (_: DomElement) => false])),
  'any-link': ':is(a, area)[href]',
  default: (element) => isDefault(element),
  defined: (element: DomElement) => !element.localName.includes('-'),
  dir: (element, rule) => directionOf(element) === (rule ?? '').trim().toLowerCase(),
  disabled: `:is(
    :is(button, input, select, textarea, fieldset, optgroup, option)[disabled],
    optgroup[disabled] > option,
    :is(button, input, select, textarea, fieldset):is(
      fieldset[disabled] > :not(legend:first-of-type),
      fieldset[disabled] > :not(legend:first-of-type) *
    )
  )`,
  'in-range': (element: DomElement) => isWithinRange(element) === true,
  indeterminate: ':is(progress:not([value]), input[type=checkbox i][indeterminate])',
  open: ':is(details, dialog)[open]',
  'out-of-range': (element: DomElement) => isWithinRange(element) === false,
  'placeholder-shown': `:is(${textInput}${noValue}, textarea:empty)[placeholder]:not([placeholder=""])`,
  'read-only': ':not(:read-write)',
  'read-write': `:is(:is(${textInput}, textarea):not([readonly], :disabled), ${editable}, ${editable} *)`,
};

/** A selected option, a checked box, and the first button that submits its form. */
function isDefault(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'option') return element.hasAttribute('selected');
  if (isSubmit(element)) {
    const form = ancestor(element, 'form');
    return form !== undefined && findElement(form, isSubmit) === element;
  }
  return (
    name === 'input' &&
    /^(?:checkbox|radio)$/.test(typeOf(element)) &&
    element.hasAttribute('checked')
  );
}

function isSubmit(element: DomElement): boolean {
  const type = typeOf(element);
  return element.localName === 'button'
    ? type !== 'button' && type !== 'reset'
    : element.localName === 'input' && (type === 'submit' || type === 'image');
}

function typeOf(element: DomElement): string {
  return (element.getAttribute('type') ?? '').toLowerCase();
}

function ancestor(element: DomElement, name: string): DomElement | undefined {
  return closestWhere(element.parentElement, ({ localName }) => localName === name);
}

/** The direction that the element or its nearest ancestor declares. */
function directionOf(element: DomElement): string {
  for (let one: DomElement | null = element; one !== null; one = one.parentElement) {
    const direction = (one.getAttribute('dir') ?? '').toLowerCase();
    if (direction === 'rtl' || direction === 'ltr') return direction;
  }
  return 'ltr';
}

/** Undefined for elements without a range. Dates and times in HTML's format sort as text. */
function isWithinRange(element: DomElement): boolean | undefined {
  const type = typeOf(element);
  const isNumber = type === 'number' || type === 'range';
  if (element.localName !== 'input') return undefined;
  if (!isNumber && !/^(?:date|month|week|time|datetime-local)$/.test(type)) return undefined;
  const [least, most, value] = ['min', 'max', 'value'].map((name) => {
    const text = element.getAttribute(name)?.trim() || undefined;
    const number = isNumber && text !== undefined ? Number(text) : undefined;
    return isNumber ? (Number.isNaN(number) ? undefined : number) : text;
  });
  if (least === undefined && most === undefined) return undefined;
  if (value === undefined) return true;
  return (least === undefined || value >= least) && (most === undefined || value <= most);
}
