/** Runs in the page: finds the link or button that leads to the next page. */

/** The link to the next page; an element gets the mark as an attribute. */
export interface NextLink {
  readonly state: 'element' | 'address' | 'disabled' | 'none';
  /** The absolute URL, or empty. */
  readonly href: string;
}

/** With an element: this one. Without: the one most likely "next", or the number after the current one. */
export function findNextLink(mark: string, given: Element | null): NextLink {
  const mostElements = 20_000;
  const word =
    /^(?:(?:go )?(?:to )?(?:the )?next(?: page)?|(?:show |view )?older(?: posts| entries| comments)?|(?:zur )?nächsten?(?: seite)?|weiter|(?:page )?suivante?|(?:página )?siguiente|próxima?(?: página)?|(?:pagina )?(?:successiva|volgende)|avanti|nästa(?: sida)?|neste(?: side)?|næste(?: side)?|seuraava|następna(?: strona)?|dalej|další|sonraki(?: sayfa)?|далее|вперед|вперёд|следующая(?: страница)?|下一[页頁]|下页|次へ|次のページ|다음(?: 페이지)?|التالي|הבא)$/i;
  const arrows = /[\s›»→▶>⟩❯]+/g;
  const pagination =
    '[class*="pag" i]:not(body, [class*="page-" i], [class="page" i]), [class*="pager" i], [id*="pagination" i], [aria-label*="pag" i], [role="navigation"], nav';
  const elsewhere =
    '[class*="carousel" i], [class*="slider" i], [class*="swiper" i], [class*="slick" i], [aria-roledescription="carousel"], [class*="gallery" i], [class*="calendar" i], [class*="datepicker" i], [class*="post-nav" i], [class*="nav-single" i], [class*="article-nav" i], [role="grid"]';

  const isVisible = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility !== 'hidden';
  };
  const isDisabled = (element: Element): boolean =>
    element.closest(':disabled, [aria-disabled="true"], [class~="disabled" i], [inert]') !== null;
  const textOf = (element: Element): string => element.textContent.replace(/\s+/g, ' ').trim();
  const answer = (element: Element): NextLink => {
    if (isDisabled(element)) return { state: 'disabled', href: '' };
    element.setAttribute(mark, '');
    const link = element.closest('a[href], area[href]');
    return { state: 'element', href: link instanceof HTMLAnchorElement ? link.href : '' };
  };
  if (given !== null) return answer(given);

  const controls: Element[] = [];
  const roots: (Document | ShadowRoot)[] = [document];
  let looked = 0;
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (++looked > mostElements * 5 || controls.length >= mostElements) break;
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      const isControl = element.matches(
        'a, button, [role="button"], [role="link"], input[type="button"], input[type="submit"]',
      );
      if (isControl && element.closest(elsewhere) === null) controls.push(element);
    }
  }

  const score = (control: Element): number => {
    const names = [
      control.getAttribute('aria-label') ?? '',
      textOf(control),
      control.getAttribute('title') ?? '',
      control instanceof HTMLInputElement ? control.value : '',
    ].filter((name) => name !== '' && name.length <= 40);
    const isIn = control.closest(pagination) !== null;
    const isWord = names.some((name) => word.test(name.replace(arrows, ' ').trim()));
    // Blogs also mark the next article with this relation: its text is a title.
    if (control.matches('[rel~="next"]') && (isWord || isIn || names.length === 0)) return 4;
    if (isWord) return isIn ? 3 : 2;
    const isArrow = names.some((name) => /^[›→▶>⟩❯]$/.test(name));
    return isArrow && isIn ? 1 : 0;
  };
  let best: Element | undefined;
  let most = 0;
  for (const control of controls) {
    const points = score(control);
    if (points > most && isVisible(control)) [best, most] = [control, points];
  }
  if (best !== undefined) return answer(best);

  const current = [
    ...document.querySelectorAll(
      '[aria-current="page"], [aria-current="true"], [class*="current" i], [class~="active" i], [class*="selected" i], strong',
    ),
  ].find((one) => /^\d{1,5}$/.test(textOf(one)) && one.closest(pagination) !== null);
  const box = current?.closest(pagination);
  if (current !== undefined && box) {
    const number = `${Number(textOf(current)) + 1}`;
    const next = controls.find(
      (one) => box.contains(one) && textOf(one) === number && isVisible(one),
    );
    if (next !== undefined) return answer(next);
  }
  const head = document.querySelector('link[rel~="next"][href]');
  return head instanceof HTMLLinkElement
    ? { state: 'address', href: head.href }
    : { state: 'none', href: '' };
}

/** Goes to a URL that no link of the page has. */
export function goTo(url: string): void {
  location.assign(url);
}

/** The visible text, to distinguish pages. */
export function visibleText(mostCharacters: number): string {
  return document.body.innerText.slice(0, mostCharacters);
}
