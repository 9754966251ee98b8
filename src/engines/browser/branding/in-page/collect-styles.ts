/**
 * Runs in the page, in a world of its own: what each visible element paints. Properties of nodes are
 * read from the prototypes, because `<input name="children">` hides those of its form.
 */
import type { BoxRecord, FontRecord, Place, StyleLimits, StyleRecords } from '../style-records.ts';

/** Gives the records, and the elements of `boxes` in the same order. */
export function collectStyles(limits: StyleLimits): {
  readonly records: StyleRecords;
  readonly elements: readonly Element[];
} {
  /** What an element hands down to those inside it. */
  interface Context {
    readonly parent: number;
    readonly clip: Clip;
    readonly opacity: number;
    readonly layer: number;
    /** How much one z-index moves; smaller in each stacking context. */
    readonly step: number;
    readonly place: Place | 'section';
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
    // Computed values say that nothing is painted in this one way; a modern syntax is looked at later.
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
  const placeOf = (
    tag: string,
    role: string,
    names: string,
    top: number,
    inherited: Context['place'],
  ): Context['place'] => {
    if (inherited !== '') return inherited;
    if (tag === 'header' || role === 'banner') return 'header';
    if (tag === 'footer' || role === 'contentinfo') return 'footer';
    if (tag === 'main' || tag === 'article' || role === 'main') return 'main';
    if (tag === 'section' || tag === 'aside') return 'section';
    // The root's classes are about the page: "has-sticky-header".
    if (tag === 'body' || tag === 'html') return '';
    if (top < 200 && patterns.header.test(names)) return 'header';
    return patterns.footer.test(names) ? 'footer' : '';
  };
  const look = (element: Element, context: Context): Context | undefined => {
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
    const place = placeOf(tag, role, names, full.top, context.place);
    const level = /^h([1-6])$/.exec(tag)?.[1];
    const characters = ownCharacters(element);
    const isLink = tag === 'a' && Element.prototype.hasAttribute.call(element, 'href');
    const named = patterns.moods.find(([, pattern]) => pattern.test(names))?.[0] ?? '';
    const next: Omit<Context, 'parent'> = {
      clip: isClipping ? seen : isFixed ? pageClip : context.clip,
      opacity,
      layer,
      step: isStacking ? context.step / 4096 : context.step,
      place,
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
    // A small picture that is not repeated is an icon on a flat colour.
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
      ...{ x: seen.left, y: seen.top, width: wide, height: high },
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
      place: place === 'section' ? '' : place,
      ...{ heading: next.heading, isCode: next.isCode, link: next.link },
      mood: next.mood,
    });
    return tag === 'svg' ? undefined : { ...next, parent: boxes.length - 1 };
  };

  const pageClip: Clip = { left: 0, top: 0, right: width, bottom: height };
  const top: Context = {
    ...{ parent: -1, clip: pageClip, opacity: 1, layer: 0, step: 1, place: '', heading: 0 },
    ...{ isCode: false, link: 0, hasText: false, mood: '' },
  };
  const first = look(root, top);
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
    const context = look(child, frame.context);
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
    ...{ width, height, isCut },
    colors: [...colors.keys()],
    fonts: fontRecords,
    boxes,
    distances: [...distances],
  };
  return { records, elements };
}
