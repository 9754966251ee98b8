/** Lets the client's model pick the changes of a round that matter to a monitor's goal, and sum them up with proof. */
import { messageOf, type ValidationIssue } from '../../core/runtime/errors.ts';
import { fence, pageIsText } from '../../extract/with-model/prompt.ts';
import { askWithRepair } from '../../extract/with-model/ask-with-repair.ts';
import { computeHere } from '../../content/formats/computations.ts';
import { shapeCheck } from '../../content/formats/with-model/model-reader.ts';
import {
  addRequest,
  type AnswerSchema,
  type Model,
  type ModelTotals,
} from '../../extract/llm/model.ts';
import { startDeadline } from '../../core/runtime/deadline.ts';
import { markdownWords } from '../../content/text/markdown-inline.ts';
import { findModelInstructions } from '../../content/text/prompt-injection.ts';
import { cut } from './describe-change.ts';
import type { DigestClaim, MonitoredChange } from './digest.ts';

const limits = {
  judged: 40, // changes that one round submits; the others count as relevant
  mostText: 60_000, // characters of all changes that the model gets
  longestText: 6000, // characters of one change
  longestWait: 300_000, // milliseconds for the model: other processes wait for the end of the round
};

/** The changes with the model's opinion of them. */
export interface JudgedChanges {
  readonly pages: readonly MonitoredChange[];
  readonly claims: readonly DigestClaim[];
  readonly modelUsage: ModelTotals | undefined;
  readonly warnings: readonly string[];
}

/**
 * Calls the model once, and once more if the answer does not fit. A model that fails, or takes longer than `timeout`
 * or 5 minutes, leaves the changes without an opinion. Rejects only with the signal's reason.
 */
