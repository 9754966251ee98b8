/** Sites of different kinds, each with questions whose answers stand on known pages. */
import { seeded } from './memory-web.ts';

/** A question to a site, and the pages of which one or more have the answer. */
export interface SiteQuestion {
  readonly query: string;
  /** Each inner list: one of these pages is enough. Empty: the site has no answer. */
  readonly answers: readonly (readonly string[])[];
  /**
   * True where no link to the answer has words of the query, or the page has others: nothing then says that the
   * answer was read.
   */
  readonly isUnnamed?: true;
}

export interface AnswerSite {
  /** Pages by path. */
  readonly pages: Readonly<Record<string, string>>;
  readonly questions: readonly SiteQuestion[];
}

/** One page to build. */
export interface PagePlan {
  readonly title: string;
  /** HTML of the content. */
  readonly body: string;
  /** Paths that the content links to, with the texts of their links. */
  readonly links?: readonly (readonly [path: string, text: string])[];
}

/** The pages of a site, each with the menu and the footer. */
export function siteOf(
  name: string,
  lang: string,
  menu: readonly (readonly [string, string])[],
  footer: string,
  plans: Readonly<Record<string, PagePlan>>,
): Record<string, string> {
  const anchors = (links: PagePlan['links'] = []): string =>
    links.map(([path, text]) => `<li><a href="${path}">${text}</a></li>`).join('');
  return Object.fromEntries(
    Object.entries(plans).map(([path, { title, body, links }]) => [
      path,
      `<!doctype html><html lang="${lang}"><head><title>${title} | ${name}</title></head><body>` +
        `<header><nav><ul>${anchors(menu)}</ul></nav></header><main><h1>${title}</h1>${body}` +
        `<ul>${anchors(links)}</ul></main><footer><p>${footer}</p></footer></body></html>`,
    ]),
  );
}

/** Paragraphs of HTML. */
export const paragraphs = (...texts: readonly string[]): string =>
  texts.map((text) => `<p>${text}</p>`).join('');

const p = paragraphs;

/** Picks words by chance, the same each time. */
export function picker(seed: number): (words: string) => string {
  const chance = seeded(seed);
  return (words) => {
    const list = words.split('|');
    return list[Math.floor(chance() * list.length)] ?? '';
  };
}

