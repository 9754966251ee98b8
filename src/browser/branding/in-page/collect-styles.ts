/**
 * Functions that run in the page, in an isolated world: they collect computed styles of visible
 * elements. Properties of nodes are read from the prototypes, because `<input name="children">`
 * hides the `children` of its form.
 */
import type {
  BoxRecord,
  ControlRecord,
  FontRecord,
  ControlStyle,
  PageRegion,
  styleLimits,
  StyleRecords,
} from '../page-records.ts';

/** The records, and the elements of `boxes` in the same order, held in the page. */
export interface HeldStyles {
  readonly records: StyleRecords;
  readonly elements: readonly Element[];
}

export function collectStyles(limits: typeof styleLimits): HeldStyles {
  /** The values that an element passes on to its children. */
  interface Context {
    readonly parent: number;
    readonly clip: Clip;
    readonly opacity: number;
    readonly layer: number;
    /** The effect of one z-index step; smaller in each stacking context. */
    readonly step: number;
    readonly region: PageRegion | 'section';
    readonly heading: number;
    readonly isCode: boolean;
    readonly link: number;
    readonly hasText: boolean;
    readonly mood: BoxRecord['mood'];
  }
  interface Clip {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  }

  const started = performance.now();
  const root = Reflect.get(Document.prototype, 'documentElement', document);
  const width = Math.min(Reflect.get(Element.prototype, 'clientWidth', root), 4096);
  const pageHeight = Reflect.get(Element.prototype, 'scrollHeight', root);
  const height = Math.min(pageHeight, limits.height);
  const [scrollX, scrollY] = [window.scrollX, window.scrollY];
  const patterns = {
    foreign: new RegExp(`${limits.consent}|${limits.advertisement}`, 'i'),
    header: /(^|[\s_-])(site-?header|masthead|top-?bar|navbar|page-header|header)([\s_-]|$)/i,
    footer: /(^|[\s_-])(site-?footer|page-footer|footer)([\s_-]|$)/i,
    moods: [
      ['success', new RegExp(limits.success, 'i')],
      ['warning', new RegExp(limits.warning, 'i')],
      ['error', new RegExp(limits.error, 'i')],
    ] as const,
  };
  const colors = new Map<string, number>();
  const fonts = new Map<string, number>();
  const fontRecords: FontRecord[] = [];
  const distances = new Map<number, number>();
  const boxes: BoxRecord[] = [];
  const elements: Element[] = [];
  let looked = 0;
  let isCut = pageHeight > height;

  const attribute = (element: Element, name: string): string =>
    (Element.prototype.getAttribute.call(element, name) ?? '').slice(0, 200);
  const pixels = (css: string): number => Math.round((Number.parseFloat(css) || 0) * 100) / 100;
  const colorIndex = (css: string): number => {
    // The one computed value of a transparent colour; modern syntaxes are converted later.
    if (css === 'rgba(0, 0, 0, 0)' || css === '' || css.length > 200) return -1;
    const index = colors.get(css) ?? (colors.size < 2000 ? colors.size : -1);
    if (index >= 0) colors.set(css, index);
    return index;
  };
  const fontIndex = (style: CSSStyleDeclaration): number => {
    const stack = style.fontFamily.slice(0, 300);
    const size = pixels(style.fontSize);
    const weight = pixels(style.fontWeight);
    const lineHeight = pixels(style.lineHeight);
    const key = `${stack}|${size}|${weight}|${lineHeight}`;
    const index = fonts.get(key) ?? fontRecords.length;
    if (index === fontRecords.length) {
      if (index >= 1000) return 0;
      fonts.set(key, index);
      fontRecords.push({ stack, size, weight, lineHeight });
    }
    return index;
  };
  const ownCharacters = (element: Element): number => {
    let count = 0;
    let node = Reflect.get(Node.prototype, 'firstChild', element);
    for (let seen = 0; node !== null && seen < 200; seen++) {
      if (node instanceof Text) count += node.data.slice(0, 10_000).trim().length;
      node = node.nextSibling;
    }
    return Math.min(count, 20_000);
  };
  const childrenOf = (element: Element): (() => Element | null) => {
    const shadow = Reflect.get(Element.prototype, 'shadowRoot', element);
    if (element instanceof HTMLSlotElement) {
      const assigned = element.assignedElements().slice(0, limits.elements);
      if (assigned.length > 0) return () => assigned.shift() ?? null;
    }
    let next =
      shadow === null
        ? Reflect.get(Element.prototype, 'firstElementChild', element)
        : shadow.firstElementChild;
    return () => {
      const child = next;
      if (child !== null) {
        next = Reflect.get(Element.prototype, 'nextElementSibling', child);
      }
      return child;
    };
  };
  const regionOf = (
    tag: string,
    role: string,
    names: string,
    top: number,
    inherited: Context['region'],
  ): Context['region'] => {
    if (inherited !== '') return inherited;
    if (tag === 'header' || role === 'banner') return 'header';
    if (tag === 'footer' || role === 'contentinfo') return 'footer';
    if (tag === 'main' || tag === 'article' || role === 'main') return 'main';
    if (tag === 'section' || tag === 'aside') return 'section';
    // The root's classes concern the page: "has-sticky-header".
    if (tag === 'body' || tag === 'html') return '';
    if (top < 200 && patterns.header.test(names)) return 'header';
    return patterns.footer.test(names) ? 'footer' : '';
  };
  const readElement = (element: Element, context: Context): Context | undefined => {
    const tag = Reflect.get(Element.prototype, 'localName', element).slice(0, 40);
    if (/^(script|style|template|noscript|head|link|meta|title|iframe|option)$/.test(tag)) {
      return undefined;
    }
    looked++;
    const style = getComputedStyle(element);
    if (style.display === 'none') return undefined;
    const names = `${attribute(element, 'class')} ${attribute(element, 'id')}`.trim();
    const isRoot = tag === 'html' || tag === 'body';
    if (!isRoot && patterns.foreign.test(names)) return undefined;
    if (attribute(element, 'aria-modal') === 'true') return undefined;
    const opacity = context.opacity * Number.parseFloat(style.opacity || '1');
    if (opacity < 0.1) return undefined;

    const rect = Element.prototype.getBoundingClientRect.call(element);
    const isFixed = style.position === 'fixed';
    const full: Clip = {
      left: rect.left + scrollX,
      top: rect.top + scrollY,
      right: rect.right + scrollX,
      bottom: rect.bottom + scrollY,
    };
    const around = isFixed ? pageClip : context.clip;
    const seen: Clip = {
      left: Math.max(full.left, around.left),
      top: Math.max(full.top, around.top),
      right: Math.min(full.right, around.right),
      bottom: Math.min(full.bottom, around.bottom),
    };
    const isClipping = style.overflowX !== 'visible' && style.display !== 'contents' && !isRoot;
    const isPositioned = style.position !== 'static';
    const zIndex = Number.parseInt(style.zIndex, 10);
    const isStacking = !Number.isNaN(zIndex);
    const shift = isStacking ? Math.max(-2000, Math.min(2000, zIndex)) : 0;
    const layer = context.layer + (shift + (isPositioned && shift === 0 ? 0.5 : 0)) * context.step;
    const role = attribute(element, 'role');
    const region = regionOf(tag, role, names, full.top, context.region);
    const level = /^h([1-6])$/.exec(tag)?.[1];
    const characters = ownCharacters(element);
    const isLink = tag === 'a' && Element.prototype.hasAttribute.call(element, 'href');
    const named = patterns.moods.find(([, pattern]) => pattern.test(names))?.[0] ?? '';
    const next: Omit<Context, 'parent'> = {
      clip: isClipping ? seen : isFixed ? pageClip : context.clip,
      opacity,
      layer,
      step: isStacking ? context.step / 4096 : context.step,
      region,
      heading: level === undefined ? context.heading : Number(level),
      isCode: context.isCode || /^(code|pre|kbd|samp)$/.test(tag),
      link: isLink ? (context.hasText ? 2 : 1) : context.link,
      hasText: characters > 0,
      mood: context.mood || named,
    };
    const [wide, high] = [seen.right - seen.left, seen.bottom - seen.top];
    const isVisible = style.visibility === 'visible' && wide > 1 && high > 1;
    if (!isVisible) return { ...next, parent: context.parent };

    for (const name of ['padding-top', 'padding-left', 'margin-top', 'margin-bottom', 'row-gap']) {
      const value = pixels(style.getPropertyValue(name));
      if (value > 0 && (distances.has(value) || distances.size < 200)) {
        distances.set(value, (distances.get(value) ?? 0) + 1);
      }
    }
    const borders = ['top', 'right', 'bottom', 'left'].map((side) => {
      const get = (name: string): string => style.getPropertyValue(`border-${side}-${name}`);
      return { color: get('color'), isDrawn: get('style') !== 'none', size: pixels(get('width')) };
    });
    const drawn = borders.filter(({ isDrawn, size }) => isDrawn && size > 0);
    const border = drawn.length > 0 ? colorIndex(drawn[0]?.color ?? '') : -1;
    const lengths = [wide, high, wide, high];
    const borderArea = borders.reduce(
      (sum, { isDrawn, size }, side) => sum + (isDrawn ? size * (lengths[side] ?? 0) : 0),
      0,
    );
    const isText = style.backgroundClip === 'text';
    const isReplaced =
      /^(img|picture|video|canvas|object|embed)$/.test(tag) || (tag === 'svg' && high > 64);
    const image = style.backgroundImage;
    // A picture without repetition and scaling is an icon on a flat colour.
    const isIcon =
      style.backgroundRepeat === 'no-repeat' && !/cover|contain|100%/.test(style.backgroundSize);
    let picture = isReplaced && tag !== 'picture' ? 'image' : '';
    if (!isText && image.includes('url(') && !isIcon) picture = 'image';
    else if (!isText && image.includes('gradient(')) picture = image.slice(0, 300);
    const background = isText ? -1 : colorIndex(style.backgroundColor);
    const isWritten = characters > 0 && pixels(style.textIndent) > -500 && !isText;
    const isDrawing = tag === 'svg' || image.includes('url(') || picture !== '';
    const isPainting = background >= 0 || border >= 0 || isDrawing || isWritten || isRoot;
    if (!isPainting) return { ...next, parent: context.parent };
    elements.push(element);
    boxes.push({
      parent: context.parent,
      tag,
      x: seen.left,
      y: seen.top,
      width: wide,
      height: high,
      layer,
      opacity,
      background,
      picture,
      color: isWritten ? colorIndex(style.color) : -1,
      characters: isWritten ? characters : 0,
      font: fontIndex(style),
      border,
      borderArea,
      radius: style.borderTopLeftRadius.includes('%') ? 0 : pixels(style.borderTopLeftRadius),
      region: region === 'section' ? '' : region,
      heading: next.heading,
      isCode: next.isCode,
      link: next.link,
      mood: next.mood,
    });
    return tag === 'svg' ? undefined : { ...next, parent: boxes.length - 1 };
  };

  const pageClip: Clip = { left: 0, top: 0, right: width, bottom: height };
  const top: Context = {
    parent: -1,
    clip: pageClip,
    opacity: 1,
    layer: 0,
    step: 1,
    region: '',
    heading: 0,
    isCode: false,
    link: 0,
    hasText: false,
    mood: '',
  };
  const first = readElement(root, top);
  const trail = first === undefined ? [] : [{ next: childrenOf(root), context: first }];
  for (let frame = trail.at(-1); frame !== undefined; frame = trail.at(-1)) {
    const child = frame.next();
    if (child === null) {
      trail.pop();
      continue;
    }
    if (looked >= limits.elements || performance.now() - started > limits.time) {
      isCut = true;
      break;
    }
    const context = readElement(child, frame.context);
    if (context !== undefined) trail.push({ next: childrenOf(child), context });
  }

  const meta = Reflect.get(Document.prototype, 'querySelector').call(
    document,
    'meta[name="color-scheme" i]',
  );
  const ownScheme = getComputedStyle(root).colorScheme;
  const records: StyleRecords = {
    prefersDark: matchMedia('(prefers-color-scheme: dark)').matches,
    declaredScheme:
      ownScheme === 'normal' && meta !== null ? attribute(meta, 'content') : ownScheme,
    width,
    height,
    isCut,
    colors: [...colors.keys()],
    fonts: fontRecords,
    boxes,
    distances: [...distances],
  };
  return { records, elements };
}

