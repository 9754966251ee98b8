/** Runs in the page of a report: makes elements, whose texts are never markup, and writes numbers. */

/** Properties, attributes and listeners of an element. */
export interface ElementFacts {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
  readonly onClick?: () => void;
}

/** Makes elements and texts. */
export interface Elements {
  make<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    facts?: ElementFacts,
    ...children: readonly (Node | string)[]
  ): HTMLElementTagNameMap[Name];
  /** An element of a drawing. */
  draw(
    name: string,
    attributes: Readonly<Record<string, string | number>>,
    title?: string,
  ): Element;
  /** A link that sends no referrer; plain text for all but http and https. */
  link(url: string, text: string): HTMLElement;
  count(value: number): string;
  bytes(value: number): string;
  time(milliseconds: number): string;
  date(value: number | string): string;
}

export function makeElements(): Elements {
  const make: Elements['make'] = (name, facts = {}, ...children) => {
    const element = document.createElement(name);
    if (facts.class !== undefined) element.className = facts.class;
    if (facts.text !== undefined) element.textContent = facts.text;
    if (facts.title !== undefined) element.title = facts.title;
    for (const [key, value] of Object.entries(facts.attributes ?? {})) {
      element.setAttribute(key, String(value));
    }
    if (facts.onClick !== undefined) element.addEventListener('click', facts.onClick);
    element.append(...children);
    return element;
  };
  const decimals = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
  const whole = new Intl.NumberFormat('en');
  const scaled = (value: number, step: number, units: readonly string[]): string => {
    let [rest, unit] = [value, 0];
    while (rest >= step && unit < units.length - 1) {
      rest /= step;
      unit += 1;
    }
    return `${unit === 0 ? whole.format(rest) : decimals.format(rest)} ${units[unit] ?? ''}`;
  };
  return {
    make,
    draw(name, attributes, title) {
      const element = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes))
        element.setAttribute(key, String(value));
      if (title !== undefined) {
        const label = document.createElementNS('http://www.w3.org/2000/svg', 'title');
        label.textContent = title;
        element.append(label);
      }
      return element;
    },
    link(url, text) {
      const isWhole = /^https?:\/\//i.test(url) && !url.endsWith('…') && !url.includes('***');
      if (!isWhole) return make('span', { text });
      const attributes = { href: url, rel: 'noopener noreferrer', target: '_blank' };
      return make('a', { text, attributes });
    },
    count: (value) => whole.format(value),
    bytes: (value) => scaled(value, 1000, ['B', 'kB', 'MB', 'GB', 'TB']),
    time(milliseconds) {
      if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
      if (milliseconds < 60_000) return `${decimals.format(milliseconds / 1000)} s`;
      const minutes = Math.floor(milliseconds / 60_000);
      const seconds = Math.floor((milliseconds % 60_000) / 1000);
      return minutes < 60
        ? `${minutes} min ${seconds} s`
        : `${whole.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
    },
    date: (value) =>
      new Date(value).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }),
  };
}
