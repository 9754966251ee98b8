/** The option blockAds: what ad networks and consent managers leave in static HTML. */
import { type DomElement, type DomNode, isElement } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import type { Transformer } from './transformer.ts';
import { vendorClasses, vendorFrames, vendorIdPrefixes, vendorIds } from './vendor-marks.ts';

/** Removes ad slots, trackers and consent pop-ups that carry a vendor's own id or class. */
export const blockAds: Transformer = {
  name: 'blockAds',
  apply({ root }, options) {
    if (!options.blockAds) return;
    let node: DomNode | null = root.firstChild;
    while (node !== null) {
      const isAd = isElement(node) && isVendorElement(node);
      const next: DomNode | null = nextNode(node, root, isAd);
      if (isAd) node.parentNode?.removeChild(node);
      node = next;
    }
  },
};

function isVendorElement(element: DomElement): boolean {
  const name = element.localName;
  if (name === 'iframe' || name === 'img') {
    if (vendorFrames.test(element.getAttribute('src') ?? '')) return true;
  }
  const id = element.getAttribute('id');
  if (id !== null && id !== '') {
    if (vendorIds.has(id)) return true;
    if (vendorIdPrefixes.some((prefix) => id.startsWith(prefix))) return true;
  }
  const classes = element.getAttribute('class');
  if (classes === null || classes === '') return false;
  if (!/\s/.test(classes)) return vendorClasses.has(classes);
  return classes.split(/\s+/).some((name) => vendorClasses.has(name));
}
