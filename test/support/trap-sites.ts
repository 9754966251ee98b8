/** Sites with real pages and one way to go on for ever, made page by page. */
import { seeded } from './memory-web.ts';

/** What is at an address, made when it is asked for. */
export interface TrapSite {
  readonly start: string;
  /** HTML, or undefined for 404. */
  page(url: URL): string | undefined;
  /** The pages that have to be found. */
  readonly real: readonly string[];
  /** The path of a page without what the trap adds to it. */
  pathOf(url: URL): string;
  /** True for the addresses of the trap. */
  isTrap(url: URL): boolean;
  /** How the rule of its skips begins. */
  readonly rule: RegExp;
  /** Pages beside those that have to be found. */
  readonly others: number;
}

const origin = 'http://site.test';
const realPaths = Array.from({ length: 60 }, (_, n) => `/guide/chapter-${n + 1}`);

/** 60 pages in a tree below `/`, each with links of the trap beside its own. */
function site(
  rule: RegExp,
  trap: (url: URL) => readonly string[] | undefined,
  entrance: (url: URL) => readonly string[],
  extra: Partial<Pick<TrapSite, 'isTrap' | 'others'>> & {
    readonly decorate?: (href: string) => string;
    readonly text?: (url: URL) => string;
  } = {},
): TrapSite {
  const { decorate = (href: string) => href } = extra;
  return {
    start: `${origin}/`,
    real: realPaths,
    rule,
    others: extra.others ?? 0,
    pathOf: ({ pathname }) => pathname.replace(/^\/s\/[0-9a-f]{32}/, ''),
    isTrap: extra.isTrap ?? ((url) => trap(url) !== undefined),
    page(url) {
      const index = url.pathname === '/' ? -1 : realPaths.indexOf(url.pathname);
      const children = [2 * index + 2, 2 * index + 3, index - 1].flatMap((n) => realPaths[n] ?? []);
      const isReal = url.pathname === '/' || index >= 0;
      const links = isReal ? ['/', ...children, ...entrance(url)] : trap(url);
      if (links === undefined) return undefined;
      const title = isReal ? `Chapter ${index + 1}` : (extra.text?.(url) ?? `Page ${url.pathname}`);
      const list = links.map((href) => `<li><a href="${decorate(href)}">${href}</a></li>`);
      return (
        `<title>${title}</title><nav><a href="${decorate('/')}">Home</a></nav>` +
        `<main><h1>${title}</h1><p>Words ${wordsOf(url.pathname)} of it.</p><ul>${list.join('')}</ul></main>`
      );
    },
  };
}

/** Words of its own for each page. */
function wordsOf(path: string): string {
  const chance = seeded(
    [...path].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7),
  );
  return Array.from({ length: 12 }, () => Math.floor(chance() * 1e9).toString(36)).join(' ');
}

const atHome =
  (...links: string[]) =>
  (url: URL): string[] =>
    url.pathname === '/' ? links : [];
const pad = (n: number): string => String(n).padStart(2, '0');

/** The month `by` months later. */
function month(year: number, number: number, by: number): [string, string] {
  const all = year * 12 + number - 1 + by;
  return [String(Math.floor(all / 12)), pad((all % 12) + 1)];
}

function calendarPath(write: (year: string, month: string) => string, read: RegExp): TrapSite {
  return site(
    /^calendar: /,
    (url) => {
      const [, year, number] = read.exec(url.pathname + url.search) ?? [];
      if (year === undefined || number === undefined) return undefined;
      const at = [Number(year), Number(number)] as const;
      return [write(...month(...at, 1)), write(...month(...at, -1)), '/'];
    },
    atHome(write('2024', '05')),
  );
}

const colours = ['red', 'green', 'blue', 'black'];
const facets: Record<string, readonly string[]> = {
  colour: colours,
  size: ['s', 'm', 'l'],
  brand: ['acorn', 'birch', 'cedar'],
  material: ['wool', 'linen', 'silk'],
};
type Choices = readonly (readonly [name: string, value: string])[];

