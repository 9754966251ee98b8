/** What work costs, also on a machine that others use. */

/** Milliseconds of processor time that this process took so far, its garbage collection included. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