export async function judgeChanges(
  model: Model,
  goal: string,
  pages: readonly MonitoredChange[],
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<JudgedChanges> {
  const judged = pages.filter(({ status }) => status !== 'failed').slice(0, limits.judged);
  if (judged.length === 0) return { pages, claims: [], modelUsage: undefined, warnings: [] };
  const texts = judged.map((page) => changeText(page, limits.mostText / judged.length));
  const warnings: string[] = [];
  const commanding = new Set<MonitoredChange>();
  texts.forEach((text, index) => {
    const page = judged[index];
    const [attempt] = findModelInstructions(text, 1);
    if (page === undefined || attempt === undefined) return;
    commanding.add(page);
    warnings.push(
      `${page.url} has text that looks like instructions to a model: ${JSON.stringify(attempt)}. It counts as relevant, whatever the model says.`,
    );
  });
  let modelUsage: ModelTotals | undefined;
  const checkOf = await shapeCheck<WrittenJudgement>(judgementSchema);
  using deadline = startDeadline(Math.min(timeout, limits.longestWait), [signal], 'The model');
  const prompt = texts.map((text, index) => `Page ${index + 1}:\n${fence('page-text', text)}`);
  try {
    const question = {
      model,
      url: 'the changes',
      system: `${rules}\n\nThe goal:\n${goal.trim()}`,
      schema: judgementSchema,
      check: checkOf(async (written, isLast) => {
        const { claims, issues } = await checkClaims(written, texts);
        return issues.length === 0 || isLast ? { answer: { ...written, claims } } : { issues };
      }),
      remedy: 'Use another model, or rephrase the goal.',
      signal: deadline.signal,
      use: (usage: Parameters<typeof addRequest>[1]) => {
        modelUsage = addRequest(modelUsage, usage);
      },
    };
    const written = await askWithRepair(question, prompt.join('\n\n'), { mayBeCut: false });
    if (!('answer' in written)) return { pages, claims: [], modelUsage, warnings };
    const opinions = new Map(written.answer.pages.map(({ page, ...opinion }) => [page, opinion]));
    const answered = pages.map((page) => {
      const opinion = opinions.get(judged.indexOf(page) + 1);
      if (opinion === undefined) return page;
      const relevant = opinion.relevant || commanding.has(page);
      return { ...page, relevant, reason: cut(markdownWords(opinion.reason), 300) };
    });
    const claims = written.answer.claims.flatMap(({ page, text, quote }) => {
      const url = judged[page - 1]?.url;
      return url === undefined ? [] : [{ text: cut(markdownWords(text), 500), url, quote }];
    });
    return { pages: answered, claims, modelUsage, warnings };
  } catch (error) {
    signal.throwIfAborted();
    warnings.push(`The goal was not judged, every change counts: ${messageOf(error)}`);
    return { pages, claims: [], modelUsage, warnings };
  }
}

function changeText({ url, title, status, summary, diff, json }: MonitoredChange, room: number) {
  const lines = [
    `URL: ${url}`,
    `Title: ${title ?? ''}`,
    `Status: ${status}`,
    `Summary: ${summary}`,
  ];
  if (json !== undefined) lines.push(`Values: ${JSON.stringify(json)}`);
  if (diff !== undefined) lines.push('', diff);
  return cut(lines.join('\n'), Math.min(room, limits.longestText));
}

/** Claims whose quote and numbers are in the change of their page; issues name the others. */
async function checkClaims(
  { claims }: WrittenJudgement,
  texts: readonly string[],
): Promise<{ readonly claims: WrittenJudgement['claims']; readonly issues: ValidationIssue[] }> {
  const proven: WrittenJudgement['claims'][number][] = [];
  const issues: ValidationIssue[] = [];
  for (const [index, claim] of claims.entries()) {
    const markdown = texts[claim.page - 1] ?? '';
    const [quote] = await computeHere('foundQuotes', [claim.quote], markdown);
    const invented = await computeHere('unsupported', markdown, undefined, claim.text);
    if (quote !== undefined && invented.length === 0) proven.push({ ...claim, quote });
    else {
      const message =
        quote === undefined
          ? 'this is not in the change of that page'
          : `${invented.join(', ')} is not in the change of that page`;
      issues.push({ path: ['claims', index], message });
    }
  }
  return { claims: proven, issues };
}

/** The requested answer. */
interface WrittenJudgement {
  readonly pages: readonly {
    readonly page: number;
    readonly relevant: boolean;
    readonly reason: string;
  }[];
  readonly claims: readonly {
    readonly page: number;
    readonly text: string;
    readonly quote: string;
  }[];
}

const pageNumber = { type: 'integer', minimum: 1, maximum: limits.judged } as const;

const judgementSchema: AnswerSchema = {
  type: 'object',
  properties: {
    pages: {
      type: 'array',
      maxItems: limits.judged,
      items: {
        type: 'object',
        properties: {
          page: pageNumber,
          relevant: { type: 'boolean' },
          reason: { type: 'string', maxLength: 1000 },
        },
        required: ['page', 'relevant', 'reason'],
        additionalProperties: false,
      },
    },
    claims: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        properties: {
          page: pageNumber,
          text: { type: 'string', maxLength: 1000 },
          quote: { type: 'string', maxLength: 1000 },
        },
        required: ['page', 'text', 'quote'],
        additionalProperties: false,
      },
    },
  },
  required: ['pages', 'claims'],
  additionalProperties: false,
};

const rules = `You watch web pages for somebody who has a goal. You get the pages that changed, each with a number and its change: in a diff, lines that begin with "-" are gone, lines that begin with "+" are new. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText}
- "pages" has each page once: its number, whether its change matters to the goal, and the reason in one short sentence. In doubt it matters.
- "claims" say, in short sentences in the language of the goal, what changed that matters: one to three for each page that matters, none for the others. Each has the number of its page and a quote: words of its change, copied letter by letter and without the sign of the line. Claims whose quote or numbers are not there are thrown away.
- Say only what the changes say. What you know otherwise counts for nothing here.`;
