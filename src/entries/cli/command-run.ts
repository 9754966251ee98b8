/** One run of the command line: the parts that its commands share. */
import type { ClientOptions } from '../../index.ts';
import type { Log } from './log.ts';

/** The parts of a run. */
export interface CommandRun {
  readonly log: Log;
  /** The options of the config file; empty without one. Rejects with `BAD_REQUEST`. */
  config(): Promise<ClientOptions>;
  /** The options of this run that the command of that name takes, too, as given. */
  optionsFor(command: string): string[];
  /** Sets the exit code of a command that has ended. */
  finish(exitCode: number): void;
}
