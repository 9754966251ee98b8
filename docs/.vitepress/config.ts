/** The documentation site: `npm run docs` builds it into docs/.vitepress/dist. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress';

const repository = 'https://github.com/pagewright/pagewright';
const apiSidebar = fileURLToPath(new URL('../api/sidebar.json', import.meta.url));

/** A group of pages: the text of the link, and the file. */
function group(text: string, pages: Readonly<Record<string, string>>): DefaultTheme.SidebarItem {
  const items = Object.entries(pages).map(([page, file]) => ({ text: page, link: `/${file}` }));
  return { text, items, collapsed: text !== 'Start' && text !== 'Guides' };
}

const guides: DefaultTheme.SidebarItem[] = [
  group('Start', {
    'Getting started': 'getting-started',
    'Ten first tasks': 'first-tasks',
    Cookbook: 'cookbook',
    'Cookies, proxies, timeouts': 'network',
    'Questions and troubleshooting': 'troubleshooting',
  }),
  group('Guides', {
    'Scrape a page': 'scrape',
    'Crawl a site': 'crawl',
    'Map the URLs of a site': 'map',
    Search: 'search',
    'Extract typed data': 'extract',
    'The command line': 'command-line',
    'Tools for agents (MCP)': 'mcp',
    'Tools for the AI SDK': 'ai-sdk',
    'LangChain, LlamaIndex, Mastra, Vercel': 'frameworks',
    Jobs: 'jobs',
    'The client': 'client',
    Storage: 'storage',
    'More than one machine': 'scale-out',
    Testing: 'testing',
    Observability: 'observability',
    Deployment: 'deployment',
    'Runtimes and bundlers': 'runtimes',
  }),
  group('Pages', {
    'The browser': 'browser',
    Actions: 'actions',
    Sessions: 'sessions',
    'Tasks in words': 'act',
    'Ads and consent dialogs': 'blocking',
    Stealth: 'stealth',
    Branding: 'branding',
    Requests: 'requests',
    'Formats of your own': 'formats',
    Hooks: 'hooks',
    'Change tracking': 'change-tracking',
    Monitors: 'monitor',
    Cache: 'cache',
    Privacy: 'privacy',
  }),
  group('Data', {
    'Language models': 'models',
    'Selectors in schemas': 'selectors-in-schemas',
    Provenance: 'provenance',
    'Learned recipes': 'recipes',
    Product: 'product',
  }),
  group('Files', {
    'Files that are not HTML': 'files',
    'Images, files and captions': 'assets',
    PDF: 'pdf',
    'Office files': 'office',
    OCR: 'ocr',
    'Export and import': 'export',
    'The report of a job': 'report',
  }),
  group('On the web', {
    Politeness: 'politeness',
    'Traps and duplicates': 'traps',
    'A hostile web': 'hostile-web',
    Security: 'security',
    Webhooks: 'webhooks',
    'A billion pages': 'scale-out-plan',
  }),
  group('Coming from', {
    Comparison: 'comparison',
    'Moving from Firecrawl': 'from-firecrawl',
    'Moving from Crawlee': 'from-crawlee',
    'Moving from Crawl4AI': 'from-crawl4ai',
    'Together with Crawlee': 'crawlee',
  }),
  group('Reference', {
    Options: 'options',
    'Error codes': 'errors',
    Channels: 'channels',
    API: 'api/',
  }),
];

/** How much a hit of the search counts: reference and plans come after guides. Runs in the browser, by itself. */
function rank(page: string): number {
  return /\/(?:options|errors|channels|architecture|scale-out-plan)(?:#|$)/.test(page) ? 0.3 : 1;
}

const config: UserConfig<DefaultTheme.Config> = defineConfig({
  title: 'pagewright',
  description: 'Turn the web into clean markdown and typed data inside your own process.',
  cleanUrls: true,
  // Not `assets`: the guide of that name would be hidden by the folder.
  assetsDir: 'static',
  lastUpdated: false,
  // No picture, so that browsers do not ask for /favicon.ico.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, readFileSync(new URL('site.css', import.meta.url), 'utf8')],
  ],
  // Reports for reviews and notes of the developers.
  srcExclude: ['public-api.md'],
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/getting-started' },
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'Help', link: '/troubleshooting' },
      { text: 'Options', link: '/options' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: {
      '/api/': existsSync(apiSidebar)
        ? (JSON.parse(readFileSync(apiSidebar, 'utf8')) as DefaultTheme.SidebarItem[])
        : [],
      '/': [
        ...guides,
        group('Inside', { Contributing: 'contributing', 'How it is built': 'architecture' }),
      ],
    },
    search: {
      provider: 'local',
      options: {
        // Guides only: the API has a page a group, with an outline.
        _render: (source, environment, markdown: { render(text: string, from: object): string }) =>
          /^(?:api|decisions)\//.test(environment.relativePath)
            ? ''
            : markdown.render(source, environment),
        miniSearch: { searchOptions: { boostDocument: rank } },
      },
    },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
  },
  markdown: {
    config(markdown) {
      const plain = markdown.renderer.rules.link_open;
      // Files of the repository beside docs/ are read there.
      markdown.renderer.rules.link_open = (tokens, index, options, environment, self) => {
        const token = tokens[index];
        const link = token?.attrGet('href') ?? '';
        const [, path] =
          /^(?:\.\.\/)+((?:examples|test|bench|src|fixtures|[A-Z]+\.md).*)$/.exec(link) ?? [];
        if (link === 'decisions/') token?.attrSet('href', `${repository}/tree/main/docs/decisions`);
        if (path !== undefined) token?.attrSet('href', `${repository}/blob/main/${path}`);
        return (
          plain?.(tokens, index, options, environment, self) ??
          self.renderToken(tokens, index, options)
        );
      };
    },
  },
});

export default config;
