/** The language model of a command: a provider and a name, with the key from the environment. */
import { type Command } from 'commander';
import { openModelNetwork } from '../../core/http/post.ts';
import { type ClientOptions, type Model, openAiModel, PagewrightError } from '../../index.ts';
import { createNetworkPolicy } from '../../core/http/network/policy.ts';
import { addFlags, type FlagValues } from './flags.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';

/** Providers with an OpenAI-compatible endpoint, and the variable that holds the key. */
export const modelProviders: Readonly<
  Record<string, { readonly url: string; readonly key?: string }>
> = {
  openai: { url: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
  anthropic: { url: 'https://api.anthropic.com/v1', key: 'ANTHROPIC_API_KEY' },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    key: 'GEMINI_API_KEY',
  },
  mistral: { url: 'https://api.mistral.ai/v1', key: 'MISTRAL_API_KEY' },
  groq: { url: 'https://api.groq.com/openai/v1', key: 'GROQ_API_KEY' },
  openrouter: { url: 'https://openrouter.ai/api/v1', key: 'OPENROUTER_API_KEY' },
  ollama: { url: 'http://localhost:11434/v1' },
  lmstudio: { url: 'http://localhost:1234/v1' },
};

/** The variable with the key of an endpoint that is none of these. */
export const ownKey = 'PAGEWRIGHT_MODEL_KEY';

const flags = {
  model: `<provider:name> model for --prompt, --question and the like: ${Object.keys(modelProviders).join(', ')}; keys are read from the environment`,
  modelUrl: `<url> another OpenAI-compatible endpoint, such as http://localhost:8000/v1; its key is ${ownKey}`,
} as const;

/** The values that commander parses. */
export interface ModelValues extends FlagValues<typeof flags> {}

/** Adds the options to a command. */
export function addModelOptions(command: Command): Command {
  return addFlags(command.optionsGroup('Model:'), flags);
}

/** The model of a client. Throws `BAD_REQUEST` for an unknown provider, and where its key is missing. */
export function modelOptions(values: ModelValues): Pick<ClientOptions, 'model'> {
  const { model: given, modelUrl } = values;
  if (given === undefined) {
    if (modelUrl === undefined) return {};
    throw new PagewrightError('BAD_REQUEST', '--model-url needs --model <name>.');
  }
  const [, word = '', rest = ''] = /^([^:]+):(.+)$/.exec(given) ?? [];
  const provider = Object.hasOwn(modelProviders, word) ? modelProviders[word] : undefined;
  const baseUrl = modelUrl ?? provider?.url;
  if (baseUrl === undefined) {
    const message = `--model ${given}: name the provider, as in openai:gpt-5-mini (${Object.keys(modelProviders).join(', ')}), or give --model-url.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const variable = provider === undefined ? ownKey : provider.key;
  const apiKey = variable === undefined ? undefined : process.env[variable] || undefined;
  if (provider?.key !== undefined && apiKey === undefined) {
    const message = `--model ${given}: the key is read from ${provider.key}, which is not set.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  const model = openAiModel({ baseUrl, model: provider === undefined ? given : rest, apiKey });
  return { model: canParseUrl(baseUrl) ? overOwnNetwork(model, new URL(baseUrl)) : model };
}

/**
 * The model over a network of its own, whose policy allows the endpoint: a model on this machine is reachable, and
 * pages still cannot be fetched from there.
 */
function overOwnNetwork(model: Model, { hostname }: URL): Model {
  const { connect } = model;
  if (connect === undefined) return model;
  return {
    ...model,
    connect: ({ clock }) => {
      const policy = createNetworkPolicy({ allow: [hostname] });
      const userAgent = `pagewright/${packageVersion()}`;
      return connect(openModelNetwork({ policy, userAgent }, clock));
    },
  };
}
