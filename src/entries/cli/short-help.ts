/** `pagewright crawl --help` lists the options that most callers need; `pagewright help crawl` lists all. */
import {
  type AddHelpTextContext,
  type Command,
  Help,
  type HelpConfiguration,
  type Option,
} from 'commander';

const mostOptions = 40; // a command with fewer options has no short form

const common: ReadonlySet<string> = new Set(
  `output jsonl json report quiet file url limit include-paths exclude-paths max-discovery-depth
  crawl-entire-domain sitemap max-concurrency delay budget ignore-robots-txt formats schema prompt no-only-main-content
  screenshot screenshots skipped assets model header timeout stealth cache engine actions wait-for mobile profile allow
  user-agent proxy store since log-level config`
    .split(/\s+/)
    .map((name) => `--${name}`),
);

/** Filters the options of the commands, unless the `words` of the command line request all. */
export function shortHelp(words: readonly string[]): HelpConfiguration {
  const help = Object.assign(new Help(), { showGlobalOptions: true });
  const listed = (command: Command, options: Option[]): Option[] =>
    isShort(words, command) ? options.filter(({ long }) => common.has(long ?? '')) : options;
  return {
    showGlobalOptions: true,
    visibleOptions: (command) => listed(command, help.visibleOptions(command)),
    visibleGlobalOptions: (command) => listed(command, help.visibleGlobalOptions(command)),
  };
}

/** Names the command that lists the options missing in the short help. */
export function moreHelp(words: readonly string[]): (context: AddHelpTextContext) => string {
  return ({ command }) =>
    isShort(words, command)
      ? `Common options only. All ${command.options.length}: pagewright help ${command.name()}\n`
      : '';
}

function isShort([word]: readonly string[], { options }: Command): boolean {
  return word !== 'help' && options.length > mostOptions;
}