// Runs in the page: finds the buttons and text fields among the held elements.

/** At most `limit` controls, in document order. */
export function findControls({ elements }: HeldStyles, limit: number): ControlRecord[] {
  const attribute = (element: Element, name: string): string =>
    (Element.prototype.getAttribute.call(element, name) ?? '').slice(0, 200);
  const pixels = (css: string): number => Number.parseFloat(css) || 0;
  /** The text of a small element, or the beginning of a long text. */
  const labelOf = (element: Element): string => {
    const walker = Document.prototype.createTreeWalker.call(document, element, 4);
    let text = '';
    for (let seen = 0; seen < 20 && text.length <= 200 && walker.nextNode() !== null; seen++) {
      if (walker.currentNode instanceof Text) text += walker.currentNode.data.slice(0, 300);
    }
    return text.replace(/\s+/g, ' ').trim();
  };
  const isButtonLike = (element: Element): boolean => {
    const style = getComputedStyle(element);
    if (style.display === 'inline') return false;
    const isPainted =
      style.backgroundColor !== 'rgba(0, 0, 0, 0)' || style.backgroundImage !== 'none';
    const isFramed = [style.borderTopWidth, style.borderRightWidth, style.borderLeftWidth].every(
      (size) => pixels(size) > 0,
    );
    if (!isPainted && !isFramed) return false;
    const { width, height } = Element.prototype.getBoundingClientRect.call(element);
    const fits = height >= 20 && height <= 90 && width <= 500 && pixels(style.paddingLeft) >= 6;
    return fits && labelOf(element).length <= 40;
  };
  const kindOf = (element: Element, tag: string): ControlRecord['kind'] | undefined => {
    if (tag === 'textarea' || tag === 'select') return 'input';
    if (tag === 'input') {
      const type = attribute(element, 'type').toLowerCase();
      if (/^(submit|button|reset)$/.test(type)) return 'button';
      return /^(hidden|checkbox|radio|range|color|file|image)$/.test(type) ? undefined : 'input';
    }
    if (tag === 'button' || attribute(element, 'role') === 'button') return 'button';
    return tag === 'a' && isButtonLike(element) ? 'button' : undefined;
  };

  const controls: ControlRecord[] = [];
  for (const [box, element] of elements.entries()) {
    if (controls.length >= limit) break;
    const tag = Reflect.get(Element.prototype, 'localName', element);
    const kind = kindOf(element, tag);
    if (kind === undefined) continue;
    const names = `${attribute(element, 'class')} ${attribute(element, 'id')}`;
    controls.push({
      kind,
      box,
      label: (tag === 'input' ? attribute(element, 'value') : labelOf(element)).slice(0, 60),
      names: names.trim().toLowerCase().slice(0, 200),
      isDisabled: Element.prototype.matches.call(element, ':disabled, [aria-disabled=true]'),
    });
  }
  return controls;
}

