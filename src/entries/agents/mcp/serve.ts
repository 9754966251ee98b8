/** Serves the Model Context Protocol on stdin and stdout. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { goodUse } from '../instructions.ts';
import { Session, type SessionOptions } from '../session.ts';
import { packageVersion } from '../../../core/runtime/package-version.ts';
import { longestMessage, messageLines } from './message-lines.ts';
import { addResources } from './resources.ts';
import { addTools } from './tools.ts';

export { SessionBudget } from '../session-budget.ts';

/** Given to the agent at the start, by the client. */
const instructionsFor = ({
  hasSearch,
}: SessionOptions): string => `pagewright reads web pages for you, from the computer of your user.

Which tool: you know the URL: scrape. You know the site, not the page: map with search, then scrape. You need many pages of a site: crawl. You need the same fields of many pages: extract with a schema. You need to see it: screenshot. ${hasSearch ? 'You know neither: search.' : 'There is no web search here.'}

How to use it well:
${goodUse}
- A crawl runs in the background: go on with crawl_status and the cursor, and end it with crawl_cancel when you have what you need.
- Options that begin with -- are those of the server: only your user can set them.`;

/** Serves one session until `signal` aborts or stdin ends. `onError` receives errors of broken messages. */
export async function serveMcp(
  options: SessionOptions,
  { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: Error) => void },
): Promise<void> {
  const session = new Session(options);
  const { stdin, stdout } = process;
  const lines = stdin.pipe(messageLines((answer) => void stdout.write(answer)));
  stdin.once('error', () => lines.end());
  const ended = new Promise<void>((resolve) => {
    lines.once('end', resolve).once('close', resolve);
    stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const serving = serveStdio(
    () => {
      const server = new McpServer(
        { name: 'pagewright', version: packageVersion() },
        { instructions: instructionsFor(options) },
      );
      addTools(server, session);
      addResources(server, session);
      return server;
    },
    {
      onerror: onError,
      // Longer messages do not get here.
      transport: new StdioServerTransport(lines, stdout, { maxBufferSize: 2 * longestMessage }),
    },
  );
  await ended;
  await serving.close();
  stdin.destroy();
}
