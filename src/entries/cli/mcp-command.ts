/** `pagewright mcp`: the tools of the library for agents, over the Model Context Protocol. */
import type { Command } from 'commander';
import { type ClientOptions, PagewrightError } from '../../index.ts';
import { defaultsForAnyHost } from '../../core/options/client-defaults.ts';
import { clientEngines } from '../../core/options/client-options.ts';
import { ExitCode, forCommandLine, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import {
  addConnectionOptions,
  connectionOptions,
  type ConnectionValues,
  openClient,
} from './connection-options.ts';
import { addModelOptions, modelOptions, type ModelValues } from './model-options.ts';
import { type ActRisk, actRisks } from '../../browser/actions/act-recipe.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import { contentRows } from '../../core/options/scrape-options.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';
import { numberValue } from './option-values.ts';
import { addSearchOption, openSearchEngine } from './search-engine-options.ts';
import { addStoreOptions, storeOptions, type StoreValues } from './store-options.ts';

const budgetFlags = {
  hosts: '<host,…> contact only these hosts: names, *.wildcards, addresses; repeatable',
  budget: '<name=number,…> of the session: requests, bytes, seconds, tokens, cost',
} as const;
const toolFlags = {
  allowActions: 'agents may click, type and run scripts in pages',
  allowActs: `<name,…> what tasks in words may do: ${actRisks.join(', ')} (default: none)`,
  cache: '<folder> keep copies of pages there, and read pages from them',
  quiet: 'only warnings and errors',
} as const;

interface McpValues
  extends
    ConnectionValues,
    ModelValues,
    StoreValues,
    FlagValues<typeof budgetFlags & typeof toolFlags> {
  readonly maxCharacters: number;
  readonly search?: string;
}

/** Adds the command. */
export function addMcpCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('mcp')
    .summary('tools for agents, over MCP')
    .description(
      'Serves the Model Context Protocol on stdin and stdout: agents scrape, crawl, map and extract.',
    )
    .optionsGroup('Limits:');
  addFlags(command, budgetFlags).option(
    '--max-characters <count>',
    'page text in one result',
    numberValue,
    20_000,
  );
  addSearchOption(addFlags(command, { ...toolFlags, ...redaction }));
  addModelOptions(command);
  addConnectionOptions(command);
  addStoreOptions(command);
  command.addHelpText('after', examples).action(async (values: McpValues) => {
    const { maxCharacters } = values;
    if (!Number.isInteger(maxCharacters) || maxCharacters < 1000 || maxCharacters > 1_000_000) {
      throw new PagewrightError('BAD_REQUEST', '--max-characters: expected 1000 to 1000000.');
    }
    const { serveMcp, SessionBudget } = await loadModule(() => import('../agents/mcp/serve.ts'));
    const budget = new SessionBudget(values.budget, 'pagewright mcp');
    const config = await run.config();
    const chosen = connectionOptions(values, run.log).engines ?? config.engines;
    const stop = new AbortController();
    using _ = onInterrupt(() => stop.abort(), ['SIGINT', 'SIGTERM']);
    await using opened =
      values.search === undefined
        ? undefined
        : openSearchEngine({ engine: values.search }, { ...config, search: undefined }, '--search');
    const search = opened?.engine ?? config.search;
    const { model = config.model } = modelOptions(values);
    await using client = await openClient(run, values, {
      ...storeOptions(values),
      ...(search && { search }),
      ...(model && { model: budget.metered(model) }),
      defaults: toolDefaults(config.defaults, values),
      engines: (builtIn) => budget.over(clientEngines(chosen, builtIn)),
    });
    run.log.info('mcp', 'ready', 'pagewright: MCP on stdin and stdout');
    await serveMcp(
      {
        client,
        budget,
        maxCharacters,
        hasModel: model !== undefined,
        hasSearch: search !== undefined,
        allowsActions: values.allowActions === true,
        allowsActs: allowedActs(values),
        hasStore: values.store !== undefined || config.storage !== undefined,
        reword: forCommandLine,
      },
      { signal: stop.signal, onError: (error) => run.log.warn(error.message) },
    );
    run.finish(ExitCode.success);
  });
}

/** The defaults of the config file for hosts that agents name, with `--redact` for every page. */
function toolDefaults(
  given: ClientOptions['defaults'] = {},
  values: McpValues,
): ClientOptions['defaults'] {
  const defaults = defaultsForAnyHost(given);
  const { redact } = flagValues(redaction, values);
  return redact === undefined ? defaults : { ...defaults, scrape: { ...defaults.scrape, redact } };
}

const redaction = { redact: contentRows.redact };

/** Throws `BAD_REQUEST` for another name. */
function allowedActs({ allowActs = [] }: McpValues): ActRisk[] {
  return allowActs.map((name) => {
    const risk = actRisks.find((one) => one === name);
    if (risk !== undefined) return risk;
    throw new PagewrightError('BAD_REQUEST', `--allow-acts: expected ${actRisks.join(', ')}.`);
  });
}

const examples = `
docs/mcp.md has the lines for Claude, Cursor and VS Code, and a table of the tools.

Examples:
  pagewright mcp
  pagewright mcp --hosts docs.example.com,*.example.org --budget requests=500,bytes=100000000
  BRAVE_API_KEY=… pagewright mcp --search brave
  pagewright mcp --model openai:gpt-5-mini --store jobs.sqlite
`;
