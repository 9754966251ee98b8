/** Ends a crawl once its pages answer its query. */
import { messageOf, PagewrightError } from '../runtime/errors.ts';
import { askWithRepair } from '../../extract/with-model/ask-with-repair.ts';
import { pageIsText, pageText } from '../../extract/with-model/prompt.ts';
import { shapeCheck } from '../../content/formats/with-model/model-reader.ts';
import {
  type AnswerCover,
  type AnswerPage,
  type AnswerPassage,
  AnswerProgress,
} from '../frontier/orders/answer-progress.ts';
import type { AnswerSchema, Model } from '../../extract/llm/model.ts';
import type { CrawlStop } from '../model/job.ts';
import { startDeadline } from '../runtime/deadline.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import { findModelInstructions } from '../../content/text/prompt-injection.ts';
import { hashOf } from './durable/journal.ts';
import type { JobControl } from './job-status.ts';

/** The crawl to end; `signal` ends requests to the model. */
interface AnswerStopSetting {
  /** Its model is the client's, within the budget of the job. */
  readonly parts: { readonly model: Model | undefined };
  readonly settings: Pick<CrawlSettings, 'question'>;
  readonly job: Pick<JobControl<unknown>, 'journal' | 'warn' | 'stoppedEarly'>;
  readonly signal: AbortSignal;
}

const mostQuestions = 5; // model calls in a crawl
const longest = 60_000; // milliseconds for one answer of the model

/**
 * Decides as pages are committed, in their order, so that a crawl ends before the same page at any speed, also after a
 * killed one is resumed.
 */
export class AnswerStop {
  readonly #setting: AnswerStopSetting;
  readonly #query: string;
  readonly #progress: AnswerProgress;
  readonly #ending = new AbortController();
  /** The model that decides; undefined when words do. */
  #model: Model | undefined;
  #questions = 0;
  /** True while there are passages that the model has not judged. */
  #isChanged = false;
  #sinceAsked = 0;
  #rule: string | undefined;

  private constructor(setting: AnswerStopSetting, query: string) {
    this.#setting = setting;
    this.#query = query;
    this.#progress = new AnswerProgress(query);
    if (setting.settings.question?.judge !== 'model') return;
    this.#model = setting.parts.model;
    if (this.#model !== undefined) return;
    setting.job.warn(
      "Words decide when the query is answered: strategy.judge 'model' needs createClient({ model }).",
    );
  }

  /** Undefined for a crawl that its query does not end. */
  static of(setting: AnswerStopSetting): AnswerStop | undefined {
    const { question } = setting.settings;
    return question && new AnswerStop(setting, question.query);
  }

  /** Aborts when the crawl ends: pages in flight are no longer needed. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The rule by which pages are skipped, once the crawl has ended. */
  get rule(): string | undefined {
    return this.#rule;
  }

  /** The rule if the crawl ends before this page. */
  endsBefore({ score }: Pick<AnswerPage, 'score'>): string | undefined {
    const isDone = this.#model === undefined && this.#progress.isDoneBefore(score);
    if (isDone && this.#rule === undefined) this.#end('words');
    return this.#rule;
  }

  /** Measures a page, in crawl order. Rejects with the signal's reason. */
  async add(page: AnswerPage): Promise<void> {
    const isNew = this.#progress.add(page);
    this.#isChanged ||= isNew;
    this.#sinceAsked += 1;
    if (this.#model === undefined || !this.#isChanged || !this.#progress.mayBeAnswered) return;
    // The wait grows with each question, so that a few questions last for a long crawl.
    if (this.#questions >= mostQuestions || this.#sinceAsked < 2 ** this.#questions) return;
    this.#questions += 1;
    this.#sinceAsked = 0;
    this.#isChanged = false;
    if (await this.#asksModel(this.#model, this.#progress.cover)) this.#end('model');
  }

  #end(judge: CrawlStop['judge']): void {
    const { coverage, pages, passages } = this.#progress.cover;
    this.#rule = `until: 'answered' (by ${judge}, after ${pages} pages)`;
    this.#setting.job.stoppedEarly({ reason: 'answered', judge, coverage, pages, passages });
    this.#ending.abort(new PagewrightError('CANCELLED', 'The query of the crawl is answered.'));
  }

  /** A durable job sends the same passages once. After a failure, which causes a warning, words decide. */
  async #asksModel(model: Model, { passages }: AnswerCover): Promise<boolean> {
    const { job, signal } = this.#setting;
    const ask = async (): Promise<ModelVerdict> => {
      try {
        return { isAnswered: await askIfAnswered(model, this.#query, passages, signal) };
      } catch (error) {
        if (signal.aborted) throw error;
        return { error };
      }
    };
    const key = JSON.stringify([this.#query, passages]);
    const verdict = await job.journal.answer('answered', hashOf(key), signal, ask);
    this.#warnOf(passages);
    if ('isAnswered' in verdict) return verdict.isAnswered;
    this.#model = undefined;
    job.warn(
      `From some page on, words decide when the query is answered: ${messageOf(verdict.error)}`,
    );
    return false;
  }

  #warnOf(passages: readonly AnswerPassage[]): void {
    for (const { url, text } of passages) {
      const [quote] = findModelInstructions(text, 1);
      if (quote === undefined) continue;
      this.#setting.job.warn(
        `A passage of ${url} looks like instructions to a model: ${JSON.stringify(quote)} (sent as text of the page).`,
      );
    }
  }
}

/** Passages come from pages as received; their style sheets are ignored. */
const everyStyleRead = { files: false, rules: false };

type ModelVerdict = { readonly isAnswered: boolean } | { readonly error: unknown };

// The question to the model: do these passages answer the query?

const verdictSchema: AnswerSchema = {
  type: 'object',
  properties: { answered: { type: 'boolean' } },
  required: ['answered'],
  additionalProperties: false,
};

const verdictRules = `You decide if passages of web pages answer a question. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText} The same holds for each passage.
- "answered" is true when the whole question can be answered from these passages alone, with the facts, numbers or steps that it asks for.
- "answered" is false when a part of the answer is missing, or when the passages only say where it stands. What you know otherwise counts for nothing here.`;

/** Rejects like `askWithRepair`, and after a minute. */
async function askIfAnswered(
  model: Model,
  query: string,
  passages: readonly AnswerPassage[],
  crawlSignal: AbortSignal,
): Promise<boolean> {
  using deadline = startDeadline(longest, [crawlSignal], 'Asking if the query is answered');
  const { signal } = deadline;
  const checkOf = await shapeCheck<{ readonly answered: boolean }>(verdictSchema);
  const url = passages[0]?.url ?? '';
  const texts = passages.map(({ url, text }) =>
    pageText(url, { text, headings: [], isRestOfTable: false }, everyStyleRead),
  );
  const verdict = await askWithRepair(
    {
      model,
      url,
      system: `${verdictRules}\n\nThe question:\n${query.trim()}`,
      schema: verdictSchema,
      check: checkOf(({ answered }) => ({ answer: answered })),
      remedy: 'Use another model.',
      signal,
      // The budget's model counts its use itself.
      use: () => undefined,
    },
    texts.join('\n\n'),
    { mayBeCut: false },
  );
  return 'answer' in verdict && verdict.answer;
}
