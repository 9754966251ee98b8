/** Options of scrape, crawl and batch: what is done in a browser. */
import { type Command, Option } from 'commander';
import type { ScrapeOptions } from '../index.ts';
import { jsonList, number } from './option-values.ts';

/** What commander makes of them. */
export interface BrowserValues {
  readonly engine?: 'auto' | 'http' | 'browser';
  readonly waitFor?: number;
  readonly mobile?: true;
  readonly actions?: unknown[];
  readonly profile?: string;
  /** Where profiles are kept. */
  readonly profiles?: string;
}

/** Adds them to a command. */
export function addBrowserOptions(command: Command): Command {
  return command
    .optionsGroup('Browser:')
    .addOption(
      new Option(
        '--engine <name>',
        'open no browser, always one, or one where the page needs it (default: auto)',
      ).choices(['auto', 'http', 'browser']),
    )
    .option('--wait-for <ms>', 'wait this long after the page settled', number)
    .option('--mobile', 'the page as a phone gets it')
    .option('--actions <json>', 'steps as a JSON list, or a file with one: @steps.json', jsonList)
    .option('--profile <name>', 'browser state such as a login, kept from run to run')
    .option('--profiles <folder>', 'where profiles are kept; as secret as passwords');
}

/** What is wrong with them together. */
export function browserProblem({ profile, profiles }: BrowserValues): string | undefined {
  if ((profile === undefined) === (profiles === undefined)) return undefined;
  return profiles === undefined
    ? '--profile needs --profiles, the folder where it is kept'
    : '--profiles needs --profile, the name of the one to use';
}

/** As the library takes them. */
export function browserOptions(
  values: BrowserValues,
): Pick<ScrapeOptions, 'engine' | 'waitFor' | 'mobile' | 'actions' | 'profile'> {
  const { engine, waitFor, mobile, actions, profile } = values;
  return {
    engine,
    waitFor,
    mobile,
    // Each is checked by the library.
    actions: actions as ScrapeOptions['actions'],
    profile: profile === undefined ? undefined : { name: profile },
  };
}