/** The documentation of a programming library: 56 pages. */
export function documentationSite(): AnswerSite {
  const pick = picker(11);
  const plans: Record<string, PagePlan> = {};
  const guides: Readonly<Record<string, readonly [string, string]>> = {
    install: [
      'Installation',
      p(
        'Install the package with npm install tinlantern.',
        'Tinlantern needs Node.js 20.11 or newer. Older versions of Node.js lack the web streams that the client builds on.',
        'In Docker use the image of the same version as your application.',
      ),
    ],
    quickstart: [
      'Quick start',
      p(
        'Create a client and send your first request. The client keeps connections open and reuses them.',
        'Requests return a promise of a response with a status and a body.',
      ),
    ],
    timeouts: [
      'Timeouts',
      `${p('A request that takes too long is ended by a timeout error.')}<h2 id="default">The default</h2>${p(
        'The default timeout of a request is 30 seconds, from the first byte sent to the last byte received. Set another one with the option timeout, in milliseconds.',
        'A timeout of 0 turns the limit off.',
      )}`,
    ],
    retries: [
      'Retries',
      p(
        'Requests that fail for a passing reason are tried again, 3 times at most. The pause before each attempt doubles, beginning with 200 milliseconds.',
        'Requests with the method POST are never retried, unless the option retryUnsafe is true.',
      ),
    ],
    proxies: [
      'Proxies',
      p(
        'To send requests through a proxy, pass its address as the option proxy. Names and passwords for the proxy stand in its URL.',
        'SOCKS5 proxies are supported since version 4.2 of the client.',
      ),
    ],
    uploads: [
      'Uploads',
      p(
        'Files are sent as streams. The maximum size of an upload is 512 megabytes; larger files are refused before the first byte leaves the machine.',
        'Show the progress of an upload with the event uploadProgress.',
      ),
    ],
    caching: [
      'Caching',
      p(
        'Responses are kept in memory as their headers allow. Pass a store of your own to keep the cache in Redis or on disk.',
        'To clear the cache, call client.cache.clear().',
      ),
    ],
    streaming: ['Streaming', p('Read a large response piece by piece with for await.')],
    cookies: [
      'Cookies',
      p('Cookies are kept in a jar for each client. Save the jar with jar.toJSON().'),
    ],
    testing: [
      'Testing',
      p('The mock agent answers requests in tests without any network. Default answers are 404.'),
    ],
    logging: ['Logging', p('Pass a logger to see each request and its time in milliseconds.')],
    migration: [
      'Migration from version 3',
      p('The option retry is now called retries. Callbacks were removed: use promises.'),
    ],
  };
  const guideLinks = Object.entries(guides).map(
    ([name, [title]]) => [`/docs/${name}`, title] as const,
  );
  for (const [name, [title, body]] of Object.entries(guides)) {
    plans[`/docs/${name}`] = { title, body, links: guideLinks.slice(0, 5) };
  }
  const members =
    'get|put|post|head|patch|delete|options|stream|paginate|extend|abort|close|pool|agent|jar|store|parse|encode|decode|sign|verify|hooks|events|metrics|trace|limits|headers|body|form|query'.split(
      '|',
    );
  for (const name of members) {
    plans[`/api/${name}`] = {
      title: `client.${name}()`,
      body: p(
        `Calls ${name} of the client and returns ${pick('a promise|a stream|an object|nothing')}. The ${pick('options|headers|values')} are those of the client, unless the call gives others.`,
        `Throws ${pick('TypeError|RangeError|AbortError')} when the ${pick('argument|signal|body')} is not usable. A timeout ends the call like any other request.`,
      ),
      links: [['/api/', 'All calls']],
    };
  }
  for (let version = 1; version <= 10; version += 1) {
    plans[`/changelog/4.${version}`] = {
      title: `Version 4.${version}`,
      body: p(
        `Fixes ${pick('a leak|a crash|a typo|a race')} in the ${pick('pool|cache|proxy|cookie jar|upload')} code. Thanks to ${pick('Ines|Tomo|Brid|Osei')} for the report.`,
        `The ${pick('types|messages|docs')} of ${pick('retries|timeouts|hooks|streams')} are better.`,
      ),
    };
  }
  plans['/api/'] = {
    title: 'API reference',
    body: p('All calls of the client.'),
    links: members.map((name) => [`/api/${name}`, `client.${name}()`] as const),
  };
  plans['/changelog/'] = {
    title: 'Changelog',
    body: p('All versions.'),
    links: Array.from({ length: 10 }, (_, n) => [`/changelog/4.${n + 1}`, `4.${n + 1}`] as const),
  };
  plans['/docs/'] = {
    title: 'Guides',
    body: p('Learn how to set timeouts, retries, proxies and the maximum size of uploads.'),
    links: guideLinks,
  };
  plans['/'] = {
    title: 'Tinlantern, an HTTP client',
    body: p('A small HTTP client for Node.js with retries, timeouts, proxies and a cache.'),
  };
  const menu = [
    ['/docs/', 'Guides'],
    ['/api/', 'API'],
    ['/changelog/', 'Changelog'],
  ] as const;
  return {
    pages: siteOf('Tinlantern', 'en', menu, 'Tinlantern is free software.', plans),
    questions: [
      { query: 'default request timeout', answers: [['/docs/timeouts']] },
      { query: 'How many times is a failed request retried?', answers: [['/docs/retries']] },
      { query: 'maximum size of an upload', answers: [['/docs/uploads']] },
      { query: 'Which version of Node.js is needed to install it?', answers: [['/docs/install']] },
      { query: 'use a SOCKS5 proxy', answers: [['/docs/proxies']] },
      { query: 'clear the response cache', answers: [['/docs/caching']] },
      { query: 'GraphQL subscriptions over WebSocket', answers: [] },
      { query: 'How much does the enterprise licence cost?', answers: [] },
    ],
  };
}

