/** Runs in a page: finds the elements that readers do not see, as computed by the browser. */

import type { UnseenElements } from '../../../../core/model/snapshot.ts';

/**
 * Finds nothing, with `elements: 0`, on a page with more elements, which would take seconds, and on one whose
 * style sheets did not load: elements that they hide would count as visible.
 */
export function findHidden(maxElements: number): UnseenElements {
  const hidden: string[] = [];
  const faded: string[] = [];
  const illegible: string[] = [];
  // A form's inputs shadow its methods by their names, in every world.
  const elementsIn = (scope: Document | Element): ArrayLike<Element> => {
    const { prototype } = scope instanceof Document ? Document : Element;
    return Reflect.get(prototype, 'querySelectorAll').call(scope, '*');
  };
  const all = elementsIn(document);
  if (all.length > maxElements || isUnstyled()) return { elements: 0, hidden, faded, illegible };
  const transparent = 'rgba(0, 0, 0, 0)';
  /** The last element in one that does not scroll with the page. */
  let lastFixed = -1;
  for (let at = 0; at < all.length; at += 1) {
    const element = all[at];
    if (!(element instanceof Element) || isOutsideOfBody(element)) continue;
    const style = getComputedStyle(element);
    const mark = `${at} ${element.localName}`;
    const box = Element.prototype.getBoundingClientRect.call(element);
    const isHidden = isWithoutBox(element, style, box);
    if (isHidden || Number(style.opacity) <= 0.05) {
      const isBelow = !isHidden && box.top > innerHeight;
      (isBelow ? faded : hidden).push(mark);
      if (!isBelow) at += elementsIn(element).length;
      continue;
    }
    if (style.position === 'fixed')
      lastFixed = Math.max(lastFixed, at + elementsIn(element).length);
    const text = ownText(element);
    if (text === undefined) continue;
    if (at <= lastFixed && isOutsideOfWindow(text)) illegible.push(mark);
    else if (isIllegible(element, style, text)) illegible.push(mark);
  }
  return { elements: all.length, hidden, faded, illegible };

  /** Style sheets that failed to load are known once the page is complete. */
  function isUnstyled(): boolean {
    if (document.readyState === 'complete') return false;
    for (let at = 0; at < all.length; at += 1) {
      const link = all[at];
      if (!(link instanceof HTMLLinkElement) || !link.relList.contains('stylesheet')) continue;
      if (link.sheet === null && !link.disabled && matchMedia(link.media).matches) return true;
    }
    return false;
  }

  function isOutsideOfBody(element: Element): boolean {
    const body = Reflect.get(Document.prototype, 'body', document) as Node | null;
    return body === null || body === element || !Node.prototype.contains.call(body, element);
  }

  function isWithoutBox(element: Element, style: CSSStyleDeclaration, box: DOMRect): boolean {
    if (/^(?:none|table-column|table-column-group)$/.test(style.display)) return true;
    if (style.contentVisibility === 'hidden') return true;
    if (isClippedAway(style.clipPath, box) || isMaskedOut(style)) return true;
    const isOutOfFlow = style.position === 'absolute' || style.position === 'fixed';
    if (isOutOfFlow && /^rect\((?:[01]px,? ?){4}\)$/.test(style.getPropertyValue('clip')))
      return true;
    if (!(element instanceof HTMLElement) || style.display === 'contents') return false;
    const { offsetWidth, offsetHeight, clientWidth, clientHeight } = element;
    const isFlat = box.width < 1 || box.height < 1;
    if (isFlat && offsetWidth > 2 && offsetHeight > 2) return true;
    const isClipped = style.overflowX !== 'visible' || style.overflowY !== 'visible';
    return isClipped && style.display !== 'inline' && (clientWidth <= 2 || clientHeight <= 2);
  }

  /** True for shapes that hide the whole box. */
  function isClippedAway(path: string, { width, height }: DOMRect): boolean {
    const [, shape = '', inside = ''] =
      /^(inset|circle|ellipse|polygon|path)\((.*)\)/.exec(path) ?? [];
    if (shape === 'path') return !/[a-z] ?[^a-z"']+[a-z]/i.test(inside);
    const [before = ''] = inside.split(/ (?:at|round) /);
    const pixels = (part = '', whole = 0): number =>
      part.endsWith('%') ? (Number.parseFloat(part) * whole) / 100 : Number.parseFloat(part);
    if (shape === 'circle' || shape === 'ellipse') {
      return before.split(' ').some((size) => /^\d/.test(size) && Number.parseFloat(size) < 1);
    }
    if (shape === 'inset') {
      const [top = '', right = top, bottom = top, left = right] = before.split(' ');
      return (
        pixels(top, height) + pixels(bottom, height) >= height ||
        pixels(left, width) + pixels(right, width) >= width
      );
    }
    if (shape !== 'polygon') return false;
    const points = before.replace(/^(?:evenodd|nonzero), /, '').split(', ');
    return [width, height].some((whole, axis) => {
      const along = points.map((point) =>
        Math.min(whole, Math.max(0, pixels(point.split(' ')[axis], whole))),
      );
      return Math.max(...along) - Math.min(...along) < 1;
    });
  }

  /** True for masks of no size, or of gradients whose colors are all transparent. */
  function isMaskedOut({ maskImage, maskSize, maskMode }: CSSStyleDeclaration): boolean {
    if (maskImage === '' || maskImage === 'none') return false;
    if (maskSize !== '' && maskSize.split(', ').every((size) => /(?:^| )0(?:px|%)/.test(size)))
      return true;
    if (/url\(|image|paint|element|cross-fade/.test(maskImage)) return false;
    const colors = maskImage.match(/(?:rgba?|color|lab|lch|oklab|oklch)\([^()]*\)/g) ?? [];
    const isDark = maskMode === 'luminance';
    return (
      colors.length > 0 &&
      colors.every((color) => {
        if (/\/ 0(?:\.0\d*)?\)$/.test(color)) return true;
        const [red, green, blue, alpha] = parts(color) ?? [255, 255, 255, 1];
        return alpha <= 0.05 || (isDark && red + green + blue <= 36);
      })
    );
  }

  function isOutsideOfWindow({ left, right, top, bottom, width }: DOMRect): boolean {
    if (width === 0) return false;
    return right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight;
  }

  /** The box of an element's own text; undefined without any. */
  function ownText(element: Element): DOMRect | undefined {
    for (const node of Reflect.get(Node.prototype, 'childNodes', element)) {
      if (!(node instanceof Text) || !/\S/.test(node.data)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getBoundingClientRect();
    }
    return undefined;
  }

  function isIllegible(element: Element, style: CSSStyleDeclaration, box: DOMRect): boolean {
    if (style.visibility !== 'visible' || Number.parseFloat(style.fontSize) <= 2.5) return true;
    const isAway = box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
    if (isAway && box.width > 0) return true;
    if (style.textShadow !== 'none' || style.backgroundClip === 'text') return false;
    const letters = parts(style.webkitTextFillColor);
    if (letters === undefined) return false;
    if (letters[3] <= 0.05) return true;
    const background = backgroundOf(element);
    return (
      background !== undefined &&
      [0, 1, 2].every((part) => Math.abs((letters[part] ?? 0) - (background[part] ?? 0)) <= 24)
    );
  }

  /** The color behind an element; undefined if a picture, or any positioned element, may be behind it. */
  function backgroundOf(element: Element): readonly number[] | undefined {
    let one: Element | null = element;
    for (; one !== null; one = Reflect.get(Node.prototype, 'parentElement', one)) {
      const { backgroundImage, backgroundColor, position } = getComputedStyle(one);
      if (backgroundImage !== 'none') return undefined;
      if (backgroundColor !== transparent) {
        const color = parts(backgroundColor);
        return color !== undefined && color[3] >= 0.98 ? color : undefined;
      }
      if (position === 'absolute' || position === 'fixed' || position === 'sticky')
        return undefined;
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? undefined : [255, 255, 255, 1];
  }

  function parts(color: string): readonly [number, number, number, number] | undefined {
    const [, inside] = /^rgba?\(([^()]*)\)$/.exec(color) ?? [];
    const [red, green, blue, alpha = 1] = (inside ?? '').split(/[\s,/]+/).map(Number);
    if (red === undefined || green === undefined || blue === undefined) return undefined;
    return [red, green, blue, alpha];
  }
}
