/** Runs in the page: what its head says about the site, and pictures that may be its logo. */
import type { IdentityRecords, PictureRecord } from '../identity-records.ts';

/** `this` is what `collectStyles` gave. */
export function collectIdentity(
  this: { readonly elements: readonly Element[] },
  limits: { readonly pictures: number; readonly url: number; readonly jsonLd: number },
): IdentityRecords {
  const attribute = (element: Element | null, name: string, most = 300): string =>
    element === null
      ? ''
      : (Element.prototype.getAttribute.call(element, name) ?? '').trim().slice(0, most);
  const find = (selector: string): Element | null =>
    Reflect.get(Document.prototype, 'querySelector').call(document, selector);
  const findAll = (selector: string): readonly Element[] => [
    ...Reflect.get(Document.prototype, 'querySelectorAll').call(document, selector),
  ];
  const base = Reflect.get(Node.prototype, 'baseURI', document);
  const absolute = (url: string): string => {
    // A URL that was cut off leads elsewhere.
    if (url === '' || url.length >= limits.url || !URL.canParse(url, base)) return '';
    const { href, protocol } = new URL(url, base);
    return /^(https?|data):$/.test(protocol) && href.length < limits.url ? href : '';
  };
  const pictureUrl = (css: string): string =>
    absolute(/url\("((?:[^"\\]|\\.)*)"\)/.exec(css)?.[1] ?? '');
  const parentOf = (element: Element): Element | null => {
    const parent = Reflect.get(Node.prototype, 'parentNode', element);
    if (parent instanceof ShadowRoot) return parent.host;
    return parent instanceof Element ? parent : null;
  };

  const pictures: PictureRecord[] = [];
  for (const [box, element] of this.elements.entries()) {
    if (pictures.length >= limits.pictures) break;
    const tag = Reflect.get(Element.prototype, 'localName', element);
    let kind: PictureRecord['kind'] = 'background';
    let url = '';
    let alt = attribute(element, 'aria-label');
    if (tag === 'img') {
      kind = 'img';
      url = absolute(Reflect.get(HTMLImageElement.prototype, 'currentSrc', element));
      if (url === '') continue;
      alt = attribute(element, 'alt') || alt;
    } else if (tag === 'svg') {
      kind = 'svg';
      const title = Reflect.get(Element.prototype, 'querySelector').call(element, 'title');
      alt ||= (title?.textContent ?? '').trim().slice(0, 300);
    } else {
      const style = getComputedStyle(element);
      url = pictureUrl(style.backgroundImage) || pictureUrl(style.maskImage);
      if (url === '') continue;
    }
    let href = '';
    const names: string[] = [attribute(element, 'src')];
    for (let at: Element | null = element, level = 0; at !== null && level < 5; level++) {
      const names4 = ['class', 'id', 'aria-label', 'title', 'data-testid'];
      if (level < 4) names.push(...names4.map((name) => attribute(at as Element, name, 100)));
      if (at instanceof HTMLAnchorElement && href === '') {
        href = absolute(attribute(at, 'href', limits.url));
        alt ||= attribute(at, 'aria-label') || attribute(at, 'title');
      }
      at = parentOf(at);
    }
    const text = [alt, ...names].filter((name) => name !== '').join(' ');
    pictures.push({ box, kind, url, alt, href, names: text.toLowerCase().slice(0, 1000) });
  }

  const icons = findAll('link[rel~="icon" i], link[rel~="apple-touch-icon" i]').slice(0, 30);
  const ogImage = find('meta[property="og:image" i], meta[name="og:image" i]');
  const blocks = findAll('script[type="application/ld+json" i]').slice(0, 20);
  return {
    url: Reflect.get(Document.prototype, 'URL', document),
    title: Reflect.get(Document.prototype, 'title', document).trim().slice(0, 500),
    siteName: attribute(find('meta[property="og:site_name" i]'), 'content'),
    applicationName: attribute(find('meta[name="application-name" i]'), 'content'),
    themeColor: attribute(find('meta[name="theme-color" i]:not([media])'), 'content', 100),
    ogImage: absolute(attribute(ogImage, 'content', limits.url)),
    icons: icons.map((icon) => ({
      rel: attribute(icon, 'rel').toLowerCase(),
      href: absolute(attribute(icon, 'href', limits.url)),
      sizes: attribute(icon, 'sizes').toLowerCase(),
      type: attribute(icon, 'type').toLowerCase(),
    })),
    jsonLd: blocks
      .map((block) => (Reflect.get(Node.prototype, 'textContent', block) ?? '').trim())
      .filter((text) => text.length <= limits.jsonLd),
    pictures,
  };
}
