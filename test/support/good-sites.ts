/** Sites that look like traps here and there and are none: the links of each page, by its path. */

/** The start page is `/`. */
export type LinkGraph = ReadonlyMap<string, readonly string[]>;

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);
const pad = (n: number): string => String(n).padStart(2, '0');
const slugs = 'amber-harbour birch-lane cedar-point dune-grass ember-hill fern-valley'.split(' ');

/** Hexadecimal digits that look drawn by lot. */
function id(n: number, length = 32): string {
  let state = (n + 1) * 2654435761;
  return Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state >>> 28).toString(16);
  }).join('');
}
const uuid = (n: number): string =>
  id(n).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

function graph(...entries: (readonly [string, readonly string[]])[]): LinkGraph {
  return new Map(entries);
}

const months = range(2019, 2023).flatMap((year) =>
  range(1, 12).map((month) => `/${year}/${pad(month)}/`),
);
const postsOf = (month: string): string[] =>
  slugs.slice(0, 2).map((slug, n) => `${month}${slug}-and-note-${months.indexOf(month) * 2 + n}`);
const versions = ['2023-01', '2023-04', '2023-07', '2023-10', '2024-01', '2024-04', '2024-07'];
const releases = ['v1.8', 'v1.9', 'v2.0', 'v2.1', '2024.1', '2024.2', '2024.3'];
const topics = ['intro', 'install', 'usage', 'usage/advanced', 'api', 'api/client'];