/** A shop whose every list leads to one more or one less value of any facet; `write` is the query for what is chosen, in its order. */
function shop(write: (chosen: Choices) => string): TrapSite {
  // What was chosen is known by what was written, as a server would read it.
  const known = new Map<string, Choices>();
  const link = (chosen: Choices): string => {
    const query = write(chosen);
    const href = new URL(query === '' ? '/shop' : `/shop?${query}`, origin).href;
    known.set(href, chosen);
    return href;
  };
  link([]);
  return site(
    /^facets: /,
    (url) => {
      const chosen = known.get(url.href);
      if (chosen === undefined) return undefined;
      return Object.entries(facets).flatMap(([name, values]) =>
        values.map((value) => {
          const others = chosen.filter(([, other]) => other !== value);
          return link(others.length < chosen.length ? others : [...chosen, [name, value]]);
        }),
      );
    },
    atHome('/shop'),
    { isTrap: (url) => (known.get(url.href)?.length ?? 0) > 1, others: 14 },
  );
}
const each = (write: (name: string, value: string, index: number) => string) => (chosen: Choices) =>
  chosen.map(([name, value], index) => write(name, value, index)).join('&');
/** One parameter a facet, with all its values. */
const joined = (separator: string) => (chosen: Choices) =>
  [...new Set(chosen.map(([name]) => name))]
    .map((name) => {
      const values = chosen.filter(([other]) => other === name).map(([, value]) => value);
      return `${name}=${values.join(separator)}`;
    })
    .join('&');

const sessionOf = (length: number): (() => string) => {
  const chance = seeded(99);
  return () => Array.from({ length }, () => '0123456789abcdef'[Math.floor(chance() * 16)]).join('');
};

function sessions(decorate: (href: string, id: string) => string, perPage: boolean): TrapSite {
  const next = sessionOf(32);
  let id = next();
  const plain = (url: URL): string => url.pathname.replace(/^\/s\/[0-9a-f]{32}/, '') || '/';
  const inner = site(
    /^session id: /,
    () => undefined,
    () => [],
    {
      decorate: (href) => decorate(href, perPage ? id : next()),
    },
  );
  return {
    ...inner,
    page(url) {
      id = next();
      return inner.page(new URL(plain(url), origin));
    },
    isTrap: () => false,
    // The start page is met again with an id.
    others: 1,
  };
}

