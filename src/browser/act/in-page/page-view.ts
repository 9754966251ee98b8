/** Runs in a page: lists the visible elements that people use, with the text around them. */
import type { AnswerOf } from '../../actions/isolated-world.ts';

export const formSample = {
  isThere: false,
  hasCard: false,
  hasPassword: false,
  /** A multi-line text field. */
  hasMessage: false,
  /** True if the element submits it. */
  isSubmit: false,
  /** The name of its submit button. */
  submitName: '',
  /** Attributes of the form and its submit button, and hidden values such as `_method=delete`. */
  words: '',
};

/** The form of an element: all false and empty without one. */
export type ViewedForm = AnswerOf<typeof formSample>;

export const elementSample = {
  role: '',
  name: '',
  /** Its texts, one per line, which may differ from the name: visible text, attributes, alt texts. */
  texts: '',
  /** The text around it, if short. */
  near: '',
  /** The heading before it. */
  heading: '',
  /** The region around it: `dialog`, `navigation`, `form`, … */
  area: '',
  /** The name of that region. */
  areaName: '',
  tag: '',
  /** The `type` of an input or a button. */
  type: '',
  /** From robust to brittle. */
  selectors: [''],
  /** Empty for a password. */
  value: '',
  /** `checked`, `collapsed`, `disabled`, `focused`, … */
  states: [''],
  /** The texts of a list's options. */
  options: [''],
  /** Ids, classes, titles, icons and other attributes. */
  words: '',
  /** The URLs that it leads or submits to. */
  targets: '',
  form: formSample,
};

/** An element as displayed; texts are empty if it has none. */
export type ViewedElement = AnswerOf<typeof elementSample>;

export const viewSample = {
  url: '',
  title: '',
  /** The visible text. */
  text: '',
  elements: [elementSample],
  /** A text, a heading that begins with `#`, or the index of an element. */
  outline: [] as (string | number)[],
};

/** A view of a page; elements and `outline` in document order. */
export type PageView = AnswerOf<typeof viewSample>;

/** Holds the elements of a view in the page, and the view until it is taken. */
export interface HeldView {
  readonly nodes: readonly Element[];
  view: PageView | undefined;
}

