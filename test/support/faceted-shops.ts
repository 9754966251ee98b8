/** Shops whose lists link to every change of their filters, each written in another form of URL. */

/** What is chosen in a list, in the order of the choices. */
type Choices = readonly (readonly [name: string, value: string])[];

/** Turns a list, by its path, and what is chosen there into a URL, and back. */
export interface ShopForm {
  /** @default one value of a filter at a time */
  readonly isMultiple?: boolean;
  /** @default all filters */
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  write(list: string, chosen: Choices): string;
  read(url: URL): { readonly list: string; readonly chosen: Choices } | undefined;
}

const filters: Readonly<Record<string, readonly string[]>> = {
  color: ['red', 'green', 'blue', 'black', 'white'],
  size: ['40', '41', '42', '43'],
  brand: ['acme', 'umbra', 'volt'],
  price: ['0-50', '50-100', '100-200'],
  sort: ['price', 'name', 'newest'],
};

export const lists: readonly string[] = ['/c/shoes', '/c/bags'];

const perList = 100;
const perPage = 10;

/** The pages that a crawl has to find: products, lists with their pages, articles, documentation and the rest. */
export const realPages: readonly string[] = [
  '/',
  ...lists.flatMap((list) => [
    list,
    ...Array.from({ length: perList / perPage - 1 }, (_, page) => `${list}?page=${page + 2}`),
    ...Array.from({ length: perList }, (_, n) => productOf(list, n)),
  ]),
  ...Array.from({ length: 20 }, (_, n) => `/blog?p=${n + 1}`),
  ...['intro', 'install', 'usage'].flatMap((topic) =>
    ['1', '2', '3'].flatMap((version) =>
      ['en', 'de'].map((lang) => `/docs/${topic}?version=${version}&lang=${lang}`),
    ),
  ),
  '/search?q=red',
  '/search?q=blue',
];

function productOf(list: string, n: number): string {
  return `/product?id=${lists.indexOf(list) * perList + n + 1}`;
}

/** The links of a page of the shop, or undefined for a page that it does not have. */
export function shopLinks(form: ShopForm, url: URL): string[] | undefined {
  const path = url.pathname + url.search;
  if (path === '/') {
    return [...lists, '/blog?p=1', '/docs/intro?version=1&lang=en', '/search?q=red'];
  }
  if (url.pathname === '/product' || url.pathname === '/search') {
    return ['/', '/search?q=blue', ...(url.pathname === '/product' ? lists : [])];
  }
  if (url.pathname === '/blog') {
    const number = Number(url.searchParams.get('p'));
    return number < 20 ? [`/blog?p=${number + 1}`, '/'] : ['/'];
  }
  if (url.pathname.startsWith('/docs/')) {
    return realPages.filter((page) => page.startsWith('/docs/'));
  }
  const page = Number(url.searchParams.get('page') ?? '1');
  const found = form.read(withoutPage(url));
  if (found === undefined || !lists.includes(found.list)) return undefined;
  const { list, chosen } = found;
  const isSelected = (n: number): boolean =>
    chosen.every(([name, value]) => {
      const values = form.filters?.[name] ?? filters[name] ?? [];
      return name === 'sort' || n % values.length === values.indexOf(value);
    });
  const products = Array.from({ length: perList }, (_, n) => n).filter(isSelected);
  const shown = products.slice((page - 1) * perPage, page * perPage).map((n) => productOf(list, n));
  const toggles = Object.entries(form.filters ?? filters).flatMap(([name, values]) =>
    values.map((value) => {
      const isChosen = chosen.some(([own, one]) => own === name && one === value);
      const others = chosen.filter(([own, one]) =>
        isChosen || form.isMultiple === true ? own !== name || one !== value : own !== name,
      );
      return form.write(list, isChosen ? others : [...others, [name, value]]);
    }),
  );
  const here = form.write(list, chosen);
  const pages = Array.from({ length: Math.ceil(products.length / perPage) }, (_, n) => n + 1)
    .filter((number) => number > 1)
    .map((number) => `${here}${here.includes('?') ? '&' : '?'}page=${number}`);
  return ['/', ...shown, ...toggles, ...pages];
}

/** True for a list with two or more filters, or a further page of it. */
export function isCombination(form: ShopForm, list: string, path: string): boolean {
  const found = form.read(withoutPage(new URL(path, 'http://shop.test')));
  return found?.list === list && found.chosen.length > 1;
}

/** Keeps the spelling of the rest. */
function withoutPage(url: URL): URL {
  const plain = new URL(url);
  plain.search = url.search.replace(/[?&]page=\d+$/, '');
  return plain;
}