// Runs in the page: the computed styles of some of the held elements.

export function readControlStyles(
  { elements }: HeldStyles,
  indexes: readonly number[],
): (ControlStyle | null)[] {
  const pixels = (css: string): number => Math.round((Number.parseFloat(css) || 0) * 100) / 100;
  const sides = ['top', 'right', 'bottom', 'left'];
  const corners = ['top-left', 'top-right', 'bottom-right', 'bottom-left'];

  return indexes.map((index) => {
    const element = elements[index];
    if (element === undefined) return null;
    // A running transition has an intermediate colour; inside shadow roots the style sheet against
    // transitions has no effect.
    for (const animation of Element.prototype.getAnimations.call(element)) {
      if (animation instanceof CSSTransition) animation.finish();
    }
    const style = getComputedStyle(element);
    const get = (name: string): string => style.getPropertyValue(name).slice(0, 300);
    const { width, height } = Element.prototype.getBoundingClientRect.call(element);
    const radius = (css: string): number =>
      css.includes('%')
        ? Math.round((Number.parseFloat(css) / 100) * Math.min(width, height))
        : pixels(css);
    return {
      background: get('background-color'),
      backgroundImage: get('background-image'),
      color: get('color'),
      opacity: Number.parseFloat(get('opacity')),
      borders: sides.map((side) => [
        get(`border-${side}-color`),
        get(`border-${side}-style`),
        pixels(get(`border-${side}-width`)),
      ]),
      radii: corners.map((corner) => radius(get(`border-${corner}-radius`))),
      shadow: get('box-shadow'),
      outline: [get('outline-color'), get('outline-style'), pixels(get('outline-width'))],
      padding: sides.map((side) => pixels(get(`padding-${side}`))),
      fontStack: get('font-family'),
      fontSize: pixels(get('font-size')),
      fontWeight: Number.parseFloat(get('font-weight')),
    };
  });
}

// Run in the page: the plain part of what it holds, and one of the elements.

export function heldRecords({ records }: HeldStyles): StyleRecords {
  return records;
}

export function heldElement({ elements }: HeldStyles, index: number): Element {
  const element = elements[index];
  if (element === undefined) throw new Error(`no element ${index}`);
  return element;
}

// Runs in the page: its size.

/** The number of elements of the document, without shadow roots. */
export function countElements(): number {
  return Reflect.get(Document.prototype, 'getElementsByTagName').call(document, '*').length;
}
