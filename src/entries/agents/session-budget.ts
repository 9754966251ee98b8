/** The budget of a session: the limits for all of its calls together. */
import { PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import type { Budget, Engine, Model, OpenPage, PageRequest } from '../../index.ts';
import type { ModelChoice } from '../../extract/llm/create-model.ts';
import { createModel, readModel } from '../../extract/llm/create-model.ts';
import { ModelMeter } from '../../extract/llm/model-meter.ts';
import { unknownName } from '../../core/checks/option-errors.ts';

/**
 * The parts that a session counts. `requests`: page requests, attempts and redirects. `seconds`: the sum over its
 * calls.
 */
const parts = ['requests', 'bytes', 'seconds', 'tokens', 'cost'] as const;

/** Limits of a session, by part; a part that is missing has none. */
export type SessionLimits = Readonly<Partial<Record<(typeof parts)[number], number>>>;

/** Counts what a session uses. */
export class SessionBudget {
  readonly #limits: SessionLimits;
  readonly #used = { requests: 0, bytes: 0, seconds: 0, tokens: 0, cost: 0 };

  /** Throws `ValidationError` for a part that is not counted, and for a number that is not above 0. */
  constructor(limits: Readonly<Record<string, number>> = {}, subject = 'createWebTools()') {
    for (const [name, limit] of Object.entries(limits)) {
      const isPart = (parts as readonly string[]).includes(name);
      if (isPart && limit > 0) continue;
      const message = isPart
        ? `budget.${name}: expected a number above 0, got ${limit}`
        : unknownName('option', name, parts, 'budget.');
      throw new ValidationError(subject, [{ path: ['budget', name], message }]);
    }
    this.#limits = limits;
  }

  /** Adds what was used. */
  use(used: SessionLimits): void {
    for (const part of parts) this.#used[part] += used[part] ?? 0;
  }

  /** What is left of these parts, as the budget of a job. Throws `CANCELLED` where nothing is. */
  left(of: readonly (typeof parts)[number][] = parts): Budget {
    const left: Partial<Record<keyof Budget, number>> = {};
    for (const part of of) {
      const limit = this.#limits[part];
      if (limit === undefined) continue;
      const rest = limit - this.#used[part];
      if (rest <= 0) {
        const message = `The budget of this session is used up (${part}: ${limit}): work with what you have. A larger one: createWebTools({ budget }).`;
        throw new PagewrightError('CANCELLED', message);
      }
      left[part] = part === 'seconds' ? Math.min(rest, longestJob) : rest;
    }
    return left;
  }

  /** The model, which counts what its requests use and refuses those after the end of its budget. */
  metered(choice: ModelChoice): Model {
    const counted = (model: Model): Model => {
      const meter = new ModelMeter(model, {}, ({ inputTokens, outputTokens, cost = 0 }) =>
        this.use({ tokens: inputTokens + outputTokens, cost }),
      );
      const { name, contextTokens, price, embed } = meter;
      return {
        name,
        contextTokens,
        price,
        generate: async (request) => {
          this.left(['tokens', 'cost']);
          return meter.generate(request);
        },
        ...(embed && {
          embed: async (texts, signal) => {
            this.left(['tokens', 'cost']);
            return embed(texts, signal);
          },
        }),
      };
    };
    return {
      ...counted(readModel(choice)),
      connect: (network) => counted(createModel(choice, network)),
    };
  }

  /** The engines, which count their requests and refuse more than the budget has. */
  over(engines: readonly Engine[]): Engine[] {
    const counted =
      (fetch: Engine['fetch']): Engine['fetch'] =>
      async (request) => {
        this.left();
        // As in a job, the files of a site are not counted: their bodies are cut. Pages are counted before they
        // arrive, so that concurrent ones do not exceed the budget.
        const isPage = request.truncatesBody !== true;
        if (isPage) this.use({ requests: 1 });
        const snapshot = await fetch(request);
        this.use({ requests: isPage ? snapshot.redirects.length : 0, bytes: snapshot.bytes });
        return snapshot;
      };
    const keeping = (page: OpenPage): OpenPage => ({
      get url() {
        return page.url;
      },
      ended: page.ended,
      fetch: counted((request) => page.fetch(request)),
      read: async (request) => {
        this.left();
        const snapshot = await page.read(request);
        this.use({ bytes: snapshot.bytes });
        return snapshot;
      },
      cookies: () => page.cookies(),
      close: (saves) => page.close(saves),
    });
    const opener =
      (open: (request: PageRequest) => Promise<OpenPage>) =>
      async (request: PageRequest): Promise<OpenPage> => {
        this.left();
        return keeping(await open(request));
      };
    return engines.map((engine) => ({
      name: engine.name,
      can: engine.can,
      cost: engine.cost,
      ...(engine.handles && { handles: (url: string) => engine.handles?.(url) === true }),
      fetch: counted((request) => engine.fetch(request)),
      ...(engine.open && { open: opener(engine.open.bind(engine)) }),
    }));
  }
}

const longestJob = 2_147_483; // seconds: the limit of Node's timers
