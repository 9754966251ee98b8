/** A model whose calls are published and logged. */
import { withSignal } from '../../core/runtime/deadline.ts';
import type { ModelMessage } from '../../core/telemetry/channels.ts';
import type { Telemetry } from '../../core/telemetry/telemetry.ts';
import type { Model, ModelUsage } from './model.ts';

/** The same model. A call ends for `telemetry` when its signal aborts, whatever the model does. */
export function tracedModel(model: Model, telemetry: Telemetry): Model {
  const traced = <Answer extends { readonly usage: ModelUsage }>(
    operation: ModelMessage['operation'],
    signal: AbortSignal,
    call: () => Promise<Answer>,
  ): Promise<Answer> => {
    const message: ModelMessage = { model: model.name, operation };
    return telemetry.model(message, async () => {
      const answer = await withSignal(call(), signal);
      const { inputTokens, outputTokens, cost } = answer.usage;
      Object.assign(message, { inputTokens, outputTokens, cost } satisfies Partial<ModelMessage>);
      return answer;
    });
  };
  const { embed } = model;
  return {
    name: model.name,
    contextTokens: model.contextTokens,
    price: model.price,
    generate: (request) => traced('generate', request.signal, () => model.generate(request)),
    ...(embed === undefined
      ? {}
      : {
          embed: (texts, signal) => traced('embed', signal, () => embed.call(model, texts, signal)),
        }),
  };
}
