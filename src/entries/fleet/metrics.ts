/** Numbers of workers and of fleets in the text format of Prometheus. */
import type { ClassStatus, FleetStatus, WorkerStatus } from '../../core/model/fleet-status.ts';
import { pageSeconds } from '../../core/telemetry/page-seconds.ts';
import { engineClasses } from './redis-connections.ts';
import { type VisitCounters, visitOutcomes } from './visit-counters.ts';

type MetricLabels = Readonly<Record<string, string | undefined>>;

interface MetricSample {
  readonly labels?: MetricLabels;
  readonly value: number;
  /** Behind the name of the metric. */
  readonly suffix?: string;
}

/** The numbers of one worker; `_total` counts from its start. */
export function workerMetrics(
  { slots, busy, rss }: Pick<WorkerStatus, 'slots' | 'busy' | 'rss'>,
  counters: VisitCounters,
): string {
  const classes = engineClasses.map((engine) => ({
    labels: { class: engine },
    counts: counters.byEngine[engine],
    slots: slots[engine],
    busy: busy[engine],
  }));
  return [
    metric(
      'pagewright_slots',
      'gauge',
      'Pages that the worker visits at a time.',
      classes.map(({ labels, slots: value }) => ({ labels, value })),
    ),
    metric(
      'pagewright_busy',
      'gauge',
      'Pages that the worker visits now.',
      classes.map(({ labels, busy: value }) => ({ labels, value })),
    ),
    metric(
      'pagewright_visits_total',
      'counter',
      'Visits that ended, by outcome.',
      classes.flatMap(({ labels, counts }) =>
        visitOutcomes.map((outcome) => ({
          labels: { ...labels, outcome },
          value: counts.outcomes[outcome],
        })),
      ),
    ),
    metric(
      'pagewright_visit_seconds',
      'histogram',
      'Time of visits that ended, from the message to the end.',
      classes.flatMap(({ labels, counts }) => {
        let sum = 0;
        const buckets = counts.buckets.map((count, index) => ({
          labels: { ...labels, le: String(pageSeconds[index] ?? '+Inf') },
          value: (sum += count),
          suffix: '_bucket',
        }));
        return [
          ...buckets,
          { labels, value: counts.seconds, suffix: '_sum' },
          { labels, value: counts.ended, suffix: '_count' },
        ];
      }),
    ),
    metric(
      'pagewright_lost_total',
      'counter',
      'Visits reassigned because the worker had not answered.',
      classes.map(({ labels, counts }) => ({ labels, value: counts.outcomes.lost })),
    ),
    metric(
      'pagewright_stalled_total',
      'counter',
      'Visits of pages whose previous worker was lost.',
      classes.map(({ labels, counts }) => ({ labels, value: counts.stalled })),
    ),
    metric('pagewright_rss_bytes', 'gauge', 'Resident memory of the process.', [{ value: rss }]),
  ].join('');
}

/** The numbers of the whole fleet, from Redis. */
export function fleetMetrics({ isPaused, classes, crawls }: FleetStatus): string {
  const perClass = (name: string, help: string, of: (status: ClassStatus) => number): string =>
    metric(
      name,
      'gauge',
      help,
      classes.map((status) => {
        const { engine, version, place, setup } = status;
        return { labels: { class: engine, version, place, setup }, value: of(status) };
      }),
    );
  return [
    perClass('pagewright_fleet_workers', 'Workers that live.', ({ workers }) => workers),
    perClass('pagewright_fleet_slots', 'Slots of the live workers.', ({ slots }) => slots),
    perClass('pagewright_fleet_busy', 'Pages in progress on workers.', ({ busy }) => busy),
    perClass('pagewright_waiting', 'Pages that wait for a worker.', ({ waiting }) => waiting),
    perClass(
      'pagewright_oldest_seconds',
      'Time that the longest-waiting page has waited.',
      ({ oldest }) => oldest / 1000,
    ),
    metric('pagewright_fleet_paused', 'gauge', '1 while the fleet is paused.', [
      { value: isPaused ? 1 : 0 },
    ]),
    metric('pagewright_crawls', 'gauge', 'Crawls handed over to workers.', [
      { labels: { state: 'waiting' }, value: crawls.waiting },
      { labels: { state: 'running' }, value: crawls.running },
    ]),
  ].join('');
}

function metric(
  name: string,
  type: 'gauge' | 'counter' | 'histogram',
  help: string,
  samples: readonly MetricSample[],
): string {
  const lines = samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** No label needs escapes: they are our own words, or letters, digits and hyphens. */
function labelText(labels: MetricLabels): string {
  const given = Object.entries(labels).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `{${given.map(([name, value]) => `${name}="${value}"`).join(',')}}`;
}
