/**
 * Runs in the page: an inline drawing as SVG text that stands alone. Only elements and attributes
 * that draw are written, so no script, no foreign content and no address goes along.
 */

/** `this` is what `collectStyles` gave. Empty for a drawing that is too large or draws nothing. */
export function serializeSvg(
  this: { readonly elements: readonly Element[] },
  { box, limit }: { readonly box: number; readonly limit: number },
): string {
  const elements = new Set(
    'svg g path circle ellipse rect line polyline polygon text tspan defs linearGradient radialGradient stop clipPath mask use symbol title'.split(
      ' ',
    ),
  );
  const attributes = new Set(
    'viewBox preserveAspectRatio d x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy width height points transform offset gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits pathLength id text-anchor'.split(
      ' ',
    ),
  );
  /** Set by style sheets as often as by attributes. */
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
  const root = this.elements[box];
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
      // Of references only those to the drawing itself work outside of the page.
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
    if (!elements.has(tag) || steps > 2000 || depth > 50 || text.length > limit) return;
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
  // What a sprite sheet elsewhere in the page defines comes along.
  for (const target of wanted) {
    if (written.has(target.id)) continue;
    text += '<defs>';
    write(target, 1);
    text += '</defs>';
  }
  text += '</svg>';
  return text.length <= limit && drawn > 0 ? text : '';
}
