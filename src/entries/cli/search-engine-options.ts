/** The search engine of a command: its name, with the key or the URL from the environment. */
import { type Command, Option } from 'commander';
import { openModelNetwork } from '../../core/http/post.ts';
import { type ClientOptions, PagewrightError, type SearchEngine } from '../../index.ts';
import { braveSearch, exa, searxng, tavily } from '../search/index.ts';
import { createNetworkPolicy } from '../../core/http/network/policy.ts';
import { systemClock } from '../../extract/llm/call-model.ts';
import { fetchJson } from '../../core/http/fetch-json.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';

/** The values that commander parses. */
export interface SearchEngineValues {
  readonly engine?: string;
  readonly engineUrl?: string;
}

/** Makes an engine of its key and URL; for SearXNG the variable has the URL. */
interface EngineMaker {
  readonly variable: string;
  make(value: string, url: string | undefined): SearchEngine;
}

const engines: Readonly<Record<string, EngineMaker>> = {
  searxng: { variable: 'SEARXNG_URL', make: (value) => searxng({ url: value }) },
  brave: { variable: 'BRAVE_API_KEY', make: (apiKey, url) => braveSearch({ apiKey, url }) },
  tavily: { variable: 'TAVILY_API_KEY', make: (apiKey, url) => tavily({ apiKey, url }) },
  exa: { variable: 'EXA_API_KEY', make: (apiKey, url) => exa({ apiKey, url }) },
};

const variables = Object.values(engines)
  .map(({ variable }) => variable)
  .join(', ');

/** Adds `--search` to a command that works without an engine. */
export function addSearchOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--search <engine>',
      `search the web with it; keys are read from ${variables}`,
    ).choices(Object.keys(engines)),
  );
}

/** Adds the options to a command. */
export function addSearchEngineOptions(command: Command): Command {
  return command
    .optionsGroup('Search engine:')
    .addOption(
      new Option(
        '--engine <name>',
        `keys are read from ${variables} (default: the one of the config file, or the first whose variable is set)`,
      ).choices(Object.keys(engines)),
    )
    .option('--engine-url <url>', 'the URL of a SearXNG instance, or another endpoint of the API');
}

/** The config file's settings for requests to an engine; `search` is an engine of its own. */
type EngineSettings = Pick<ClientOptions, 'search' | 'tls' | 'userAgent' | 'limits'>;

/** An engine, which ends with the command; undefined: the config file has it. */
export interface OpenSearchEngine extends AsyncDisposable {
  readonly engine: SearchEngine | undefined;
}

/**
 * Opens the engine of the options; `option` is the one that names it. The settings of the config file apply to its
 * requests, too. Throws `BAD_REQUEST` where there is none, and where its key is missing.
 */
export function openSearchEngine(
  { engine: given, engineUrl }: SearchEngineValues,
  { search, ...settings }: EngineSettings,
  option = '--engine',
): OpenSearchEngine {
  const isConfigured = search !== undefined;
  const isSet = ([, { variable }]: [string, EngineMaker]): boolean =>
    Boolean(process.env[variable]);
  const byUrl = engineUrl === undefined ? undefined : 'searxng';
  const bySetting = isConfigured ? undefined : Object.entries(engines).find(isSet)?.[0];
  const name = given ?? byUrl ?? bySetting;
  if (name === undefined && isConfigured) {
    return { engine: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const maker = name === undefined ? undefined : engines[name];
  if (name === undefined || maker === undefined) {
    const message = `search needs --engine <name>: ${Object.keys(engines).join(', ')}; or ${variables} in the environment; or --index <id> for a stored crawl.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const { variable, make } = maker;
  const value =
    (name === 'searxng' ? engineUrl : undefined) ?? (process.env[variable] || undefined);
  if (value === undefined) {
    const takesUrl = name === 'searxng' && option === '--engine';
    const remedy = takesUrl ? `give --engine-url, or set ${variable}` : `set ${variable}`;
    throw new PagewrightError('BAD_REQUEST', `${option} ${name}: ${remedy}.`);
  }
  const url = name === 'searxng' ? value : engineUrl;
  const engine = make(value, engineUrl);
  if (url === undefined || !canParseUrl(url)) {
    return { engine, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  return overOwnNetwork(engine, new URL(url), settings);
}

/**
 * The engine over a network of its own, whose policy allows the endpoint: an instance on this machine is reachable,
 * and pages still cannot be fetched from there.
 */
function overOwnNetwork(
  engine: SearchEngine,
  { hostname }: URL,
  { tls, userAgent = `pagewright/${packageVersion()}`, limits }: EngineSettings,
): OpenSearchEngine {
  const policy = createNetworkPolicy({ allow: [hostname] });
  const { headerBytes } = limits ?? {};
  const network = openModelNetwork({ policy, userAgent, tls, headerBytes }, systemClock);
  const { name } = engine;
  return {
    engine: {
      ...engine,
      search: (query, request) => {
        const { signal } = request;
        const own = { ...request, fetchJson: fetchJson.bind(undefined, { name, network, signal }) };
        return engine.search(query, own);
      },
    },
    [Symbol.asyncDispose]: () => network.dispose(),
  };
}
