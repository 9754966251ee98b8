/** `pagewright completion <shell>`: a script that completes commands, options and choices. */
import { Argument, type Command, type Option } from 'commander';
import { ExitCode } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { writeOutput } from './output.ts';

/** Adds the command. Its script knows all commands of the program, also commands added later. */
export function addCompletionCommand(program: Command, run: CommandRun): void {
  program
    .command('completion')
    .summary('shell completion for bash, zsh and fish')
    .description('Prints a shell script that completes commands, options and choices.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action(async (shell: keyof typeof scripts) => {
      await writeOutput(undefined, scripts[shell](program), run.log);
      run.finish(ExitCode.success);
    });
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** One command, with the options of the program. */
interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly subcommands: readonly string[];
  /** The choices of its first argument. */
  readonly choices: readonly string[];
}

function commandsOf(program: Command): CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options, ...program.options].filter(({ hidden }) => !hidden),
    subcommands: command.commands.map((one) => one.name()),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

/** Options whose value is a file or a folder are completed as one. */
function takesFile({ flags }: Option): boolean {
  return /[<[](?:file|folder|place)/.test(flags);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function longNames({ long, short }: Option): string[] {
  return [long, short].filter((name) => name?.startsWith('--') === true) as string[];
}

// Bash, and zsh by bash completion.

function bashScript(program: Command): string {
  const commands = commandsOf(program);
  const cases = commands.map(
    ({ name, options, subcommands, choices }) => `    ${name})
      words='${[...subcommands, ...choices].join(' ')}'
      options='${[...options.flatMap(longNames), '--help'].join(' ')}'
      ;;`,
  );
  // By patterns of the command and the option before the value; the first one that matches counts.
  const values = new Map<string, readonly string[] | 'file' | 'any'>();
  const ofOneCommand = new Map<string, readonly string[]>();
  for (const command of commands) {
    for (const option of command.options.filter(takesValue)) {
      const value = option.argChoices ?? (takesFile(option) ? 'file' : 'any');
      for (const name of longNames(option)) {
        const usual = values.get(`*\\ ${name}`) ?? value;
        values.set(`*\\ ${name}`, usual);
        const { argChoices } = option;
        if (argChoices !== undefined && String(argChoices) !== String(usual)) {
          ofOneCommand.set(`${command.name}\\ ${name}`, argChoices);
        }
      }
    }
  }
  const names = (kind: 'file' | 'any'): string =>
    [...values].flatMap(([name, value]) => (value === kind ? [name] : [])).join('|');
  const chosen = [...ofOneCommand, ...values].flatMap(([name, value]) =>
    typeof value === 'string'
      ? []
      : [`    ${name}) COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$current")); return ;;`],
  );
  return `# Completion of pagewright. For this shell: source <(pagewright completion bash)
_pagewright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command='' word words='${commands.map(({ name }) => name).join(' ')} help' options='--help --version'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      ${commands.map(({ name }) => name).join('|')}) command="$word"; break ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
${chosen.join('\n')}
    ${names('file')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${names('any')}) return ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
  if [ -n "$command" ] && [ \${#COMPREPLY[@]} -eq 0 ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _pagewright pagewright
`;
}

/** Zsh runs completions of bash. */
function zshScript(program: Command): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(program).replaceAll(' bash)', ' zsh)')}`;
}

function fishScript(program: Command): string {
  const commands = commandsOf(program);
  const line = (...words: readonly string[]): string =>
    ['complete -c pagewright', ...words].join(' ');
  return [
    '# Completion of pagewright. For this shell: pagewright completion fish | source',
    line('-f'),
    ...commands.map(({ name, description }) =>
      line('-n __fish_use_subcommand', `-a ${name}`, `-d ${fishText(description)}`),
    ),
    ...commands.flatMap(({ name, options, subcommands, choices }) => {
      const when = `-n '__fish_seen_subcommand_from ${name}'`;
      const words = [...subcommands, ...choices];
      return [
        ...(words.length === 0 ? [] : [line(when, `-a ${fishText(words.join(' '))}`)]),
        ...options.map((option) =>
          line(
            when,
            ...longNames(option).map((long) => `-l ${long.slice(2)}`),
            ...(option.argChoices === undefined
              ? takesFile(option)
                ? ['-r -F']
                : takesValue(option)
                  ? ['-x']
                  : []
              : [`-x -a ${fishText(option.argChoices.join(' '))}`]),
            `-d ${fishText(option.description)}`,
          ),
        ),
      ];
    }),
    '',
  ].join('\n');
}

function fishText(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}

const examples = `
Examples:
  source <(pagewright completion bash)          # or put this line into ~/.bashrc
  source <(pagewright completion zsh)           # in ~/.zshrc
  pagewright completion fish > ~/.config/fish/completions/pagewright.fish
`;