/** Any order, but the same for the same choices. */
function shuffled(chosen: Choices): Choices {
  const weight = ([name, value]: readonly [string, string]): number =>
    [...`${name}${value}${chosen.length}`].reduce(
      (sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0,
      chosen.length,
    );
  return [...chosen].sort((one, other) => weight(one) - weight(other));
}

const pairs = (url: URL): Choices => [...url.searchParams];

const query = (list: string, chosen: Choices): string =>
  chosen.length === 0
    ? list
    : `${list}?${chosen.map(([name, value]) => `${name}=${value}`).join('&')}`;

/** `/c/shoes/color-red/size-42`, with `label` between name and value. */
function inPath(label: string, order: (chosen: Choices) => Choices): ShopForm {
  return {
    write: (list, chosen) =>
      [list, ...order(chosen).map(([name, value]) => `${name}${label}${value}`)].join('/'),
    read: ({ pathname }) => {
      const [, shop = '', list = '', ...rest] = pathname.split('/');
      const chosen = rest.map((segment) => {
        const at = segment.indexOf(label);
        return [segment.slice(0, at), segment.slice(at + label.length)] as const;
      });
      return { list: `/${shop}/${list}`, chosen };
    },
  };
}

const asChosen = (chosen: Choices): Choices => chosen;
const sorted = (chosen: Choices): Choices => [...chosen].sort();

/** All values of all filters in one parameter. */
function inOneParameter(between: string, label: string): ShopForm {
  return {
    isMultiple: true,
    write: (list, chosen) =>
      chosen.length === 0
        ? list
        : `${list}?f=${chosen.map(([name, value]) => `${name}${label}${value}`).join(between)}`,
    read: (url) => {
      const text = /[?&]f=([^&]*)/.exec(url.search)?.[1] ?? '';
      const chosen = text === '' ? [] : text.split(between);
      return {
        list: url.pathname,
        chosen: chosen.map((one) => {
          const at = one.indexOf(label);
          return [one.slice(0, at), one.slice(at + label.length)] as const;
        }),
      };
    },
  };
}

/** Each is a form by its name. */
export const shopForms: Readonly<Record<string, ShopForm>> = {
  'parameters in the order of the choices': {
    write: query,
    read: (url) => ({ list: url.pathname, chosen: pairs(url) }),
  },
  'parameters in any order': {
    write: (list, chosen) => query(list, shuffled(chosen)),
    read: (url) => ({ list: url.pathname, chosen: pairs(url) }),
  },
  'repeated parameters': {
    isMultiple: true,
    write: (list, chosen) => query(list, shuffled(chosen)),
    read: (url) => ({ list: url.pathname, chosen: pairs(url) }),
  },
  'values in a list': {
    isMultiple: true,
    write: (list, chosen) => {
      const names = [...new Set(chosen.map(([name]) => name))];
      return query(
        list,
        names.map((name) => [
          name,
          chosen.flatMap(([own, value]) => (own === name ? [value] : [])).join(','),
        ]),
      );
    },
    read: (url) => ({
      list: url.pathname,
      chosen: pairs(url).flatMap(([name, values]) =>
        values.split(',').map((value) => [name, value] as const),
      ),
    }),
  },
  'all parameters in every URL': {
    write: (list, chosen) =>
      chosen.length === 0
        ? list
        : query(
            list,
            Object.keys(filters).map((name) => [
              name,
              chosen.find(([own]) => own === name)?.[1] ?? 'all',
            ]),
          ),
    read: (url) => ({
      list: url.pathname,
      chosen: pairs(url).filter(([, value]) => value !== 'all'),
    }),
  },
  'all parameters in every URL, empty ones too': {
    write: (list, chosen) =>
      chosen.length === 0
        ? list
        : query(
            list,
            Object.keys(filters).map((name) => [
              name,
              chosen.find(([own]) => own === name)?.[1] ?? '',
            ]),
          ),
    read: (url) => ({ list: url.pathname, chosen: pairs(url).filter(([, value]) => value !== '') }),
  },
  'two filters of many values': {
    filters: {
      color: Array.from({ length: 20 }, (_, n) => `color${n}`),
      size: Array.from({ length: 10 }, (_, n) => `${n + 35}`),
    },
    write: query,
    read: (url) => ({ list: url.pathname, chosen: pairs(url) }),
  },
  'two filters, an order and a view': {
    filters: {
      color: Array.from({ length: 10 }, (_, n) => `color${n}`),
      size: Array.from({ length: 10 }, (_, n) => `${n + 35}`),
      sort: ['price', 'name'],
      view: ['grid', 'list'],
    },
    write: query,
    read: (url) => ({ list: url.pathname, chosen: pairs(url) }),
  },
  'one parameter with commas': inOneParameter(',', ':'),
  'one parameter with underscores': inOneParameter('_', '-'),
  'one parameter with slashes': inOneParameter('/', ':'),
  'one parameter with spaces': inOneParameter('+', ':'),
  'segments in the order of the choices': inPath('-', asChosen),
  'segments in one order': inPath('-', sorted),
  'segments with an equals sign in any order': inPath('=', shuffled),
  'segments of names and values': {
    write: (list, chosen) => [list, ...chosen.flat()].join('/'),
    read: ({ pathname }) => {
      const [, shop = '', list = '', ...rest] = pathname.split('/');
      const chosen = rest.flatMap((value, at) =>
        at % 2 === 1 ? [[rest[at - 1] ?? '', value] as const] : [],
      );
      return { list: `/${shop}/${list}`, chosen };
    },
  },
  'segments without names': {
    write: (list, chosen) => [list, ...chosen.map(([, value]) => value)].join('/'),
    read: ({ pathname }) => {
      const [, shop = '', list = '', ...rest] = pathname.split('/');
      const chosen = rest.map((value) => {
        const name = Object.keys(filters).find((one) => filters[one]?.includes(value)) ?? '';
        return [name, value] as const;
      });
      return { list: `/${shop}/${list}`, chosen };
    },
  },
};
