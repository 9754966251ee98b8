/** `pagewright open <url>`: a page that stays open, with a line of JSON for each thing to do. */
import type { Command } from 'commander';
import { openRows } from '../../core/options/session-options.ts';
import { linesOf } from '../export/jsonl.ts';
import {
  PagewrightError,
  type ScrapeOptions,
  type Session,
  type SessionScrapeOptions,
} from '../../index.ts';
import { describeError, ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { configuredFormats } from './config-file.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { addFlags } from './flags.ts';
import { writeToStdout } from './output.ts';
import {
  addPageOptions,
  browserProblem,
  formatFlags,
  pageOptions,
  type PageValues,
  requestedFormats,
} from './page-options.ts';

interface OpenValues extends ConnectionValues, PageValues, ModelValues {
  readonly timeout?: number;
}

const longestIdle = 86_400_000; // milliseconds: the session ends with the input

/** Adds the command. */
export function addOpenCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('open')
    .summary('keep a page open in a browser, and act on it')
    .description(
      'Keeps a page open in a browser. Reads lines of JSON from stdin, scrape options and "goto", and writes for each a line with the document, or with "error".',
    )
    .argument('<url>', 'the page');
  addFlags(command.optionsGroup('Content:'), formatFlags);
  addPageOptions(command, openRows);
  addModelOptions(command);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (url: string, values: OpenValues) => {
    const problem = browserProblem(values);
    if (problem !== undefined) command.error(problem);
    const config = await run.config();
    const formats = requestedFormats(values, configuredFormats(config));
    const options = pageOptions(values);
    const { waitFor, timeout, retries } = options;
    const abort = new AbortController();
    const { signal } = abort;
    using _ = onInterrupt(() => {
      abort.abort(new PagewrightError('CANCELLED', 'The session was interrupted.'));
      process.stdin.destroy();
    });
    await using client = await openClient(run, values);
    await using session = await client.open(url, {
      ...options,
      signal,
      idleTimeout: longestIdle,
    });
    let failures = 0;
    try {
      for await (const { bytes } of linesOf('stdin', process.stdin)) {
        const line = bytes.toString().trim();
        if (line === '') continue;
        const answer = await answerTo(
          session,
          line,
          { formats, timeout, signal },
          { waitFor, retries },
        );
        if ('error' in answer) failures += 1;
        await writeToStdout(`${JSON.stringify(answer)}\n`, run.log);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    run.finish(failures > 0 ? ExitCode.failedPages : ExitCode.success);
  });
}

/** Throws errors that end the session; any other failure is an answer. */
async function answerTo(
  session: Session,
  line: string,
  { signal, ...defaults }: SessionScrapeOptions,
  visit: Pick<ScrapeOptions, 'waitFor' | 'retries'>,
): Promise<object> {
  try {
    const { goto: target, ...given } = parsed(line);
    const options: SessionScrapeOptions = { ...defaults, ...given, signal };
    if (target !== undefined) {
      // The library rejects a target that is not a URL.
      await session.goto(target as string, { ...visit, timeout: options.timeout, signal });
    }
    return await session.scrape(options);
  } catch (error) {
    const code = error instanceof PagewrightError ? error.code : undefined;
    if (code === undefined || code === 'SESSION_CLOSED' || code === 'CANCELLED') throw error;
    return { error: describeError(error, []) };
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null) return { ...value };
  throw new PagewrightError('BAD_REQUEST', 'A line of stdin is no JSON object.');
}

const examples = `
Examples:
  echo '{"actions":[{"type":"click","selector":"#next"}]}' | pagewright open https://a.com/list
  echo '{"goto":"https://a.com/b","formats":["links"]}' | pagewright open https://a.com
`;
