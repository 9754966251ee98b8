/** A model as a client has it: over the client's network policy, with its clock. */
import { openModelNetwork, type OpenModelNetwork } from '../../src/core/http/post.ts';
import { createModel, type ModelChoice } from '../../src/extract/llm/create-model.ts';
import type {
  AnswerSchema,
  Model,
  ModelAnswer,
  ModelRequest,
} from '../../src/extract/llm/model.ts';
import { createNetworkPolicy, type NetworkConfig } from '../../src/core/http/network/policy.ts';
import { fakeClock } from '../../src/entries/testing/fake-clock.ts';

export interface ClientModel extends AsyncDisposable {
  readonly model: Model;
  readonly network: OpenModelNetwork;
  ask(request?: Partial<ModelRequest>): Promise<ModelAnswer>;
  /** The answer to a schema, parsed. */
  value(schema: AnswerSchema, request?: Partial<ModelRequest>): Promise<unknown>;
}

/** `network` opens 127.0.0.1 unless the test says otherwise. */
export function clientModel(
  choice: ModelChoice,
  config: NetworkConfig = { allow: ['127.0.0.1'] },
): ClientModel {
  // Chance that makes gaps short.
  const clock = { ...fakeClock(), random: () => 0 };
  const network = openModelNetwork(
    { policy: createNetworkPolicy(config), userAgent: 'test/1' },
    clock,
  );
  const model = createModel(choice, network);
  const ask: ClientModel['ask'] = (request = {}) =>
    model.generate({
      system: 'Do it.',
      prompt: 'A page.',
      signal: new AbortController().signal,
      ...request,
    });
  return {
    model,
    network,
    ask,
    value: async (schema, request = {}) =>
      JSON.parse((await ask({ ...request, schema })).text) as unknown,
    [Symbol.asyncDispose]: () => network.dispose(),
  };
}