/** Open shadow roots and frames of the same origin are part of it. */
export function viewPage(): HeldView {
  const mostNodes = 40_000;
  const mostElements = 1500;
  const mostText = 200_000;
  const deepest = 400;
  const roles: Readonly<Record<string, string>> = {
    a: 'link',
    button: 'button',
    summary: 'button',
    select: 'combobox',
    textarea: 'textbox',
    option: 'option',
    dialog: 'dialog',
    nav: 'navigation',
    form: 'form',
    header: 'banner',
    footer: 'contentinfo',
    main: 'main',
    aside: 'complementary',
  };
  const inputRoles: Readonly<Record<string, string>> = {
    button: 'button',
    submit: 'button',
    reset: 'button',
    image: 'button',
    checkbox: 'checkbox',
    radio: 'radio',
    range: 'slider',
    number: 'spinbutton',
    search: 'searchbox',
  };
  const usable =
    /^(?:button|link|checkbox|radio|switch|tab|menuitem(?:checkbox|radio)?|option|combobox|textbox|searchbox|slider|spinbutton|treeitem|gridcell)$/;
  const areas =
    /^(?:dialog|alertdialog|navigation|form|search|banner|contentinfo|complementary|main|region|tablist|menu|listbox|toolbar)$/;
  const headings = /^h[1-6]$/;
  const fields = /^(?:input|select|textarea)$/;
  const card =
    /\bcc-|card.{0,2}(?:number|no\b|num\b|holder)|(?:^|[^a-z])(?:cvc|cvv|csc)\d?(?:$|[^a-z])|security code|\biban\b|sort.?code|routing.?number|kartennummer|kreditkarte|pr[uü]fziffer|num[eé]ro de (?:la )?(?:carte|tarjeta|compte)|n[uú]mero d[eo] (?:cart[aã]o|tarjeta)|numero (?:della )?carta|kaartnummer|numer karty|номер карты|kart numaras[ıi]|カード番号|卡号|卡號|카드 ?번호|kortnummer|(?:stripe|adyen|braintree|paypal|klarna|checkout\.com|square(?:up|cdn))\b.*(?:card|elements|frame|field|iframe|pay)|privateStripeFrame/i;
  const focusable = /^(?:a|button|input|select|textarea|summary|iframe)$/;
  const testIds = ['data-testid', 'data-test-id', 'data-test', 'data-qa', 'data-cy'];

  // Form fields shadow properties of the form by their names.
  const getter = <T>(prototype: object, name: string) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
    return (node: object): T => get?.call(node) as T;
  };
  const childrenOf = getter<NodeListOf<ChildNode>>(Node.prototype, 'childNodes');
  const parentOf = getter<Element | null>(Node.prototype, 'parentElement');
  const shadowOf = getter<ShadowRoot | null>(Element.prototype, 'shadowRoot');
  const contentOf = getter<string | null>(Node.prototype, 'textContent');
  const tagOf = getter<string>(Element.prototype, 'localName');
  const attribute = (element: Element, name: string): string =>
    Element.prototype.getAttribute.call(element, name) ?? '';
  const query = Reflect.get(Element.prototype, 'querySelectorAll');
  const within = (element: Element, selector: string): Element[] =>
    [...query.call(element, selector)].slice(0, 500);
  const has = (element: Element, name: string): boolean =>
    Element.prototype.hasAttribute.call(element, name);
  const isInput = (element: Element): element is HTMLInputElement => tagOf(element) === 'input';
  const short = (text: string | null | undefined, most = 120): string =>
    (text ?? '').slice(0, 4000).replace(/\s+/g, ' ').trim().slice(0, most);

  const nodes: Element[] = [];
  const elements: ViewedElement[] = [];
  const outline: (string | number)[] = [];
  let text = '';
  let seen = 0;
  let heading = '';
  let active: Element | null = document.activeElement;
  for (;;) {
    const inner: Element | null | undefined =
      active?.shadowRoot?.activeElement ?? frameOf(active)?.activeElement;
    if (inner === null || inner === undefined) break;
    active = inner;
  }

  interface Surroundings {
    readonly area: string;
    readonly areaName: string;
    /** Inside of a listed element. */
    readonly isInside: boolean;
    readonly isClickable: boolean;
    /** Before the selectors inside of a frame. */
    readonly frame: string;
  }

  const walk = (node: Node, around: Surroundings, depth: number): void => {
    if (++seen > mostNodes || depth > deepest) return;
    if (node.nodeType === Node.TEXT_NODE) {
      const own = short(contentOf(node), 2000);
      if (own === '' || text.length > mostText) return;
      text += `${own} `;
      if (!around.isInside) outline.push(own);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const element = node as Element;
    const tag = tagOf(element);
    if (/^(?:script|style|template|noscript|head|svg)$/.test(tag)) return;
    const { display, visibility, opacity, cursor } = getComputedStyle(element);
    const isToggle = isInput(element) && /^(?:checkbox|radio|file)$/.test(element.type);
    const isLabelled = isToggle && (element.labels?.length ?? 0) > 0;
    const isVisible = display === 'contents' || Element.prototype.checkVisibility.call(element);
    if (has(element, 'inert')) return;
    if (!isLabelled && (!isVisible || (opacity === '0' && !isToggle))) return;
    const role = roleOf(element);
    const isPointed = cursor === 'pointer' && !around.isClickable && !around.isInside;
    const isUsable =
      (visibility === 'visible' || isLabelled) &&
      (usable.test(role) || isPlainlyUsable(element) || (isPointed && !hasUsable(element)));
    const target = isUsable ? visiblePart(element, isLabelled) : undefined;
    const isListed = target !== undefined && elements.length < mostElements;
    if (isListed) {
      outline.push(elements.length);
      nodes.push(element);
      elements.push(described(element, role === '' ? 'button' : role, around));
    }
    if (headings.test(tag) || role === 'heading') {
      heading = short(contentOf(element));
      if (heading !== '' && !around.isInside) outline.push(`# ${heading}`);
    }
    const isArea = areas.test(role) && (role !== 'form' || nameOf(element, role) !== '');
    const inside: Surroundings = {
      ...around,
      ...(isArea ? { area: role, areaName: areaNameOf(element, role) } : {}),
      isInside: around.isInside || isListed || headings.test(tag),
      isClickable: around.isClickable || cursor === 'pointer',
    };
    if (tag === 'select' || tag === 'textarea') return;
    const frame = frameOf(element);
    if (frame !== undefined) {
      const name = attribute(element, 'name') || attribute(element, 'id') || pathOf(element);
      const body = frame.body as HTMLElement | null;
      const inFrame = { ...inside, frame: `${around.frame}frame ${name} >> ` };
      if (body !== null) walk(body, inFrame, depth + 1);
      return;
    }
    const shadow = shadowOf(element);
    const children =
      shadow !== null
        ? childrenOf(shadow)
        : tag === 'slot' && (element as HTMLSlotElement).assignedNodes().length > 0
          ? (element as HTMLSlotElement).assignedNodes()
          : childrenOf(element);
    for (const child of children) walk(child, inside, depth + 1);
  };
  const whole = document.body as HTMLElement | null;
  if (whole !== null) {
    const outside = { area: '', areaName: '', isInside: false, isClickable: false, frame: '' };
    walk(whole, outside, 0);
    // Keys go to the focused element, even if it is not visible.
    if (active !== null && !nodes.includes(active) && focusable.test(tagOf(active))) {
      nodes.push(active);
      elements.push(described(active, roleOf(active) || 'button', outside));
    }
  }
  const view = {
    url: location.href.slice(0, 2000),
    title: short(document.title, 200),
    text: text.slice(0, mostText),
    elements,
    outline,
  };
  return { nodes, view };

  function frameOf(element: Element | null): Document | undefined {
    if (element === null || !/^i?frame$/.test(tagOf(element))) return undefined;
    try {
      return (element as HTMLIFrameElement).contentDocument ?? undefined;
    } catch {
      return undefined;
    }
  }

  function roleOf(element: Element): string {
    const given = attribute(element, 'role').trim().split(/\s+/)[0]?.toLowerCase() ?? '';
    if (given !== '' && given !== 'none' && given !== 'presentation') return given;
    const tag = tagOf(element);
    if (tag === 'a') return has(element, 'href') ? 'link' : '';
    if (isInput(element)) return inputRoles[element.type] ?? 'textbox';
    if (/^(?:|true|plaintext-only)$/.test(attribute(element, 'contenteditable'))) {
      if (has(element, 'contenteditable')) return 'textbox';
    }
    return Object.hasOwn(roles, tag) ? (roles[tag] ?? '') : '';
  }

  function isPlainlyUsable(element: Element): boolean {
    if (tagOf(element) === 'option') return false;
    return has(element, 'onclick') || /^\d/.test(attribute(element, 'tabindex'));
  }

  /** A card around links is not used itself. */
  function hasUsable(element: Element): boolean {
    return (
      within(element, 'a[href],button,input,select,textarea,summary,[role],[tabindex]').length > 0
    );
  }

  /** The part that a pointer can hit, if any. */
  function visiblePart(element: Element, isLabelled: boolean): Element | undefined {
    if (isInput(element) && element.type === 'hidden') return undefined;
    const candidates: Element[] = [element];
    if (isLabelled) candidates.push(...((element as HTMLInputElement).labels ?? []));
    return candidates.find((one) => {
      const { width, height } = one.getBoundingClientRect();
      return width > 1 && height > 1 && one.checkVisibility({ visibilityProperty: true });
    });
  }

  function nameOf(element: Element, role: string): string {
    const root = Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
    const labels = attribute(element, 'aria-labelledby').split(/\s+/).filter(Boolean).slice(0, 5);
    const labelled = labels.map((id) => contentOf(root.getElementById(id) ?? new Text()) ?? '');
    const isField = fields.test(tagOf(element));
    const own = [
      labelled.join(' '),
      attribute(element, 'aria-label'),
      ...(isField ? fieldNames(element as HTMLInputElement) : []),
      ...(isField || areas.test(role) ? [] : [contentText(element)]),
      attribute(element, 'title'),
      attribute(element, 'alt'),
    ];
    return short(own.find((one) => short(one) !== ''));
  }

  function fieldNames(field: HTMLInputElement): string[] {
    const labels = [...(field.labels ?? [])].map((label) => labelText(label));
    const isButton = /^(?:submit|button|reset)$/.test(field.type);
    const usual = field.type === 'submit' ? 'Submit' : '';
    return [
      ...(isButton ? [field.value || usual] : []),
      labels.join(' '),
      attribute(field, 'placeholder'),
    ];
  }

  /** Without the options of a list inside of it. */
  function labelText(label: Element): string {
    const inside = within(label, 'select,textarea').map((one) => contentOf(one) ?? '');
    return inside.reduce((all, one) => all.replace(one, ' '), contentOf(label) ?? '');
  }

  /** The displayed text, alt texts, or the text in its shadow root. */
  function contentText(element: Element): string {
    const visible = (element as Partial<HTMLElement>).innerText ?? contentOf(element) ?? '';
    if (short(visible) !== '') return visible;
    const pictures = within(element, 'img[alt],svg title,[aria-label]');
    const texts = pictures.map(
      (one) => attribute(one, 'alt') || attribute(one, 'aria-label') || contentOf(one),
    );
    const shadow = shadowOf(element);
    return (
      short(texts.join(' ')) ||
      [...(shadow?.querySelectorAll(':not(style)') ?? [])]
        .slice(0, 20)
        .map((one) => (one.childElementCount === 0 ? contentOf(one) : ''))
        .join(' ')
    );
  }

  /** Everything that names it for some reader, including a parent element that a click reaches. */
  function textsOf(element: Element): string[] {
    const outer = parentOf(element)?.closest(
      'a[href],button,label,summary,[role=button],[onclick]',
    );
    const around = [outer ?? []].flat().flatMap((one) => [innerText(one), attribute(one, 'title')]);
    const pictures = within(element, 'img,svg title,[aria-label],[title]').slice(0, 5);
    const isButton = /^(?:button|submit|reset|image)$/.test(attribute(element, 'type'));
    const labels = isInput(element) ? [...(element.labels ?? [])].map(labelText) : [];
    const texts = [
      innerText(element),
      ...['aria-label', 'title', 'alt', 'aria-description', 'data-tooltip', 'data-confirm'].map(
        (name) => attribute(element, name),
      ),
      isButton ? attribute(element, 'value') : '',
      ...labels,
      ...pictures.flatMap((one) => [
        attribute(one, 'alt') || attribute(one, 'aria-label') || attribute(one, 'title'),
        tagOf(one) === 'title' ? contentOf(one) : '',
      ]),
      ...[element, ...within(element, 'span,i,b').slice(0, 3)].map(generatedText),
      ...around.filter((text) => text.length < 80),
    ];
    return [...new Set(texts.map((text) => short(text, 300)))].filter((text) => text !== '');
  }

  function innerText(element: Element): string {
    return (element as Partial<HTMLElement>).innerText ?? '';
  }

  /** Of `::before` and `::after`. */
  function generatedText(element: Element): string {
    return ['::before', '::after']
      .map((part) => /^"(.*)"$/.exec(getComputedStyle(element, part).content)?.[1] ?? '')
      .join(' ');
  }

  /** The text of the largest surrounding box that has little more text. */
  function textNear(element: Element): string {
    let near = '';
    let at = parentOf(element);
    for (let level = 0; level < 5 && at !== null; level++) {
      const around = contentOf(at) ?? '';
      if (around.length > 2000) break;
      const wider = short(innerText(at), 300);
      if (wider.length > 250) break;
      near = wider;
      if (/^(?:dialog|form|fieldset|li|tr|article|section|main|body)$/.test(tagOf(at))) break;
      at = parentOf(at);
    }
    return near;
  }

  /** The link targets of the element and of its parents, and the target of its form. */
  function targetsOf(element: Element): string[] {
    const outer = parentOf(element)?.closest('a[href],[formaction]');
    return [element, outer ?? []]
      .flat()
      .flatMap((one) => [
        ...['href', 'xlink:href', 'formaction', 'data-href', 'data-url'].map((name) =>
          attribute(one, name),
        ),
      ])
      .filter((url) => url !== '');
  }

  function areaNameOf(element: Element, role: string): string {
    const own = nameOf(element, role);
    const title = within(element, 'h1,h2,h3,h4,legend,[role=heading]')[0];
    return own !== '' || title === undefined ? own : short(contentOf(title));
  }

  function described(element: Element, role: string, around: Surroundings): ViewedElement {
    const name = nameOf(element, role);
    return {
      role,
      name,
      texts: textsOf(element).join('\n'),
      near: textNear(element),
      heading,
      area: around.area,
      areaName: around.areaName,
      tag: tagOf(element),
      type: short(attribute(element, 'type')).toLowerCase(),
      selectors: selectorsOf(element, { role, name }).map((one) => around.frame + one),
      value: valueOf(element),
      states: statesOf(element),
      options: tagOf(element) === 'select' ? optionsOf(element as HTMLSelectElement) : [],
      words: wordsOf(element),
      targets: short(targetsOf(element).join(' '), 500),
      form: formOf(element),
    };
  }

  function selectorsOf(element: Element, { role, name }: { role: string; name: string }): string[] {
    const tag = tagOf(element);
    const id = attribute(element, 'id');
    const own = short((element as Partial<HTMLElement>).innerText);
    const quoted = (value: string): string => JSON.stringify(value);
    return [
      ...testIds.flatMap((one) => {
        const value = attribute(element, one);
        return value === '' ? [] : [`[${one}=${quoted(short(value))}]`];
      }),
      // Generated ids change with each build.
      ...(/^[a-z][a-z_-]*\d{0,2}$/i.test(id) ? [`#${id}`] : []),
      ...(fields.test(tag) && attribute(element, 'name') !== ''
        ? [`${tag}[name=${quoted(short(attribute(element, 'name')))}]`]
        : []),
      ...(name === '' ? [] : [`role=${role}[name=${quoted(name)}]`]),
      ...(own === '' || fields.test(tag) ? [] : [`text=${quoted(own)}`]),
      pathOf(element),
    ];
  }

  /** A path of positions, from the nearest element with an id. */
  function pathOf(element: Element): string {
    const parts: string[] = [];
    let at: Element | null = element;
    while (at !== null && parts.length < 8) {
      const id: string = attribute(at, 'id');
      if (at !== element && /^[a-z][a-z_-]*$/i.test(id)) {
        parts.unshift(`#${id}`);
        break;
      }
      const tag: string = tagOf(at);
      const parent: Element | null = parentOf(at);
      const children = parent === null ? [] : [...childrenOf(parent)];
      const same = children.filter(
        (one) => one.nodeType === Node.ELEMENT_NODE && tagOf(one as Element) === tag,
      );
      parts.unshift(same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(at) + 1})` : tag);
      at = parent;
    }
    const root = element.getRootNode();
    const host = root instanceof ShadowRoot ? `${pathOf(root.host)} >> ` : '';
    return (host + parts.join(' > ')).slice(-500);
  }

  function valueOf(element: Element): string {
    if (!fields.test(tagOf(element))) return '';
    const { type, value } = element as HTMLInputElement;
    if (/^(?:password|checkbox|radio|submit|button|reset|image|file)$/.test(type)) return '';
    if (tagOf(element) !== 'select') return short(value);
    return short((element as unknown as HTMLSelectElement).selectedOptions[0]?.label);
  }

  function optionsOf(list: HTMLSelectElement): string[] {
    return Array.prototype.slice
      .call(list.options, 0, 60)
      .map((one: HTMLOptionElement) => short(one.label, 60));
  }

  function statesOf(element: Element): string[] {
    const states: string[] = [];
    const pair = (value: string, yes: string, no: string): void => {
      if (value === 'true' || value === 'false') states.push(value === 'true' ? yes : no);
    };
    if (isInput(element) && /^(?:checkbox|radio)$/.test(element.type)) {
      states.push(element.checked ? 'checked' : 'unchecked');
    } else pair(attribute(element, 'aria-checked'), 'checked', 'unchecked');
    const details = tagOf(element) === 'summary' ? parentOf(element) : null;
    if (details !== null && tagOf(details) === 'details') {
      states.push(details.hasAttribute('open') ? 'expanded' : 'collapsed');
    } else pair(attribute(element, 'aria-expanded'), 'expanded', 'collapsed');
    pair(attribute(element, 'aria-selected'), 'selected', 'unselected');
    pair(attribute(element, 'aria-pressed'), 'pressed', 'unpressed');
    const isOff = Element.prototype.matches.call(element, ':disabled');
    if (isOff || attribute(element, 'aria-disabled') === 'true') states.push('disabled');
    if (isInput(element) && element.type === 'password' && element.value !== '')
      states.push('filled');
    if (element === active) states.push('focused');
    return states;
  }

  /** Attribute values that state what an element is for. */
  function wordsOf(element: Element): string {
    const inside = within(element, 'svg,use,i,img').slice(0, 5);
    const values = [element, ...inside].flatMap((one) =>
      [...Element.prototype.getAttributeNames.call(one)]
        .filter((name) =>
          /^(?:id|class|name|title|value|icon|alt|src|onclick|formaction|data-.+|(?:xlink:)?href)$/.test(
            name,
          ),
        )
        .filter(
          (name) => name !== 'value' || /^(?:submit|button|image)$/.test(attribute(one, 'type')),
        )
        .slice(0, 12)
        .map((name) => attribute(one, name).slice(0, 200)),
    );
    return short(values.join(' '), 500);
  }

  function formOf(element: Element): ViewedForm {
    const form = ownerOf(element) ?? element.closest('form');
    if (form === null) {
      const has = { hasCard: false, hasPassword: false, hasMessage: false };
      return { isThere: false, ...has, isSubmit: false, submitName: '', words: '' };
    }
    const root = Node.prototype.getRootNode.call(form) as Document | ShadowRoot;
    const id = attribute(form, 'id');
    const buttons = 'button:not([type=button],[type=reset]),input[type=submit],input[type=image]';
    const own = within(form, buttons).filter((one) => [null, form].includes(ownerOf(one)));
    const apart = [...root.querySelectorAll(buttons)].filter(
      (one) => id !== '' && attribute(one, 'form') === id,
    );
    const submits = [...new Set([...own, ...apart])];
    const submit = submits[0];
    const inputs = within(form, 'input,select,textarea,iframe').slice(0, 60);
    const written = inputs.flatMap((one) =>
      attribute(one, 'type') === 'hidden'
        ? /^(?:_method|action|do|op|cmd|intent|mode|task|event|type|purpose)$/i.test(
            attribute(one, 'name'),
          )
          ? [attribute(one, 'value')]
          : []
        : [attribute(one, 'name'), attribute(one, 'id')],
    );
    const labelled = inputs.map((one) =>
      [
        ...['name', 'id', 'autocomplete', 'placeholder', 'aria-label', 'title'].map((name) =>
          attribute(one, name),
        ),
        tagOf(one) === 'iframe' ? attribute(one, 'src') : '',
        ...[...((one as Partial<HTMLInputElement>).labels ?? [])].map((label) =>
          short(contentOf(label)),
        ),
      ].join(' '),
    );
    const hasField = (selector: string): boolean => within(form, selector).length > 0;
    const sent = ['action', 'id', 'class', 'name', 'aria-label', 'method'].map((name) =>
      attribute(form, name),
    );
    const reached = element.closest(buttons) ?? element;
    const handlers = ['onclick', 'onchange', 'oninput'].map((name) => attribute(element, name));
    return {
      isThere: true,
      hasCard: labelled.some((text) => card.test(text)),
      hasPassword: hasField('input[type=password]'),
      hasMessage: hasField('textarea,[contenteditable]'),
      isSubmit: submits.includes(reached) || /submit\(/i.test(handlers.join(' ')),
      submitName: submit === undefined ? '' : nameOf(submit, 'button'),
      words: short(
        [...sent, ...written, submit === undefined ? '' : wordsOf(submit)].join(' '),
        1000,
      ),
    };
  }

  /** The form that an element belongs to, which need not be an ancestor. */
  function ownerOf(element: Element): Element | null {
    const { form } = element as Partial<HTMLInputElement>;
    const isOwned = tagOf(element) !== 'form' && form !== null && form !== undefined;
    return isOwned && tagOf(form) === 'form' ? form : null;
  }
}
