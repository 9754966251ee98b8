/** Functions that run in the page: they read its head, its pictures, and an inline logo as SVG. */
import type { IdentityRecords, PictureRecord } from '../page-records.ts';
import type { HeldStyles } from './collect-styles.ts';

export function collectIdentity(
  { elements }: HeldStyles,
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
    // A truncated URL has another target.
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
  for (const [box, element] of elements.entries()) {
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

// Runs in the page: serializes an inline SVG as a standalone file. Only elements and attributes
// that draw are written: no scripts, no foreign content and no URLs.

/** Empty for an SVG that is too large or draws nothing. */
export function serializeSvg({ elements }: HeldStyles, box: number, limit: number): string {
  const tags = new Set(
    'svg g path circle ellipse rect line polyline polygon text tspan defs linearGradient radialGradient stop clipPath mask use symbol title'.split(
      ' ',
    ),
  );
  const attributes = new Set(
    'viewBox preserveAspectRatio d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy width height points transform offset gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits pathLength id text-anchor'.split(
      ' ',
    ),
  );
  /** Properties set by style sheets as often as by attributes. */
  const styles = {
    fill: 'rgb(0, 0, 0)',
    stroke: 'none',
    'fill-opacity': '1',
    'fill-rule': 'nonzero',
    'clip-path': 'none',
    'clip-rule': 'nonzero',
    mask: 'none',
    opacity: '1',
    'stop-color': 'rgb(0, 0, 0)',
    'stop-opacity': '1',
    'stroke-width': '1px',
    'stroke-linecap': 'butt',
    'stroke-linejoin': 'miter',
  };
  const inherited = /^(fill|fill-opacity|fill-rule|clip-rule|stroke|stroke-width|stroke-line.*)$/;
  const root = elements[box];
  if (!(root instanceof SVGSVGElement)) return '';
  const escape = (text: string): string =>
    text.replace(
      /[&<>"]/g,
      (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;',
    );
  const written = new Set<string>();
  let text = '';
  let drawn = 0;
  let steps = 0;

  const startOf = (element: Element, tag: string): string => {
    let start = `<${tag}`;
    for (const { name, value } of [...element.attributes].slice(0, 50)) {
      if (attributes.has(name) && value.length <= limit) start += ` ${name}="${escape(value)}"`;
    }
    const style = getComputedStyle(element);
    const parent = element === root ? null : element.parentElement;
    const around = parent === null ? null : getComputedStyle(parent);
    for (const [name, usual] of Object.entries(styles)) {
      const value = style.getPropertyValue(name);
      const expected =
        around !== null && inherited.test(name) ? around.getPropertyValue(name) : usual;
      // Only references within the SVG work outside the page.
      const isLocal = !value.includes('url(') || /^url\("#[^"]*"\)/.test(value);
      if (value !== expected && value !== '' && value.length < 200 && isLocal) {
        start += ` ${name}="${escape(value.replaceAll('"', ''))}"`;
      }
    }
    const target =
      tag === 'use' ? (element.getAttribute('href') ?? element.getAttribute('xlink:href')) : null;
    return target?.startsWith('#') === true ? `${start} href="${escape(target)}"` : start;
  };
  const wanted: Element[] = [];
  const write = (element: Element, depth: number): void => {
    const tag = element.localName;
    steps++;
    if (!tags.has(tag) || steps > 2000 || depth > 50 || text.length > limit) return;
    if (element.id !== '') written.add(element.id);
    if (/^(path|circle|ellipse|rect|line|polyline|polygon|text|use)$/.test(tag)) drawn++;
    const start = startOf(element, tag);
    if (element === root) {
      const { width, height } = root.getBoundingClientRect();
      const own = start.replace(/ (width|height|x|y)="[^"]*"/g, '');
      text += `${own} xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`;
    } else text += start;
    text += '>';
    if (/^(text|tspan|title)$/.test(tag) && element.childElementCount === 0) {
      text += escape(element.textContent.slice(0, 500));
    }
    for (const child of [...element.children].slice(0, 2000)) write(child, depth + 1);
    if (tag === 'use') {
      const id = (element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? '').slice(
        1,
      );
      const target = id === '' ? null : (root.getRootNode() as Document).getElementById(id);
      if (target !== null && !root.contains(target) && wanted.length < 20) wanted.push(target);
    }
    if (element !== root) text += `</${tag}>`;
  };
  write(root, 0);
  // Adds the symbols that the SVG uses from a sprite sheet elsewhere in the page.
  for (const target of wanted) {
    if (written.has(target.id)) continue;
    text += '<defs>';
    write(target, 1);
    text += '</defs>';
  }
  text += '</svg>';
  return text.length <= limit && drawn > 0 ? text : '';
}