/** A shop with products, a FAQ and pages about shipping: 60 pages. */
export function shopSite(): AnswerSite {
  const pick = picker(23);
  const plans: Record<string, PagePlan> = {};
  const products: (readonly [string, string])[] = [];
  for (let n = 1; n <= 42; n += 1) {
    const name = `${pick('Oak|Ash|Birch|Walnut|Pine')} ${pick('desk|shelf|stool|bench|table|bed')} ${n}`;
    const path = `/products/${name.toLowerCase().replaceAll(' ', '-')}`;
    products.push([path, name]);
    plans[path] = {
      title: name,
      body: `${p(
        `A ${pick('plain|light|heavy|small|wide')} piece for the ${pick('hall|kitchen|study|bedroom')}, made in our workshop in ${pick('Kirkwall|Stromness')}.`,
      )}<table><tr><td>Price</td><td>£${100 + n * 7}.00</td></tr><tr><td>Weight</td><td>${5 + n} kg</td></tr></table>${p(
        'Plus shipping costs. Delivery takes some days. You may return furniture.',
      )}`,
      links: [['/products/', 'All furniture']],
    };
  }
  plans['/products/'] = {
    title: 'All furniture',
    body: p('Desks, shelves, beds.'),
    links: products,
  };
  const help: Readonly<Record<string, readonly [string, string]>> = {
    shipping: [
      'Shipping',
      `<h2>Costs</h2><table><tr><th>Country</th><th>Costs</th><th>Time</th></tr><tr><td>United Kingdom</td><td>£9.50</td><td>3 days</td></tr><tr><td>Ireland</td><td>£19.00</td><td>6 days</td></tr><tr><td>Norway</td><td>£48.00</td><td>9 days</td></tr></table>${p('Shipping to other countries is not possible at the moment.')}`,
    ],
    returns: [
      'Returns and refunds',
      p(
        'You may send furniture back within 45 days, without giving a reason. Write to us first; our driver collects it for a fee of £15.',
        'Refunds reach your account 5 working days after the furniture is back in our workshop.',
      ),
    ],
    payment: [
      'Payment',
      p(
        'We take cards, bank transfers and PayPal. Payment by invoice is open to schools and councils.',
      ),
    ],
    care: [
      'Care of wood',
      p(
        'Oil oak twice a year, with linseed oil and a soft cloth. Wipe the rest off after 20 minutes.',
        'Keep walnut out of the sun: it fades.',
      ),
    ],
    guarantee: [
      'Guarantee',
      p('Joints and frames have a guarantee of 12 years. Scratches and dents are not part of it.'),
    ],
    assembly: [
      'Assembly',
      p('Most pieces come whole. Beds are put together with the key in the box.'),
    ],
  };
  const helpLinks = Object.entries(help).map(
    ([name, [title]]) => [`/help/${name}`, title] as const,
  );
  for (const [name, [title, body]] of Object.entries(help)) {
    plans[`/help/${name}`] = { title, body, links: [['/help/', 'Help']] };
  }
  plans['/help/faq'] = {
    title: 'Frequently asked questions',
    body:
      '<h2>Can I visit the workshop?</h2><p>Yes, on Thursdays from 10 to 16 o’clock, by appointment.</p>' +
      '<h2>Do you make furniture to measure?</h2><p>Yes. A desk or shelf made to measure takes 8 to 10 weeks.</p>' +
      '<h2>How do shipping costs add up?</h2><p>The shipping costs of an order are those of its heaviest piece.</p>' +
      '<h2>Is there a guarantee?</h2><p>Yes, see the page about our guarantee.</p>',
    links: [['/help/', 'Help']],
  };
  plans['/help/'] = {
    title: 'Help',
    body: p('Answers and advice.'),
    links: [...helpLinks, ['/help/faq', 'FAQ']],
  };
  for (let n = 1; n <= 7; n += 1) {
    plans[`/journal/${n}`] = {
      title: `${pick('A day|A week|A morning')} in the workshop, ${n}`,
      body: p(
        `This time ${pick('Una|Rab|Mhairi')} shows how ${pick('a drawer|a joint|a leg')} is cut from ${pick('oak|ash|pine')}.`,
      ),
    };
  }
  plans['/journal/'] = {
    title: 'Journal',
    body: p('Letters from the workshop.'),
    links: Array.from({ length: 7 }, (_, n) => [`/journal/${n + 1}`, `Letter ${n + 1}`] as const),
  };
  plans['/'] = { title: 'Selkie Furniture', body: p('Furniture of solid wood from Orkney.') };
  const menu = [
    ['/products/', 'Furniture'],
    ['/help/', 'Help'],
    ['/journal/', 'Journal'],
  ] as const;
  return {
    pages: siteOf(
      'Selkie',
      'en',
      menu,
      'All prices plus shipping costs. Selkie Furniture, Kirkwall.',
      plans,
    ),
    questions: [
      { query: 'How much are shipping costs to Norway?', answers: [['/help/shipping']] },
      { query: 'return furniture within how many days', answers: [['/help/returns']] },
      { query: 'How long is the guarantee on joints and frames?', answers: [['/help/guarantee']] },
      { query: 'visit the workshop', answers: [['/help/faq']], isUnnamed: true },
      { query: 'how often oil an oak table', answers: [['/help/care']], isUnnamed: true },
      { query: 'pay by invoice', answers: [['/help/payment']], isUnnamed: true },
      {
        query: 'How long does furniture made to measure take?',
        answers: [['/help/faq']],
        isUnnamed: true,
      },
      { query: 'Do you ship to Brazil by air?', answers: [] },
      { query: 'leather sofa with sleeping function', answers: [] },
    ],
  };
}

