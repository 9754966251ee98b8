/** The tools of the server, in the form of the protocol. */
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { agentTools, isOffered } from '../agent-tools.ts';
import type { AgentTool, CallContext, Session } from '../session.ts';
import { pagesAreData, type ToolResult } from '../tool-result.ts';

/** Adds all tools. */
export function addTools(server: McpServer, session: Session): void {
  const tools: Readonly<Record<string, AgentTool<unknown>>> = agentTools(session);
  for (const [name, { title, description, inputSchema, isReadOnly, run }] of Object.entries(
    tools,
  )) {
    if (!isOffered(name, session)) continue;
    const annotations = isReadOnly
      ? { readOnlyHint: true, openWorldHint: true }
      : { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
    server.registerTool(
      name,
      { title, description, inputSchema, annotations },
      async (input: unknown, context) => {
        const { onProgress, sent } = progressNotifier(context);
        const result = await run(input, {
          signal: context.mcpReq.signal,
          onProgress,
          onCrawlEnd: () => server.sendResourceListChanged(),
        });
        await sent();
        return callToolResult(result);
      },
    );
  }
}

/** Clients give an agent either the text or the structure, which has the same values. */
function callToolResult({ text, image, data, isError }: ToolResult): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      ...(image === undefined
        ? []
        : [{ type: 'image' as const, mimeType: image.mediaType, data: image.data }]),
    ],
    ...(data !== undefined && { structuredContent: { notice: pagesAreData, ...data } }),
    isError,
  };
}

/** Notifies the client of progress, if requested. `sent` resolves when all is sent: none comes after the result. */
function progressNotifier({ mcpReq }: ServerContext): Pick<CallContext, 'onProgress'> & {
  readonly sent: () => Promise<void>;
} {
  const progressToken = mcpReq._meta?.progressToken;
  let last = -1;
  let sending = Promise.resolve();
  const onProgress: CallContext['onProgress'] = ({ done, total }) => {
    // Each value has to exceed the previous one.
    if (progressToken === undefined || done <= last) return;
    last = done;
    const message = `${done} of ${total} pages`;
    const params = { progressToken, progress: done, total, message };
    const notification = { method: 'notifications/progress' as const, params };
    sending = mcpReq.notify(notification).catch(() => undefined);
  };
  return { onProgress, sent: () => sending };
}
