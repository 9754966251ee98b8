/** The methods of the service that have no counterpart in a library: each rejects, and names the alternative. */
import { notAvailable } from './sdk-error.ts';

const accountMethods = [
  'getConcurrency',
  'getCreditUsage',
  'getTokenUsage',
  'getCreditUsageHistorical',
  'getTokenUsageHistorical',
  'getQueueStatus',
] as const;

const agentMethods = [
  'agent',
  'startAgent',
  'getAgentStatus',
  'listAgents',
  'cancelAgent',
  'getAgentTrace',
  'getAgentSnapshot',
  'getAgentThread',
] as const;

const browserMethods = [
  'browser',
  'browserExecute',
  'deleteBrowser',
  'listBrowsers',
  'interact',
  'stopInteraction',
  'scrapeExecute',
  'stopInteractiveBrowser',
  'deleteScrapeBrowser',
] as const;

const monitorMethods = [
  'createMonitor',
  'listMonitors',
  'getMonitor',
  'updateMonitor',
  'deleteMonitor',
  'runMonitor',
  'listMonitorChecks',
  'getMonitorCheck',
] as const;

const indexMethods = ['findTools', 'developerSearch'] as const;

const feedbackMethods = ['feedback', 'searchFeedback'] as const;

const paperMethods = ['searchPapers', 'getPaper', 'similarPapers', 'searchGithub'] as const;

type UnavailableName =
  | (typeof accountMethods | typeof agentMethods | typeof browserMethods)[number]
  | (typeof monitorMethods | typeof indexMethods | typeof feedbackMethods)[number];

/** Methods that reject with `SdkError`, status 501. */
type Refusals<Name extends string> = {
  readonly [Method in Name]: (...given: readonly unknown[]) => Promise<never>;
};

/** The refused methods of the class. */
export const UnavailableMethods: new () => Refusals<UnavailableName> = refusing<UnavailableName>(
  '',
  [
    [
      accountMethods,
      'there is no account and no queue. The status of a job has its credits and its progress',
    ],
    [agentMethods, 'no agent browses pages. extract() and the format json take a prompt'],
    [browserMethods, 'use actions, or open() of a pagewright client, which keeps a page open'],
    [monitorMethods, 'use monitor() of a pagewright client'],
    [indexMethods, 'there is no index. search() asks an engine of yours'],
    [feedbackMethods, 'there is no service that takes it'],
  ],
);

/** The refused methods of `research`. */
export const UnavailableResearch: new () => Refusals<(typeof paperMethods)[number]> = refusing<
  (typeof paperMethods)[number]
>('research.', [[paperMethods, 'there is no index of papers']]);

/** A class whose methods are on its prototype, as in the SDK. */
function refusing<Name extends string>(
  prefix: string,
  reasons: readonly (readonly [readonly Name[], string])[],
): new () => Refusals<Name> {
  class RefusingMethods {}
  for (const [names, reason] of reasons) {
    for (const name of names) {
      Object.defineProperty(RefusingMethods.prototype, name, {
        value: () => Promise.reject(notAvailable(`${prefix}${name}()`, reason)),
        configurable: true,
        writable: true,
      });
    }
  }
  return RefusingMethods as new () => Refusals<Name>;
}
