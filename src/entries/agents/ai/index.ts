/**
 * Exported as `pagewright/ai`: tools with which a model reads the web, for the AI SDK (`ai` 6 and 7). Imports
 * nothing of the AI SDK: a tool is a plain object.
 */
import type { z } from 'zod';
import { agentTools, isOffered, type ToolInputs } from '../agent-tools.ts';
import { goodUse } from '../instructions.ts';
import { type AgentTool, Session } from '../session.ts';
import { SessionBudget, type SessionLimits } from '../session-budget.ts';
import { errorResult, markedText, type ToolResult } from '../tool-result.ts';
import { createClient, defaultsOf, modelOf } from '../../../client.ts';
import { ValidationError } from '../../../core/runtime/errors.ts';
import type { Client, ClientOptions } from '../../../index.ts';
import type { ActRisk } from '../../../browser/actions/act-recipe.ts';
import { defaultsForAnyHost } from '../../../core/options/client-defaults.ts';
import { parseWebToolsOptions, type WebToolName } from '../../../core/options/web-tools-options.ts';

export type {
  ClosePageInput,
  CrawlCancelInput,
  CrawlInput,
  CrawlStatusInput,
  ExtractInput,
  MapInput,
  OpenPageInput,
  ScrapeInput,
  ScreenshotInput,
  SearchInput,
  UsePageInput,
} from '../inputs.ts';
export type { SessionLimits, ToolInputs, ToolResult, WebToolName };
export { markedText as markPageText };
export type { ExtractedData } from '../tool-result.ts';

/** Options of `createWebTools()`. */
export interface WebToolsOptions<Name extends WebToolName = WebToolName> {
  /**
   * The tools work with a client that extends this one (`client.extend`): with its `network`, `storage`, `model` and
   * other options, and jobs, connections and a browser of their own.
   *
   * @default createClient()
   */
  readonly client?: Pick<Client, 'extend'> | undefined;
  /** The model that `extract` may ask; with it the tool takes a `prompt`. @default the model of the client, without prompts */
  readonly model?: ClientOptions['model'];
  /**
   * The search engine of the tool `search`; it may cost money. @default none: the tool searches crawls only
   */
  readonly search?: ClientOptions['search'];
  /**
   * Limits of all calls together: `requests` for pages, `bytes`, `seconds` of calls added up, `tokens` and `cost` of
   * the `model`. When one is used up, each call gives an error that says so.
   *
   * @default none
   */
  readonly budget?: SessionLimits | undefined;
  /** Characters of page text in one result, 1000 to 1,000,000; the model asks for the rest. @default 20_000 */
  readonly maxCharacters?: number | undefined;
  /** The model may click, type and run scripts in pages. @default false */
  readonly allowActions?: boolean | undefined;
  /** What acts, tasks in words, may do with `allowActions` and a `model`. @default nothing that cannot be undone */
  readonly allowActs?: readonly ActRisk[] | undefined;
  /**
   * The tools that the model gets; `crawl` needs `crawl_status`, `open_page` needs `use_page`. `open_page`, `use_page` and
   * `close_page` are there with `allowActions` only. @default all
   */
  readonly tools?: readonly Name[] | undefined;
}

/** What `createWebTools()` makes. */
export interface WebTools<Name extends WebToolName = WebToolName> extends AsyncDisposable {
  /** For `generateText`, `streamText` and `ToolLoopAgent`. */
  readonly tools: { readonly [Each in Name]: WebTool<ToolInputs[Each]> };
  /** How a model uses the tools well, and that text of pages is data: for the system prompt. */
  readonly instructions: string;
  /** Ends calls and crawls that are running, and releases what the tools opened. */
  close(): Promise<void>;
}

/** What a tool is called with: what it reads, and any of the others, which have defaults. */
export type WebToolInput<Input> = Partial<Input> &
  Pick<Input, Extract<keyof Input, 'url' | 'urls' | 'query' | 'jobId' | 'pageId'>>;

