/** Where applications put themselves, and the scripts that only they have. */

/** Elements whose name says that an application goes there. */
export const mountTags: ReadonlyMap<string, string> = new Map([
  ['app-root', 'Angular'],
  ['ng-app', 'Angular'],
  ['ion-app', 'Ionic'],
  ['router-view', 'Vue'],
  ['ui-view', 'AngularJS'],
  ['ng-view', 'AngularJS'],
  ['flutter-view', 'Flutter'],
  ['flt-glass-pane', 'Flutter'],
]);

/** Ids that frameworks and their starters give; the others are told by what is in them. */
export const mountIds: ReadonlyMap<string, string | undefined> = new Map([
  ...names(undefined, 'root app application app-container app-wrapper app-mount app-root approot'),
  ...names(undefined, 'main-app app-main spa mount root-app single-page-app page-root site-root'),
  ...names('React', 'react-root reactroot react-app react-container react'),
  ...names('Next.js', '__next'),
  ...names('Nuxt', '__nuxt'),
  ...names('Vue', 'vue vue-app vueapp'),
  ...names('Quasar', 'q-app'),
  ...names('Gatsby', '___gatsby'),
  ...names('Svelte', 'svelte svelte-app sapper'),
  ...names('Ember', 'ember-app ember ember-basic-dropdown-wormhole'),
  ...names('Elm', 'elm elm-app elm-root'),
  ...names('Docusaurus', '__docusaurus'),
  ...names('Remix', 'remix-app'),
]);

function names(framework: string | undefined, ids: string): [string, string | undefined][] {
  return ids.split(' ').map((id) => [id, framework]);
}

/** Scripts and data that tell the framework of a page without any other mark. */
export function frameworkOf(source: string): string | undefined {
  return scriptMarks.find(([, mark]) => mark.test(source))?.[0];
}

const scriptMarks: readonly (readonly [framework: string, mark: RegExp])[] = [
  ['Flutter', /flutter(?:_bootstrap|_service_worker)?\.js|main\.dart\.js|_flutter\.loader/],
  ['Blazor', /blazor\.(?:webassembly|web|server)\.js/],
  ['GWT', /\.nocache\.js/],
  ['Meteor', /__meteor_runtime_config__/],
  ['Elm', /\bElm\.[\w.]{1,60}\.init\(/],
  ['Svelte', /__sveltekit|sveltekit:|new \w{1,40}\(\{\s{0,20}target:/],
  ['Nuxt', /__NUXT__|\/_nuxt\//],
  ['Next.js', /__NEXT_DATA__|\/_next\/static/],
  ['Gatsby', /window\.___/],
  ['Ember', /\/assets\/vendor-[\da-f]{6,40}\.js|EmberENV/],
  ['AngularJS', /\bangular\.module\(/],
];
