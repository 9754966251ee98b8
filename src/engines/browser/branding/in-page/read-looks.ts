/** Runs in the page: the computed styles of some of the elements that were held. */
import type { LookRecord } from '../style-records.ts';

/** `this` is what `collectStyles` gave. */
export function readLooks(
  this: { readonly elements: readonly Element[] },
  indexes: readonly number[],
): (LookRecord | null)[] {
  const pixels = (css: string): number => Math.round((Number.parseFloat(css) || 0) * 100) / 100;
  const sides = ['top', 'right', 'bottom', 'left'];
  const corners = ['top-left', 'top-right', 'bottom-right', 'bottom-left'];

  return indexes.map((index) => {
    const element = this.elements[index];
    if (element === undefined) return null;
    // A transition would give a colour on the way; inside shadow roots the style sheet against
    // transitions does not hold.
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
