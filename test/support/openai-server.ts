/** A server on loopback that speaks the protocol of OpenAI's API, well or badly. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How one request is answered. */
export interface OpenAiTurn {
  /** The answer: a text, or a value that is written as JSON. */
  readonly text?: string;
  readonly json?: unknown;
  readonly finishReason?: string | null;
  readonly refusal?: string;
  /** False leaves the numbers out. */
  readonly usage?: { prompt_tokens: number; completion_tokens: number } | false;
  /** Answers in plain text though a tool was asked for. */
  readonly ignoresTools?: boolean;
  /** An error in place of an answer. */
  readonly status?: number;
  readonly error?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body itself, whatever it is. */
  readonly raw?: string;
  /** Milliseconds before anything is sent. */
  readonly delay?: number;
  /** Breaks the connection after so many events of a stream. */
  readonly cutAfter?: number;
  /** Bytes of white space before the answer. */
  readonly padding?: number;
  /** Breaks the connection without a word. */
  readonly reset?: boolean;
}

/** What a server does not have: it refuses requests that use it as real ones do. */
export type Lack =
  'json_schema' | 'tool' | 'json_object' | 'temperature' | 'max_tokens' | 'stream_options';

/** A request as it came. */
export interface OpenAiCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** In the protocol's own shape. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface OpenAiServer extends AsyncDisposable {
  /** With `/v1` at its end. */
  readonly baseUrl: string;
  readonly calls: OpenAiCall[];
  /** Requests whose connection ended before their answer did. */
  readonly aborted: number;
}

type Turns =
  readonly OpenAiTurn[] | ((call: OpenAiCall, index: number) => OpenAiTurn | Promise<OpenAiTurn>);

