/** One run of the command line: what its commands have in common. */
import type { ClientConfig } from '../index.ts';
import type { Log } from './log.ts';

/** The parts of a run. */
export interface CommandRun {
  readonly log: Log;
  /** What the config file says; empty without one. Rejects with `BAD_REQUEST`. */
  config(): Promise<ClientConfig>;
  /** Sets the exit code of a command that has ended. */
  finish(exitCode: number): void;
}