/** Each is a kind of site by its name. */
export const goodSites: Readonly<Record<string, LinkGraph>> = {
  'a blog whose archive lists all months': graph(
    ['/', months],
    ...months.map((month) => [month, [...postsOf(month), ...months]] as const),
    ...months.flatMap((month) => postsOf(month).map((post) => [post, [month, '/']] as const)),
  ),
  'a blog whose months lead to the months before': graph(
    ['/', ['/2023/12/']],
    ...months.map((month, at) => [month, [months[at - 1] ?? '/', ...postsOf(month), '/']] as const),
    ...months.flatMap((month) => postsOf(month).map((post) => [post, [month, '/']] as const)),
  ),
  'a newspaper by year, month and day': graph(
    ['/', ['/archive/2023/']],
    ['/archive/2023/', range(1, 12).map((month) => `/archive/2023/${pad(month)}/`)],
    ...range(1, 12).flatMap((month) => {
      const path = `/archive/2023/${pad(month)}/`;
      const days = range(1, 28).map((day) => `${path}${pad(day)}/`);
      return [
        [path, days] as const,
        ...days.map(
          (day) => [day, [`${day}${slugs[month % 6] ?? ''}-${day.length}${month}`, path]] as const,
        ),
      ];
    }),
  ),
  'posts that lead from date to date': graph(
    ['/', ['/2024-03-28-note-28']],
    ...range(1, 28).map(
      (day) =>
        [
          `/2024-03-${pad(day)}-note-${day}`,
          [`/2024-03-${pad(day - 1)}-note-${day - 1}`, '/'],
        ] as const,
    ),
  ),
  'drawings by date, all of them in one list': graph(
    ['/', ['/archive']],
    [
      '/archive',
      range(1, 12).flatMap((month) =>
        range(1, 9).map((day) => `/drawing/2022-${pad(month)}-0${day}`),
      ),
    ],
    ...range(1, 12).flatMap((month) =>
      range(1, 9).map(
        (day) =>
          [
            `/drawing/2022-${pad(month)}-0${day}`,
            [`/drawing/2022-${pad(month)}-0${day + 1}`, '/archive'],
          ] as const,
      ),
    ),
  ),
  'a conference of three days': graph(
    ['/', ['/schedule']],
    ['/schedule', [12, 13, 14].map((day) => `/schedule/2024-06-${day}`)],
    ...[12, 13, 14].map(
      (day) =>
        [
          `/schedule/2024-06-${day}`,
          [12, 13, 14]
            .map((other) => `/schedule/2024-06-${other}`)
            .concat(range(1, 8).map((talk) => `/talk/${day}-${talk}`)),
        ] as const,
    ),
  ),
  'a list of 120 pages': graph(
    ['/', ['/news']],
    ['/news', ['/news/page/2']],
    ...range(2, 120).map(
      (n) =>
        [
          `/news/page/${n}`,
          [`/news/page/${n - 1}`, `/news/page/${n + 1}`, `/news/item-${n}`],
        ] as const,
    ),
  ),
  'a list of 80 pages in the query': graph(
    ['/', ['/list']],
    ['/list', ['/list?page=2', '/list?page=2&sort=name']],
    ...range(2, 80).map(
      (n) => [`/list?page=${n}`, [`/list?page=${n + 1}`, `/thing?id=${n}`]] as const,
    ),
  ),
  'manuals of many versions': graph(
    ['/', releases.map((release) => `/docs/${release}/`)],
    ...releases.map(
      (release) =>
        [`/docs/${release}/`, topics.map((topic) => `/docs/${release}/${topic}`)] as const,
    ),
    ...releases.flatMap((release) =>
      topics.map(
        (topic) =>
          [
            `/docs/${release}/${topic}`,
            releases.map((other) => `/docs/${other}/${topic}`),
          ] as const,
      ),
    ),
  ),
  'an interface whose versions are dates': graph(
    ['/', [`/api/${versions[0] ?? ''}/orders`]],
    ...versions.flatMap((version) =>
      ['orders', 'customers', 'refunds', 'shops', 'carts', 'events', 'taxes'].map(
        (name, at, names) =>
          [
            `/api/${version}/${name}`,
            [
              ...versions.map((other) => `/api/${other}/${name}`),
              `/api/${version}/${names[at + 1] ?? 'orders'}`,
            ],
          ] as const,
      ),
    ),
  ),
  'a shop with two facets and an order': (() => {
    const colours = ['red', 'green', 'blue', 'black', 'white', 'grey'];
    const sizes = ['xs', 's', 'm', 'l', 'xl'];
    const all = [
      ...colours.map((colour) => `/shoes?colour=${colour}`),
      ...sizes.map((size) => `/shoes?size=${size}`),
      ...colours.flatMap((colour) => sizes.map((size) => `/shoes?colour=${colour}&size=${size}`)),
    ];
    return graph(
      ['/', ['/shoes']],
      ['/shoes', all.slice(0, 11)],
      ...all.map((path) => {
        const missing = path.includes('colour')
          ? sizes.map((size) => `${path}&size=${size}`)
          : colours.map((colour) => path.replace('?', `?colour=${colour}&`));
        return [
          path,
          path.includes('&') ? [`${path}&page=2`, `/shoe/${path.length}`] : missing,
        ] as const;
      }),
    );
  })(),
  'manuals by topic and version in the query': (() => {
    const pathOf = (topic: number, version: number): string =>
      `/manual?topic=t${topic}${version === 0 ? '' : `&version=${version}`}`;
    const cells = range(1, 15).flatMap((topic) =>
      range(0, 5).map((version) => [topic, version] as const),
    );
    return graph(
      ['/', [pathOf(1, 0)]],
      ...cells.map(
        ([topic, version]) =>
          [
            pathOf(topic, version),
            [
              ...range(1, 15).map((other) => pathOf(other, version)),
              ...range(0, 5).map((other) => pathOf(topic, other)),
            ],
          ] as const,
      ),
    );
  })(),
  'results by year, league and round': (() => {
    const pathOf = (year: number, league: number, round: number): string =>
      `/results?year=${year}&league=l${league}&round=r${round}`;
    const cells = range(2020, 2023).flatMap((year) =>
      range(1, 4).flatMap((league) => range(1, 5).map((round) => [year, league, round] as const)),
    );
    return graph(
      ['/', [pathOf(2023, 1, 1)]],
      ...cells.map(
        ([year, league, round]) =>
          [
            pathOf(year, league, round),
            [
              ...range(2020, 2023).map((other) => pathOf(other, league, round)),
              ...range(1, 4).map((other) => pathOf(year, other, round)),
              ...range(1, 5).map((other) => pathOf(year, league, other)),
            ],
          ] as const,
      ),
    );
  })(),
  'long categories with words that come again': graph(
    ['/', ['/women', '/men']],
    ...['women', 'men'].flatMap((who) => [
      [`/${who}`, [`/${who}/shoes`]] as const,
      [`/${who}/shoes`, [`/${who}/shoes/running-shoes`, `/${who}/shoes/shoes`]] as const,
      [
        `/${who}/shoes/running-shoes`,
        range(1, 20).map((n) => `/${who}/shoes/running-shoes/${who}/model-${n}`),
      ] as const,
      ...range(1, 20).map(
        (n) =>
          [
            `/${who}/shoes/running-shoes/${who}/model-${n}`,
            [`/${who}/shoes/running-shoes/${who}/model-${n}/reviews/2024/5/5`],
          ] as const,
      ),
    ]),
  ),
  'pages whose names are hashes': graph(
    ['/', range(0, 9).map((n) => `/p/${id(n)}`)],
    ...range(0, 39).map(
      (n) =>
        [
          `/p/${id(n)}`,
          [
            ...range(n + 1, n + 4).map((other) => `/p/${id(other)}`),
            `/p/${id(n)}/photos`,
            `/p/${id(n)}/reviews`,
          ],
        ] as const,
    ),
  ),
  'records by their unique ids, of several kinds': graph(
    ['/', range(0, 9).map((n) => `/item?id=${uuid(n)}`)],
    ...range(0, 39).map(
      (n) =>
        [
          `/item?id=${uuid(n)}`,
          [
            `/print?id=${uuid(n)}`,
            `/owner?id=${uuid(n + 500)}`,
            `/shop?id=${uuid(n + 700)}`,
            ...range(n + 1, n + 4).map((other) => `/item?id=${uuid(other)}`),
          ],
        ] as const,
    ),
  ),
  'films by short ids': graph(
    ['/', range(0, 9).map((n) => `/watch?v=${id(n, 11)}`)],
    ...range(0, 60).map(
      (n) =>
        [
          `/watch?v=${id(n, 11)}`,
          range(n + 1, n + 9).map((other) => `/watch?v=${id(other, 11)}`),
        ] as const,
    ),
  ),
  'a site that is one script': graph(
    ['/', range(1, 30).flatMap((n) => [`/index.php?id=${n}`, `/index.php?cat=${n % 5}`])],
    ...range(0, 4).map(
      (cat) =>
        [
          `/index.php?cat=${cat}`,
          range(1, 30).map((n) => `/index.php?cat=${cat}&id=${n}`),
        ] as const,
    ),
    ...range(1, 30).map(
      (n) =>
        [
          `/index.php?id=${n}`,
          [
            `/index.php?id=${n}&lang=de`,
            `/index.php?id=${n}&print=1`,
            `/index.php?id=${n}&comment=${n}`,
          ],
        ] as const,
    ),
  ),
  'a forum': graph(
    ['/', range(1, 8).map((f) => `/viewforum.php?f=${f}`)],
    ...range(1, 8).flatMap((f) => {
      const threads = range(1, 8).map((t) => `/viewtopic.php?f=${f}&t=${f * 100 + t}`);
      return [
        [`/viewforum.php?f=${f}`, [...threads, `/viewforum.php?f=${f}&start=25`]] as const,
        ...threads.map(
          (thread) =>
            [
              thread,
              [`${thread}&start=15`, `${thread}&view=print`, `/profile.php?u=${thread.length}`],
            ] as const,
        ),
      ];
    }),
  ),
  'a wiki': graph(
    ['/', slugs.map((slug) => `/wiki/${slug}`)],
    ...slugs.map(
      (slug, n) =>
        [
          `/wiki/${slug}`,
          [
            `/index.php?title=${slug}&action=history`,
            `/index.php?title=${slug}&oldid=${n + 40}`,
            `/index.php?title=${slug}&action=info`,
            `/wiki/Talk:${slug}`,
          ],
        ] as const,
    ),
  ),
  'a browser of sources': graph(
    ['/', ['/tree/main/']],
    ...[
      '',
      'src/',
      'src/main/',
      'src/main/java/',
      'src/main/java/test/',
      'src/main/java/test/acme/',
    ].map(
      (path) =>
        [
          `/tree/main/${path}`,
          [
            ...[
              'src/',
              'src/main/',
              'src/main/java/',
              'src/main/java/test/',
              'src/main/java/test/acme/',
            ]
              .filter(
                (child) =>
                  child.startsWith(path) && child.split('/').length === path.split('/').length + 1,
              )
              .map((child) => `/tree/main/${child}`),
            ...range(1, 6).map((n) => `/tree/main/${path}file-${n}.java`),
          ],
        ] as const,
    ),
  ),
  'a site in several languages': graph(
    ['/', ['/en/', '/de/', '/fr/']],
    ...['en', 'de', 'fr'].flatMap((language) => [
      [`/${language}/`, slugs.map((slug) => `/${language}/${slug}/`)] as const,
      ...slugs.map(
        (slug) =>
          [
            `/${language}/${slug}/`,
            ['en', 'de', 'fr'].flatMap((other) => [
              `/${other}/${slug}/`,
              `/${other}/${slug}/${language}-${other}`,
            ]),
          ] as const,
      ),
    ]),
  ),
  'addresses of an interface that say a word twice': graph(
    ['/', ['/api/v1/users']],
    ['/api/v1/users', ['/api/v1/users/api-keys', '/api/v1/users/users', '/api/v1/users/api']],
    ['/api/v1/users/api', ['/api/v1/users/api/keys']],
  ),
};