/** Each is a site by its name. */
export const trapSites: Readonly<Record<string, () => TrapSite>> = {
  'months in the path': () =>
    calendarPath((year, number) => `/events/${year}/${number}`, /^\/events\/(\d+)\/(\d+)$/),
  'months with a dash': () =>
    calendarPath((year, number) => `/calendar/${year}-${number}/`, /^\/calendar\/(\d+)-(\d+)\/$/),
  'months in one parameter': () =>
    calendarPath(
      (year, number) => `/agenda?month=${year}-${number}`,
      /^\/agenda\?month=(\d+)-(\d+)$/,
    ),
  'months in two parameters': () =>
    calendarPath(
      (year, number) => `/agenda?year=${year}&month=${Number(number)}`,
      /^\/agenda\?year=(\d+)&month=(\d+)$/,
    ),
  'days by their number of seconds': () =>
    site(
      /^calendar: /,
      (url) => {
        const at = Number(url.searchParams.get('start'));
        return url.pathname === '/diary'
          ? [`/diary?start=${at + 86_400}`, `/diary?start=${at - 86_400}`]
          : undefined;
      },
      atHome('/diary?start=1714521600'),
    ),
  'a page for each day of a month': () =>
    site(
      /^calendar: /,
      (url) => {
        const [, year, number, day] = /^\/days\/(\d+)-(\d+)(?:-(\d+))?$/.exec(url.pathname) ?? [];
        if (year === undefined || number === undefined) return undefined;
        if (day !== undefined) return [`/days/${year}-${number}`];
        const days = Array.from({ length: 28 }, (_, n) => `/days/${year}-${number}-${pad(n + 1)}`);
        return [...days, `/days/${month(Number(year), Number(number), 1).join('-')}`];
      },
      atHome('/days/2024-05'),
      // The second month may be the last one.
      { others: 1, isTrap: ({ pathname }) => /^\/days\/(?!2024-06$)/.test(pathname) },
    ),
  'a calendar beside every page': () =>
    site(
      /^calendar: /,
      () => undefined,
      (url) => {
        const [, year = '2024', number = '05'] = /month=(\d+)-(\d+)/.exec(url.search) ?? [];
        const [nextYear, next] = month(Number(year), Number(number), 1);
        return [`${url.pathname}?month=${nextYear}-${next}`];
      },
      { isTrap: (url) => url.search !== '' },
    ),
  'a session id in the query, one for a page': () =>
    sessions((href, id) => `${href}?key=${id}`, true),
  'a session id in the query, one for a link': () =>
    sessions((href, id) => `${href}?zid=${id}`, false),
  'a session id in the path': () => sessions((href, id) => `/s/${id}${href}`, true),
  'one segment over and over': () =>
    site(
      /^path: /,
      (url) => (/^(\/about)+\/$/.test(url.pathname) ? ['about/'] : undefined),
      atHome('/about/'),
    ),
  'two segments over and over': () =>
    site(
      /^path: /,
      (url) => (/^(\/(about|contact))+\/$/.test(url.pathname) ? ['about/', 'contact/'] : undefined),
      atHome('/about/'),
      { others: 4, isTrap: ({ pathname }) => /(about|contact)\/(.*\/)?\1\//.test(pathname) },
    ),
  'ever deeper': () =>
    site(
      /^path: /,
      (url) => {
        const depth = url.pathname.split('/').length - 2;
        return url.pathname.startsWith('/deep/') ? [`level-${depth}/`] : undefined;
      },
      atHome('/deep/'),
    ),
  'four facets of a shop': () =>
    site(
      /^facets: /,
      (url) => {
        if (url.pathname !== '/shop') return undefined;
        return Object.entries(facets).flatMap(([name, values]) =>
          url.searchParams.has(name)
            ? []
            : values.map((value) => {
                const more = new URL(url);
                more.searchParams.append(name, value);
                return `${more.pathname}${more.search}`;
              }),
        );
      },
      atHome('/shop'),
      { isTrap: (url) => url.searchParams.size > 1, others: 14 },
    ),
  'facets whose keys are repeated, in any order': () =>
    shop(each((name, value) => `${name}=${value}`)),
  'facets whose keys are repeated, in one order': () =>
    shop((chosen) => each((name, value) => `${name}=${value}`)([...chosen].sort())),
  'facets whose keys end in brackets': () => shop(each((name, value) => `${name}[]=${value}`)),
  'facets whose keys end in escaped brackets': () =>
    shop(each((name, value) => `f%5B${name}%5D%5B%5D=${value}`)),
  'facets whose keys are numbered': () =>
    shop(each((name, value, index) => `filter[${index}]=${name}:${value}`)),
  'facets whose keys are numbered and escaped': () =>
    shop((chosen) => {
      const nth = new Map<string, number>();
      return each((name, value) => {
        const index = nth.get(name) ?? 0;
        nth.set(name, index + 1);
        return `refine%5B${name}%5D%5B${index}%5D=${value}`;
      })(chosen);
    }),
  'facets of which each has a key for its name and one for its value': () =>
    shop(each((name, value, at) => `prefn${at + 1}=${name}&prefv${at + 1}=${value}`)),
  'facets in brackets of which each has a name and a value': () =>
    shop(each((name, value, at) => `f[${at}][name]=${name}&f[${at}][value]=${value}`)),
  'facets whose values are a list with commas': () => shop(joined(',')),
  'facets whose values are a list with escaped pipes': () => shop(joined('%7C')),
  'facets whose values are a list with semicolons': () => shop(joined(';')),
  'facets with a page number and an order': () =>
    shop((chosen) => {
      const query = each((name, value) => `${name}=${value}`)(chosen);
      return query === '' ? '' : `${query}&sort=price&page=1`;
    }),
  'tags that are added up': () =>
    site(
      /^facets: /,
      (url) => {
        if (url.pathname !== '/posts') return undefined;
        const chosen = url.searchParams.get('tags')?.split(',') ?? [];
        return 'oak ash elm fir yew bay fig'
          .split(' ')
          .filter((tag) => !chosen.includes(tag))
          .map((tag) => `/posts?tags=${[...chosen, tag].sort().join(',')}`);
      },
      atHome('/posts'),
      { isTrap: (url) => url.search.includes(','), others: 8 },
    ),
  'pages that say that there is none': () =>
    site(
      /^soft 404: /,
      (url) => {
        const [, number] = /^\/item\/(\d+)$/.exec(url.pathname) ?? [];
        return number === undefined
          ? undefined
          : [`/item/${Number(number) * 2}`, `/item/${Number(number) * 2 + 1}`];
      },
      (url) => [
        `/item/${url.pathname.length}`,
        `/item/${(Number(url.pathname.slice(-2)) || 0) + 40}`,
      ],
      { text: () => 'Page not found' },
    ),
};
