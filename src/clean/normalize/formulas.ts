/** Formulas, from whatever draws them, as `<math display="…" alttext="TeX">`. */
import { type DomElement, isElement, isText } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import { mathmlToTex } from './mathml-to-tex.ts';
import type { Normalizer, PageState } from './normalizer.ts';
import { newElement } from './replace-element.ts';

/** MathML: its TeX is in an annotation, in its alternative text, or else in its structure. */
export const math: Normalizer = (element) => {
  complete(element, element.getAttribute('display') === 'block');
  return 'done';
};

/** MathJax 3 and 4: the formula is in the assistive MathML. */
export const mathjaxContainer: Normalizer = (element, page) => {
  const inner = findMath(element, page);
  return inner && replaceBy(inner, element, element.getAttribute('display') === 'true');
};

/** MathJax 2 keeps the TeX in a script. */
export const mathScript: Normalizer = (element) => {
  const type = element.getAttribute('type') ?? '';
  const tex = element.textContent ?? '';
  if (!/^math\/tex\b/i.test(type) || tex.trim() === '') return 'done';
  element.replaceWith(fromTex(element, tex, /mode=display/i.test(type)));
  return 'done';
};

/** Pictures of formulas, whose alternative text is the TeX. */
export const formulaImage: Normalizer = (element) => {
  const names = element.getAttribute('class') ?? '';
  const tex = (element.getAttribute('alt') ?? '').trim();
  if (tex === '') return undefined;
  const isFormula =
    /\bmwe-math-fallback-image/.test(names) ||
    (/(?:^|\s)(?:latex|tex|math)(?:\s|$)/i.test(names) && looksLikeTex(tex)) ||
    /\/latex\.php\?|\blatex\.codecogs\.com\//.test(element.getAttribute('src') ?? '');
  if (!isFormula) return undefined;
  element.replaceWith(fromTex(element, tex, /display/.test(names)));
  return 'done';
};

/** What KaTeX, MathJax 2 and MediaWiki put around and in the place of formulas. */
export const formulaByClass: Normalizer = (element, page) => {
  const names = element.className;
  if (/\bMathJax(?:_|\b)/.test(names)) return mathjaxDrawing(element, page);
  if (!/\bkatex(?:-display)?(?:\s|$)|\bmwe-math-element\b/.test(names)) return undefined;
  const inner = findMath(element, page);
  return inner && replaceBy(inner, element, /\bkatex-display\b/.test(names));
};

/** What MathJax 2 draws is dropped: its TeX follows in a script or as text, or else it carries MathML. */
function mathjaxDrawing(element: DomElement, page: PageState): 'done' | undefined {
  if (/\bMathJax_Preview\b/.test(element.className) || isTexNext(element)) {
    element.remove();
    return 'done';
  }
  const inner = findMath(element, page);
  return inner && replaceBy(inner, element, /_Display\b/.test(element.className));
}

function isTexNext(element: DomElement): boolean {
  for (let next = element.nextSibling; next !== null; next = next.nextSibling) {
    if (isText(next) && !/\S/.test(next.data)) continue;
    return isText(next)
      ? /^\s*\\[([]/.test(next.data)
      : isElement(next) && /^math\/tex/.test(next.getAttribute('type') ?? '');
  }
  return false;
}

function looksLikeTex(text: string): boolean {
  return /[\\^_={}+]/.test(text) || text.length <= 3;
}

function findMath(root: DomElement, { failed }: PageState): DomElement | undefined {
  if (failed.covers('math', root)) return undefined;
  for (const element of elementsOf(root)) {
    if (element.localName === 'math') return element;
  }
  failed.add('math', root);
  return undefined;
}

function replaceBy(inner: DomElement, outer: DomElement, display: boolean): 'done' {
  outer.replaceWith(inner);
  complete(inner, display || inner.getAttribute('display') === 'block');
  return 'done';
}

/** The annotations go: their text would be read beside the formula. */
function complete(element: DomElement, display: boolean): void {
  const annotations: DomElement[] = [];
  let annotated: string | undefined;
  for (const inner of elementsOf(element)) {
    if (inner.localName !== 'annotation' && inner.localName !== 'annotation-xml') continue;
    annotations.push(inner);
    const isTex = /tex/i.test(inner.getAttribute('encoding') ?? '');
    if (isTex && inner.localName === 'annotation') annotated ??= inner.textContent ?? '';
  }
  const tex = annotated ?? element.getAttribute('alttext') ?? mathmlToTex(element);
  for (const annotation of annotations) annotation.remove();
  const [, words] = /^\\text\{([^{}\\]*)\}$/.exec(tex.trim()) ?? [];
  const text = words === undefined ? undefined : element.ownerDocument?.createTextNode(words);
  if (text !== undefined && isInDrawing(element)) return element.replaceWith(text);
  describe(element, tex, display);
  element.removeAttribute('aria-hidden');
}

/** Diagrams set every label as a formula where one of them is: words alone are none. */
function isInDrawing(element: DomElement): boolean {
  let around = element.parentElement;
  while (around !== null && around.localName !== 'svg') around = around.parentElement;
  return around !== null;
}

function fromTex(beside: DomElement, tex: string, display: boolean): DomElement {
  const element = newElement(beside, 'math');
  describe(element, tex, display);
  const text = newElement(beside, 'mtext');
  text.textContent = element.getAttribute('alttext');
  element.appendChild(text);
  return element;
}

function describe(element: DomElement, tex: string, display: boolean): void {
  element.setAttribute('display', display ? 'block' : 'inline');
  element.setAttribute('alttext', withoutStyle(tex.trim()));
}

/** MediaWiki wraps every formula in a style that says how it is displayed. */
function withoutStyle(tex: string): string {
  return tex.replace(/^\{\\(?:display|text)style\s*([^]*)\}$/, '$1');
}