/** Refused requests use up no turn. The last turn is given again. */
export async function openAiServer(
  turns: Turns,
  lacks: readonly Lack[] = [],
): Promise<OpenAiServer> {
  const calls: OpenAiCall[] = [];
  let taken = 0;
  let aborted = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const call = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(text || '{}'),
      };
      calls.push(call);
      response.on('close', () => (aborted += response.writableFinished ? 0 : 1));
      const refusal = refusalOf(call, lacks);
      if (refusal !== undefined) return sendJson(response, 400, { error: { message: refusal } });
      const index = taken++;
      const turn =
        typeof turns === 'function'
          ? await turns(call, index)
          : (turns[index] ?? turns.at(-1) ?? {});
      await answer(response, call, turn);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    get aborted() {
      return aborted;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function refusalOf({ body }: OpenAiCall, lacks: readonly Lack[]): string | undefined {
  const format = body['response_format'] as
    { type: string; json_schema?: { schema: unknown; strict?: boolean } } | undefined;
  if (lacks.includes('max_tokens') && body['max_tokens'] !== undefined)
    return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
  if (lacks.includes('temperature') && body['temperature'] !== undefined)
    return "Unsupported value: 'temperature' does not support 0 with this model.";
  if (lacks.includes('stream_options') && body['stream_options'] !== undefined)
    return 'Unrecognized request argument supplied: stream_options';
  if (lacks.includes('json_schema') && format?.type === 'json_schema')
    return "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
  if (lacks.includes('json_object') && format?.type === 'json_object')
    return "response_format 'json_object' is not supported";
  if (lacks.includes('tool') && body['tools'] !== undefined) return 'tools are not supported';
  const { schema, strict } = format?.json_schema ?? {};
  const problem = strict === true ? strictProblem(schema, 'root') : undefined;
  return problem === undefined ? undefined : `Invalid schema for response_format: ${problem}`;
}

/** What OpenAI refuses in strict mode. */
export function strictProblem(schema: unknown, at: string): string | undefined {
  const part = schema as Record<string, unknown>;
  const unknownKey = Object.keys(part).find((key) => !strictKeywords.has(key));
  if (unknownKey !== undefined) return `'${unknownKey}' is not permitted (${at})`;
  if (at === 'root' && part['type'] !== 'object') return 'the root has to be an object';
  if (part['$ref'] !== undefined && Object.keys(part).length > 1) return `$ref alone (${at})`;
  const properties = part['properties'] as Record<string, unknown> | undefined;
  if (part['type'] === 'object') {
    const required = [...((part['required'] as string[] | undefined) ?? [])].sort().join();
    if (part['additionalProperties'] !== false) return `additionalProperties (${at})`;
    if (
      required !==
      Object.keys(properties ?? {})
        .sort()
        .join()
    )
      return `required (${at})`;
  } else if (
    part['type'] === undefined &&
    part['anyOf'] === undefined &&
    part['$ref'] === undefined
  ) {
    return `no type (${at})`;
  }
  const inside = [
    ...Object.entries(properties ?? {}),
    ...Object.entries((part['$defs'] as object | undefined) ?? {}),
    ...((part['anyOf'] as unknown[] | undefined) ?? []).entries(),
    ...(part['items'] === undefined ? [] : [['items', part['items']] as const]),
  ];
  for (const [key, value] of inside) {
    const problem = strictProblem(value, `${at}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const strictKeywords = new Set(
  'type properties required additionalProperties items anyOf enum description format $ref $defs'.split(
    ' ',
  ),
);

async function answer(response: ServerResponse, call: OpenAiCall, turn: OpenAiTurn): Promise<void> {
  const { status = 200, error, headers = {}, raw, delay = 0, padding = 0, reset = false } = turn;
  if (delay > 0) await sleep(delay);
  if (reset) return void response.destroy();
  if (raw !== undefined) return void response.writeHead(status, headers).end(raw);
  if (error !== undefined || status >= 300) return sendJson(response, status, { error }, headers);
  if (call.path.endsWith('/embeddings')) return sendJson(response, 200, turn.json);
  if (call.body['stream'] === true) return stream(response, call, turn);
  const { refusal, usage } = turn;
  const message = {
    role: 'assistant',
    ...(refusal === undefined ? {} : { refusal }),
    ...content(call, turn),
  };
  const choice = { index: 0, message, finish_reason: finishReason(turn) };
  const body = JSON.stringify({
    id: 'answer-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [choice],
    ...(usage === false ? {} : { usage: usage ?? { prompt_tokens: 100, completion_tokens: 10 } }),
  });
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(' '.repeat(padding) + body);
}

async function stream(response: ServerResponse, call: OpenAiCall, turn: OpenAiTurn): Promise<void> {
  const { cutAfter = Infinity, usage } = turn;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  let sent = 0;
  const send = async (data: string): Promise<void> => {
    if (sent++ >= cutAfter) {
      // What was sent before arrives.
      await sleep(20);
      response.destroy();
      throw new Error('cut');
    }
    // Events are torn apart on their way.
    const bytes = Buffer.from(`data: ${data}\r\n\r\n`);
    response.write(bytes.subarray(0, 9));
    await sleep(1);
    response.write(bytes.subarray(9));
  };
  const chunk = (delta: object, finish: string | null = null): string =>
    JSON.stringify({
      id: 'answer-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  await send(chunk({ role: 'assistant', content: '' }));
  const { content: text, tool_calls: tools } = content(call, turn) as {
    content: string | null;
    tool_calls?: [{ function: { arguments: string; name: string } }];
  };
  const input = tools?.[0].function;
  for (const [index, piece] of (
    (input?.arguments ?? text ?? '').match(/[^]{1,8}/gu) ?? []
  ).entries()) {
    const name = index === 0 ? { name: input?.name } : {};
    const call = {
      index: 0,
      ...(index === 0 ? { id: 'call-1', type: 'function' } : {}),
      function: { ...name, arguments: piece },
    };
    await send(chunk(input === undefined ? { content: piece } : { tool_calls: [call] }));
  }
  await send(chunk({}, finishReason(turn)));
  if (call.body['stream_options'] !== undefined && usage !== false) {
    const counted = usage ?? { prompt_tokens: 100, completion_tokens: 10 };
    await send(JSON.stringify({ id: 'answer-1', choices: [], usage: counted }));
  }
  await send('[DONE]');
  response.end();
}

function content({ body }: OpenAiCall, turn: OpenAiTurn): object {
  const text = turn.text ?? (turn.json === undefined ? null : JSON.stringify(turn.json));
  const tools = body['tools'] as [{ function: { name: string } }] | undefined;
  if (tools === undefined || turn.ignoresTools === true) return { content: text };
  const call = { name: tools[0].function.name, arguments: text ?? '' };
  return { content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] };
}

function finishReason({ finishReason: reason }: OpenAiTurn): string | null {
  return reason === undefined ? 'stop' : reason;
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
