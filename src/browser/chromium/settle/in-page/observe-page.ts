/** Functions that run in a page: they observe how quiet it is, and whether it reloads itself. */
import type { AnswerOf } from '../../../actions/isolated-world.ts';

/**
 * `PageActivity` describes which changes count. Timers are counted by their ids: they are numbered per
 * document, so a timer of our own reveals how many the page has started. The page cannot notice: the state is
 * in an isolated world.
 */
export function observePage(): PageState {
  interface Watch {
    readonly observer: MutationObserver;
    readonly scopes: WeakSet<Node>;
    /** Small changes by the changed element. */
    readonly small: WeakMap<Node, number>;
    readonly large: WeakMap<Node, number>;
    /** Nodes inserted into elements that change all the time. */
    readonly restless: WeakSet<Node>;
    /** The id of our last timer, by document. */
    readonly timers: WeakMap<Document, number>;
    changed: number;
    hasChanged: boolean;
    /** A script has inserted visible text. */
    isFilled: boolean;
    timerStarted: number | undefined;
  }
  const maxElements = 20_000;
  const loading =
    /^(?:loading|please wait|just a moment|one moment|wird geladen|laden|chargement|cargando|caricamento|carregando|загрузка|加载中|読み込み中)/iu;
  const wordless = new Set(['script', 'style', 'template', 'noscript']);
  // Nodes of frames are instances of their own classes.
  const kindOf = (node: Node): number => Reflect.get(Node.prototype, 'nodeType', node);
  const isDocument = (node: Node): node is Document => kindOf(node) === Node.DOCUMENT_NODE;
  const isElement = (node: Node): node is Element => kindOf(node) === Node.ELEMENT_NODE;
  const queryIn = (scope: Document | ShadowRoot | Element, selector: string): Element[] => {
    const prototype = isDocument(scope)
      ? Document.prototype
      : isElement(scope)
        ? Element.prototype
        : DocumentFragment.prototype;
    const found = Reflect.get(prototype, 'querySelectorAll').call(scope, selector);
    return Array.prototype.slice.call(found, 0, maxElements) as Element[];
  };
  const textOf = (node: Node): string => Reflect.get(Node.prototype, 'textContent', node) ?? '';

  const storage = globalThis as unknown as { watch?: Watch };
  const isNew = storage.watch === undefined;
  const now = performance.now();
  const watch = (storage.watch ??= {
    observer: new MutationObserver(noteChanges),
    scopes: new WeakSet(),
    small: new WeakMap(),
    large: new WeakMap(),
    restless: new WeakSet(),
    timers: new WeakMap(),
    changed: now,
    hasChanged: false,
    isFilled: false,
    timerStarted: undefined,
  });
  // Changes since the last task are still queued in the observer.
  noteChanges(watch.observer.takeRecords());
  const scopes = watchScopes();
  for (const scope of scopes) if (isDocument(scope)) countTimers(scope);

  const readyState = Reflect.get(Document.prototype, 'readyState', document);
  const text = visibleText(200);
  return {
    isNew,
    isParsed: readyState !== 'loading',
    isLoaded: readyState === 'complete',
    hasScripts: watch.timerStarted !== undefined || scopes.some(hasScript),
    unchangedFor: now - watch.changed,
    hasChanged: watch.hasChanged,
    noTimerFor: watch.timerStarted === undefined ? undefined : now - watch.timerStarted,
    isEmpty:
      (text.length < 120 && loading.test(text)) ||
      (watch.isFilled ? text === '' : text.length < 30 || hasEmptyRoot()),
    isBusy: scopes.some(hasBusySign),
    leavesIn: refresh('another'),
    reloadsIn: refresh('itself'),
  };

  function countTimers(owner: Document): void {
    const view = Reflect.get(Document.prototype, 'defaultView', owner);
    if (view === null) return;
    const timer = view.setTimeout(() => undefined, 0);
    view.clearTimeout(timer);
    if (timer !== (watch.timers.get(owner) ?? 0) + 1) watch.timerStarted = now;
    watch.timers.set(owner, timer);
  }

  /** The document, open shadow roots and the documents of reachable frames. */
  function watchScopes(): (Document | ShadowRoot)[] {
    const found: (Document | ShadowRoot)[] = [document];
    let left = maxElements;
    // There are many elements: each getter is looked up once.
    const shadowOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get;
    const nameOf = Object.getOwnPropertyDescriptor(Element.prototype, 'localName')?.get;
    const frame = HTMLIFrameElement.prototype;
    const documentOf = Object.getOwnPropertyDescriptor(frame, 'contentDocument')?.get;
    for (let index = 0; index < found.length && left > 0; index += 1) {
      const scope = found[index];
      if (scope === undefined) break;
      if (!watch.scopes.has(scope)) {
        watch.scopes.add(scope);
        watch.observer.observe(scope, { childList: true, characterData: true, subtree: true });
        if (!isNew) [watch.changed, watch.hasChanged] = [now, true];
      }
      for (const element of queryIn(scope, '*')) {
        left -= 1;
        if (left <= 0) break;
        const shadow = shadowOf?.call(element) as ShadowRoot | null;
        if (shadow !== null) found.push(shadow);
        if (nameOf?.call(element) !== 'iframe') continue;
        const inner = documentOf?.call(element) as Document | null;
        if (inner !== null) found.push(inner);
      }
    }
    return found;
  }

  function noteChanges(records: readonly MutationRecord[]): void {
    const state = storage.watch;
    if (state === undefined) return;
    for (const record of records.slice(0, 1_000)) {
      if (!counts(record, state)) continue;
      state.changed = performance.now();
      state.hasChanged = true;
      return;
    }
  }

  function counts(
    { target, addedNodes, removedNodes, type }: MutationRecord,
    state: Watch,
  ): boolean {
    if (isUnseen(target)) return false;
    const parent = Reflect.get(Node.prototype, 'parentNode', target);
    const changed = type === 'characterData' && parent !== null ? parent : target;
    const added = seen(addedNodes);
    if (type === 'childList' && added.length === 0 && seen(removedNodes).length === 0) return false;
    state.isFilled ||= added.some((node) => textOf(node).trim() !== '');
    if (added.some(isLarge)) {
      const times = (state.large.get(changed) ?? 0) + 1;
      state.large.set(changed, times);
      return times <= 20;
    }
    const times = (state.small.get(changed) ?? 0) + 1;
    state.small.set(changed, times);
    if (times <= 3 && !isRestless(changed, state)) return true;
    for (const node of added) state.restless.add(node);
    return false;
  }

  function isRestless(changed: Node, state: Watch): boolean {
    let node: Node | null = changed;
    for (let steps = 0; node !== null && steps < 10; steps += 1) {
      if (state.restless.has(node)) return true;
      node = Reflect.get(Node.prototype, 'parentNode', node);
    }
    return false;
  }

  function isLarge(node: Node): boolean {
    return textOf(node).length >= 200 || (isElement(node) && queryIn(node, '*').length >= 20);
  }

  function isUnseen(node: Node): boolean {
    if (kindOf(node) === Node.COMMENT_NODE) return true;
    const element = isElement(node) ? node : Reflect.get(Node.prototype, 'parentNode', node);
    return (
      element !== null &&
      isElement(element) &&
      Element.prototype.closest.call(
        element,
        'head, script, style, link, meta, template, noscript',
      ) !== null
    );
  }

  function seen(nodes: NodeList): Node[] {
    const first = Array.from({ length: Math.min(nodes.length, 100) }, (_, index) => nodes[index]);
    return first.filter((node) => node !== undefined && !isUnseen(node)) as Node[];
  }

  function hasScript(scope: Document | ShadowRoot): boolean {
    return queryIn(scope, 'script').some((script) => {
      const type = (Element.prototype.getAttribute.call(script, 'type') ?? '').trim().toLowerCase();
      return (
        type === '' ||
        type === 'module' ||
        /^(?:text|application)\/(?:x-)?(?:java|ecma)script/.test(type)
      );
    });
  }

  /** Text of the body, white space collapsed, up to a length. */
  function visibleText(enough: number): string {
    let text = '';
    const kinds = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
    for (const scope of scopes) {
      const start = isDocument(scope)
        ? (Reflect.get(Document.prototype, 'body', scope) as Node | null)
        : scope;
      if (start === null) continue;
      const walker = Document.prototype.createTreeWalker.call(document, start, kinds, (node) =>
        isElement(node) && wordless.has(Reflect.get(Element.prototype, 'localName', node))
          ? NodeFilter.FILTER_REJECT
          : NodeFilter.FILTER_ACCEPT,
      );
      let steps = 0;
      for (
        let node = walker.nextNode();
        node !== null && steps < maxElements;
        node = walker.nextNode()
      ) {
        steps += 1;
        if (kindOf(node) === Node.TEXT_NODE)
          text = `${text} ${textOf(node).slice(0, 1_000)}`.replace(/\s+/g, ' ');
        if (text.length > enough) return text;
      }
    }
    return text.trim();
  }

  /** True for an empty element that applications fill. */
  function hasEmptyRoot(): boolean {
    const roots = queryIn(
      document,
      '#root, #app, #__next, #___gatsby, #__nuxt, app-root, main, [role=main]',
    );
    return roots.slice(0, 20).some((root) => {
      if (Reflect.get(Element.prototype, 'shadowRoot', root) !== null) return false;
      if (!Element.prototype.checkVisibility.call(root)) return false;
      const filled = queryIn(
        root,
        'img, picture, svg, canvas, video, iframe, input, object, embed',
      );
      if (filled.length > 0 || textOf(root).trim() !== '') return false;
      return !queryIn(root, '*').some((element) =>
        Reflect.get(Element.prototype, 'shadowRoot', element),
      );
    });
  }

  function hasBusySign(scope: Document | ShadowRoot): boolean {
    const marked = queryIn(scope, '[aria-busy=true], progress:not([value])');
    if (marked.slice(0, 50).some(isInSight)) return true;
    const named = queryIn(
      scope,
      ['skeleton', 'shimmer', 'spinner', 'loading', 'loader']
        .map((name) => `[class*=${name} i]`)
        .join(),
    );
    return named.slice(0, 50).some((element) => {
      const names = Element.prototype.getAttribute.call(element, 'class') ?? '';
      return (
        /(?:^|[\s_-])(?:skeleton|shimmer|spinner|loading|loader)(?:[\s_-]|$)/i.test(names) &&
        !Element.prototype.matches.call(element, 'img, video, iframe') &&
        textOf(element).trim().length < 60 &&
        isInSight(element)
      );
    });
  }

  function isInSight(element: Element): boolean {
    const { top, left, bottom, right } = Element.prototype.getBoundingClientRect.call(element);
    const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
    return (
      isInside &&
      bottom - top > 1 &&
      right - left > 1 &&
      Element.prototype.checkVisibility.call(element, {
        opacityProperty: true,
        visibilityProperty: true,
      })
    );
  }

  /** The delay in ms of a `<meta http-equiv=refresh>` to another page or to the page itself, parsed as in HTML. */
  function refresh(target: 'another' | 'itself'): number | undefined {
    for (const meta of queryIn(document, 'meta[http-equiv=refresh i]').slice(0, 20)) {
      const content = Element.prototype.getAttribute.call(meta, 'content') ?? '';
      const [, seconds, url] =
        /^\s*(\d+)[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?['"]?([^'"]*)/i.exec(content) ?? [];
      if (seconds === undefined || url === undefined) continue;
      try {
        // Without a URL it refreshes the page itself, whatever its base.
        const base = Reflect.get(Node.prototype, 'baseURI', document);
        const isItself = url.trim() === '' || new URL(url.trim(), base).href === location.href;
        if (isItself !== (target === 'itself')) continue;
      } catch {
        continue;
      }
      return Number(seconds) * 1_000;
    }
    return undefined;
  }
}

// The activity of a page, as `observePage` reports it.

/** What every state has. */
export const stateSample = {
  /** This document was not observed before. */
  isNew: false,
  isParsed: false,
  isLoaded: false,
  /** The document has a script, or a timer was started in it. */
  hasScripts: false,
  /** Time since content last changed, or since the first call. */
  unchangedFor: 0,
  /** Content has changed since the first call. */
  hasChanged: false,
  /** There is hardly any text, or the element that a script is to fill is empty. */
  isEmpty: false,
  /** A spinner or a skeleton is visible, or an element is marked as busy. */
  isBusy: false,
};

/** Times in ms. */
export interface PageState extends AnswerOf<typeof stateSample> {
  /** Time since the last timer was started; undefined if this document started none. */
  readonly noTimerFor: number | undefined;
  /** Time until the page goes to another one. */
  readonly leavesIn: number | undefined;
  /** Time until the page reloads itself. */
  readonly reloadsIn: number | undefined;
}

// Runs in a page: detects a small page whose script sets a cookie and reloads the page.

/**
 * Challenges with a good status do that. Only inline scripts are examined, and a page with more
 * text than a notice is a real page.
 */
export function reloadsItself(): boolean {
  const mostText = 600;
  const scripts = Reflect.get(Document.prototype, 'scripts', document);
  const source = (Array.prototype.slice.call(scripts, 0, 20) as Element[])
    .map((script) => Reflect.get(Node.prototype, 'textContent', script) ?? '')
    .join('\n')
    .slice(0, 50_000);
  const goesOn =
    /(?:^|[\s;{}(,>])(?:(?:window|document|self|top|parent)\.)?location\s*(?:=[^=]|\.\s*(?:(?:reload|replace|assign)\b|href\s*=[^=]))/;
  if (!/\bdocument\.cookie\s*=[^=]/.test(source) || !goesOn.test(source)) return false;
  const body = Reflect.get(Document.prototype, 'body', document) as HTMLElement | null;
  return body === null || Reflect.get(HTMLElement.prototype, 'innerText', body).length <= mostText;
}
