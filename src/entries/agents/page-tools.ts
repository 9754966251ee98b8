/** The tools for a page that stays open: to log in, click on and read, call after call. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { ActionInput, FormatInput, Session as PageSession } from '../../index.ts';
import { type Deadline, startDeadline } from '../../core/runtime/deadline.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import {
  type ClosePageInput,
  closePageSchema,
  type OpenPageInput,
  openPageSchema,
  type UsePageInput,
  usePageSchema,
} from './inputs.ts';
import type { AgentTool, Session } from './session.ts';
import { partResult, textResult, type ToolResult } from './tool-result.ts';

const mostPages = 4; // pages of a session at a time

/** Opens a page; the other two tools take its id. */
export function openPageTool(session: Session): AgentTool<OpenPageInput> {
  const { pages } = session;
  let count = 0;
  return {
    title: 'Open a page and keep it open',
    description:
      'Opens a page in a browser, which stays open with its login and state, and gives it as markdown with a pageId. Use it when several steps depend on each other: use_page clicks, fills in and reads on, close_page ends it. To read a page once use scrape.',
    inputSchema: openPageSchema,
    isReadOnly: false,
    run: ({ url, mobile, seconds, ...reading }, { signal }) =>
      session.run(async () => {
        if (pages.size >= mostPages) {
          const message = `${mostPages} pages are open (${[...pages.keys()].join(', ')}): close one of them.`;
          throw new PagewrightError('BAD_REQUEST', message);
        }
        const pageId = `page-${(count += 1)}`;
        using deadline = startDeadline(seconds * 1000, [signal], 'The call');
        const opening = session.options.client.open(url, { mobile, ...timeOf(deadline) });
        // Calls may be concurrent.
        pages.set(pageId, opening);
        try {
          const page = await opening;
          return await pageResult(session, pageId, page, { ...reading, ...timeOf(deadline) });
        } catch (error) {
          pages.delete(pageId);
          await opening.then(
            (page) => page.close(),
            () => undefined,
          );
          throw error;
        }
      }),
  };
}

/** Acts on an open page, and reads it. */
export function usePageTool(session: Session): AgentTool<UsePageInput> {
  return {
    title: 'Act on an open page and read it',
    description:
      'Runs actions on a page of open_page, or loads another url in it, and gives it as markdown as it is then. Without both it reads the page again.',
    inputSchema: usePageSchema,
    isReadOnly: false,
    run: ({ pageId, url, actions, seconds, ...reading }, { signal }) =>
      session.run(async () => {
        using deadline = startDeadline(seconds * 1000, [signal], 'The call');
        const page = await pageOf(session, pageId);
        try {
          if (url !== undefined) await page.goto(url, timeOf(deadline));
          const options = { ...reading, actions: session.actions(actions), ...timeOf(deadline) };
          return await pageResult(session, pageId, page, options);
        } catch (error) {
          const isClosed = error instanceof PagewrightError && error.code === 'SESSION_CLOSED';
          if (isClosed) session.pages.delete(pageId);
          throw error;
        }
      }),
  };
}

/** Closes an open page. */
export function closePageTool(session: Session): AgentTool<ClosePageInput> {
  return {
    title: 'Close an open page',
    description: 'Closes a page of open_page, with its login and state.',
    inputSchema: closePageSchema,
    isReadOnly: false,
    run: ({ pageId }) =>
      session.run(async () => {
        const page = await pageOf(session, pageId);
        session.pages.delete(pageId);
        await page.close();
        return textResult(`${pageId} is closed.`);
      }),
  };
}

/** The time that is left of a call, for one of its steps. */
function timeOf({ remaining, signal }: Deadline): {
  readonly timeout: number;
  readonly signal: AbortSignal;
} {
  return { timeout: Math.max(1000, Math.ceil(remaining)), signal };
}

async function pageOf({ pages }: Session, pageId: string): Promise<PageSession> {
  const page = await pages.get(pageId);
  if (page !== undefined) return page;
  const ids = [...pages.keys()].join(', ') || 'none';
  throw new PagewrightError('BAD_REQUEST', `There is no such open page; open are: ${ids}.`);
}

async function pageResult(
  session: Session,
  pageId: string,
  page: PageSession,
  {
    offset = 0,
    ...options
  }: Pick<UsePageInput, 'onlyMainContent'> & {
    readonly offset?: number;
    readonly timeout: number;
    readonly signal: AbortSignal;
    readonly actions?: readonly ActionInput[] | undefined;
  },
): Promise<ToolResult> {
  const formats: readonly FormatInput[] = ['modelText'];
  const { metadata, modelText = '', warning } = await page.scrape({ ...options, formats });
  const head = [`URL: ${metadata.url}`];
  if (metadata.title !== undefined) head.push(`Title: ${oneLine(metadata.title)}`);
  if (warning !== undefined) head.push(`Warning: ${warning}`);
  const heading = `pageId: ${pageId}. The page answered ${metadata.error ?? metadata.statusCode}.`;
  const length = session.options.maxCharacters;
  // Actions must not be repeated.
  const rest = 'call use_page with this pageId, without actions and url, with';
  return partResult(heading, `${head.join('\n')}\n\n${modelText}`, { offset, length, rest });
}