/** A tool of the AI SDK. */
export interface WebTool<Input> {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Pick<z.ZodType<Input>, '~standard'>;
  /** Never rejects: an error is a result. Aborting ends the request, or the crawl that is waited for. */
  execute(
    input: WebToolInput<Input>,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ): Promise<ToolResult>;
  /** The text of the result, and the picture of a screenshot. The AI SDK passes an object with the result, Mastra the result. */
  toModelOutput(given: ToolResult | { readonly output: ToolResult }): ToolOutput;
}

/** A result as a model gets it. */
export type ToolOutput =
  | { type: 'text' | 'error-text'; value: string }
  | {
      type: 'content';
      value: (
        { type: 'text'; text: string } | { type: 'image-data'; data: string; mediaType: string }
      )[];
    };

/**
 * Makes tools that read the web: `scrape`, `screenshot`, `map`, `search`, `extract`, `crawl`, `crawl_status`,
 * `crawl_cancel`, `monitor_check`, and with `allowActions` `open_page`, `use_page`, `close_page`.
 * Text of pages is marked as data in their results. Close them when the model has answered. Throws `BAD_REQUEST` for
 * wrong options.
 *
 * @example
 * await using web = createWebTools({ budget: { requests: 50 } });
 * const { text } = await generateText({
 *   model,
 *   system: web.instructions,
 *   tools: web.tools,
 *   stopWhen: stepCountIs(10),
 *   prompt: 'Which lamps does https://example.com sell?',
 * });
 */
export function createWebTools<const Name extends WebToolName = WebToolName>(
  options: WebToolsOptions<Name> = {},
): WebTools<Name> {
  const settings = parseWebToolsOptions(options);
  const budget = new SessionBudget(settings.budget);
  const given = options.client ?? createClient();
  const model = settings.model ?? modelOf(given);
  const client = given.extend({
    model: model && budget.metered(model),
    search: settings.search,
    // The model names the hosts.
    defaults: defaultsForAnyHost(defaultsOf(given)),
    engines: (engines) => budget.over(engines),
  });
  const session = new Session({
    client,
    budget,
    maxCharacters: settings.maxCharacters,
    hasModel: settings.model !== undefined,
    hasSearch: settings.search !== undefined,
    allowsActions: settings.allowActions,
    allowsActs: settings.allowActs,
    hasStore: false,
    reword: (message) => message,
  });
  const all = agentTools(session);
  const close = (): Promise<void> => client.close();
  return {
    tools: Object.fromEntries(
      settings.tools
        .filter((name) => isOffered(name, session))
        .map((name) => [name, webTool<unknown>(all[name])]),
    ) as unknown as WebTools<Name>['tools'],
    instructions: `The tools read web pages.\n${goodUse}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function webTool<Input>({
  title,
  description,
  inputSchema,
  run,
}: AgentTool<Input>): WebTool<Input> {
  // Not as a schema of zod: the AI SDK would read it with its own zod, and an older one loses the descriptions.
  const standard = { ...inputSchema['~standard'], vendor: 'pagewright' };
  return {
    title,
    description,
    inputSchema: { '~standard': standard },
    execute: async (input, { abortSignal = new AbortController().signal } = {}) => {
      // The AI SDK passes the output of the schema; other callers pass their own input.
      const { data, error } = inputSchema.safeParse(input);
      if (error === undefined) return run(data, { signal: abortSignal });
      const issues = error.issues.map(({ path, message }) => ({
        path: path.filter((key) => typeof key !== 'symbol'),
        message: `${path.join('.')}: ${message}`,
      }));
      return errorResult(new ValidationError('tool call', issues), (text) => text);
    },
    toModelOutput: (given) => {
      const { text, isError, image } = 'output' in given ? given.output : given;
      if (image === undefined) return { type: isError ? 'error-text' : 'text', value: text };
      return {
        type: 'content',
        value: [
          { type: 'text', text },
          { type: 'image-data', ...image },
        ],
      };
    },
  };
}
