/** The resources of the server: crawls and batches that have ended, and their pages. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { crawlOf, pageTextOf } from '../job-pages.ts';
import type { Session } from '../session.ts';
import { markedText, partOf } from '../tool-result.ts';
import { ValidationError } from '../../../core/runtime/errors.ts';
import { oneLine } from '../../../content/text/plain-text.ts';

/** Adds the resources. */
export function addResources(server: McpServer, session: Session): void {
  const { client, maxCharacters } = session.options;
  server.registerResource(
    'job',
    new ResourceTemplate('pagewright://jobs/{id}', {
      list: async () => ({ resources: await endedJobs(session) }),
    }),
    { title: 'The pages of a crawl', mimeType: 'text/plain' },
    async ({ href }, { id }) => {
      const job = crawlOf(client, String(id));
      const lines: string[] = [];
      let skip: number | undefined = 0;
      let length = 0;
      while (skip !== undefined && length < maxCharacters) {
        const { data, next } = await job.status({ skip });
        for (const { metadata } of data) {
          const title = metadata.title === undefined ? '' : ` | ${oneLine(metadata.title)}`;
          const line = `${lines.length + 1} | ${metadata.url}${title}`;
          lines.push(line);
          length += line.length;
        }
        skip = data.length === 0 ? undefined : next;
      }
      const { text } = partOf(lines.join('\n'), 0, maxCharacters);
      const heading = `${job.progress.completed} pages: number | URL | title. Read one at ${href}/pages/{number}.`;
      return {
        contents: [
          { uri: href, mimeType: 'text/plain', text: `${heading}\n\n${markedText(text)}` },
        ],
      };
    },
  );
  server.registerResource(
    'page',
    new ResourceTemplate('pagewright://jobs/{id}/pages/{number}', { list: undefined }),
    { title: 'A page of a crawl', mimeType: 'text/markdown' },
    async ({ href }, { id, number }) => {
      const page = Number(number);
      const job = crawlOf(client, String(id));
      const isNumber = Number.isInteger(page) && page > 0;
      const [document] = isNumber ? (await job.status({ skip: page - 1 })).data : [];
      if (document === undefined) {
        const message = `There is no page ${JSON.stringify(String(number))}: the crawl has ${job.progress.completed}.`;
        throw new ValidationError('resource', [{ path: ['number'], message }]);
      }
      const { text, next } = partOf(pageTextOf(document, page), 0, maxCharacters);
      const rest =
        next === undefined
          ? ''
          : `\n\nFor the rest call crawl_status with "cursor": "${page}.${next}".`;
      return {
        contents: [{ uri: href, mimeType: 'text/markdown', text: markedText(text) + rest }],
      };
    },
  );
}

/** Jobs that have ended: of this session, and of the store. */
async function endedJobs({
  options: { client },
}: Session): Promise<{ uri: string; name: string }[]> {
  const jobs = await client.jobs.list();
  const ended = jobs.filter(
    ({ verb, completedAt }) => verb !== 'extract' && completedAt !== undefined,
  );
  return ended.map(({ id, url }) => ({
    uri: `pagewright://jobs/${id}`,
    name: url === undefined ? `batch ${id}` : `crawl of ${url}`,
  }));
}