/** A town: offices, services, news, in German: 58 pages. */
export function townSite(): AnswerSite {
  const pick = picker(37);
  const plans: Record<string, PagePlan> = {};
  const services: Readonly<Record<string, readonly [string, string]>> = {
    personalausweis: [
      'Personalausweis beantragen',
      p(
        'Der Personalausweis kostet 37 Euro, für Personen unter 24 Jahren 22,80 Euro. Bringen Sie ein Foto und Ihren alten Ausweis mit.',
        'Die Ausstellung dauert etwa 3 Wochen.',
      ),
    ],
    reisepass: ['Reisepass', p('Ein Reisepass kostet 70 Euro und ist 10 Jahre gültig.')],
    hundesteuer: [
      'Hundesteuer',
      p(
        'Für den ersten Hund beträgt die Steuer 96 Euro im Jahr, für jeden weiteren 132 Euro. Melden Sie einen Hund binnen 14 Tagen an.',
      ),
    ],
    wohnsitz: [
      'Wohnsitz anmelden',
      p(
        'Melden Sie sich binnen zwei Wochen nach dem Einzug im Bürgerbüro an. Die Anmeldung ist kostenlos.',
      ),
    ],
    kita: [
      'Kindertagesstätten',
      p(
        'Plätze in einer Kita vergibt das Jugendamt. Anmeldeschluss für das neue Jahr ist der 31. Januar.',
      ),
    ],
    sperrmuell: [
      'Sperrmüll',
      p(
        'Sperrmüll wird zweimal im Jahr kostenlos abgeholt, bis zu 3 Kubikmeter. Bestellen Sie die Abholung unter 0471 5550.',
      ),
    ],
    trauung: ['Trauungen', p('Das Standesamt traut dienstags bis samstags, auch im Leuchtturm.')],
    parken: ['Bewohnerparken', p('Der Ausweis für Bewohner zum Parken kostet 60 Euro im Jahr.')],
    fundbuero: ['Fundbüro', p('Fundsachen werden sechs Monate aufbewahrt.')],
    gewerbe: ['Gewerbe anmelden', p('Die Anmeldung eines Gewerbes kostet 26 Euro.')],
  };
  const serviceLinks = Object.entries(services).map(
    ([name, [title]]) => [`/service/${name}`, title] as const,
  );
  for (const [name, [title, body]] of Object.entries(services)) {
    plans[`/service/${name}`] = { title, body, links: [['/service/', 'Alle Leistungen']] };
  }
  plans['/service/'] = {
    title: 'Leistungen von A bis Z',
    body: p('Was die Stadt für Sie tut.'),
    links: serviceLinks,
  };
  const places: Readonly<Record<string, readonly [string, string]>> = {
    buergerbuero: [
      'Bürgerbüro',
      p(
        'Das Bürgerbüro ist montags bis freitags von 8 bis 16 Uhr geöffnet, donnerstags bis 19 Uhr.',
      ),
    ],
    buecherei: [
      'Stadtbücherei',
      p(
        'Die Bücherei ist dienstags bis samstags von 11 bis 18 Uhr geöffnet. Ein Ausweis für Erwachsene kostet 20 Euro im Jahr.',
      ),
    ],
    hallenbad: [
      'Hallenbad',
      p(
        'Das Hallenbad ist täglich von 6.30 bis 21 Uhr geöffnet. Der Eintritt kostet 5 Euro, für Kinder 2,50 Euro.',
      ),
    ],
    museum: [
      'Seefahrtsmuseum',
      p('Das Museum zeigt Schiffe aus vier Jahrhunderten. Montags geschlossen.'),
    ],
    rathaus: ['Rathaus', p('Im Rathaus sitzen der Bürgermeister und der Rat der Stadt.')],
  };
  const placeLinks = Object.entries(places).map(
    ([name, [title]]) => [`/orte/${name}`, title] as const,
  );
  for (const [name, [title, body]] of Object.entries(places))
    plans[`/orte/${name}`] = { title, body };
  plans['/orte/'] = { title: 'Einrichtungen', body: p('Orte der Stadt.'), links: placeLinks };
  for (let n = 1; n <= 38; n += 1) {
    const place = pick('im Hallenbad|im Museum|in der Bücherei|am Hafen|im Rathaus|auf dem Markt');
    plans[`/aktuelles/${n}`] = {
      title: `${pick('Fest|Lesung|Ausstellung|Konzert|Baustelle|Sitzung')} ${place}`,
      body: p(
        `Am ${(n % 28) + 1}. ${pick('März|Mai|Juli|Oktober')} lädt die Stadt zu einem Abend ${place} ein. Der Eintritt ist frei.`,
        `${pick('Der Bürgermeister|Der Rat|Das Bürgerbüro|Der Verein')} freut sich auf viele Gäste.`,
      ),
      links: [['/aktuelles/', 'Alle Meldungen']],
    };
  }
  plans['/aktuelles/'] = {
    title: 'Aktuelles',
    body: p('Meldungen der Stadt.'),
    links: Array.from(
      { length: 38 },
      (_, n) => [`/aktuelles/${n + 1}`, (plans[`/aktuelles/${n + 1}`] as PagePlan).title] as const,
    ),
  };
  plans['/'] = { title: 'Stadt Norderhafen', body: p('Willkommen in der Stadt am Meer.') };
  const menu = [
    ['/service/', 'Leistungen'],
    ['/orte/', 'Einrichtungen'],
    ['/aktuelles/', 'Aktuelles'],
  ] as const;
  return {
    pages: siteOf('Norderhafen', 'de', menu, 'Bürgerbüro und Rathaus: 0471 5550.', plans),
    questions: [
      { query: 'Was kostet ein Personalausweis?', answers: [['/service/personalausweis']] },
      { query: 'Öffnungszeiten Hallenbad', answers: [['/orte/hallenbad']], isUnnamed: true },
      { query: 'Wie hoch ist die Hundesteuer?', answers: [['/service/hundesteuer']] },
      { query: 'Wie oft wird Sperrmüll abgeholt?', answers: [['/service/sperrmuell']] },
      { query: 'Wann ist das Bürgerbüro geöffnet?', answers: [['/orte/buergerbuero']] },
      { query: 'Wo bekomme ich einen Angelschein?', answers: [] },
      { query: 'Wann fährt die Fähre nach Helgoland?', answers: [] },
    ],
  };
}
