/** Runs in the page: which of the elements that were held are buttons and text fields. */
import type { ControlRecord } from '../style-records.ts';

/** `this` is what `collectStyles` gave; at most `limit` controls, in document order. */
export function findControls(
  this: { readonly elements: readonly Element[] },
  limit: number,
): ControlRecord[] {
  const attribute = (element: Element, name: string): string =>
    (Element.prototype.getAttribute.call(element, name) ?? '').slice(0, 200);
  const pixels = (css: string): number => Number.parseFloat(css) || 0;
  /** The text of a small element; of one with much in it, its beginning. */
  const labelOf = (element: Element): string => {
    const walker = Document.prototype.createTreeWalker.call(document, element, 4);
    let text = '';
    for (let seen = 0; seen < 20 && text.length <= 200 && walker.nextNode() !== null; seen++) {
      if (walker.currentNode instanceof Text) text += walker.currentNode.data.slice(0, 300);
    }
    return text.replace(/\s+/g, ' ').trim();
  };
  const looksLikeButton = (element: Element): boolean => {
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
    return tag === 'a' && looksLikeButton(element) ? 'button' : undefined;
  };

  const controls: ControlRecord[] = [];
  for (const [box, element] of this.elements.entries()) {
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
      isSubmit: attribute(element, 'type') === 'submit',
      isDisabled: Element.prototype.matches.call(element, ':disabled, [aria-disabled=true]'),
    });
  }
  return controls;
}
