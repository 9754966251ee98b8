/** A session: the client that its tools share, its budget, its limits, and the texts that are read in parts. */
import type { z } from 'zod';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { ActionInput, Client, Session as PageSession } from '../../index.ts';
import type { ActRisk } from '../../browser/actions/act-recipe.ts';
import type { UsePageInput } from './inputs.ts';
import type { SessionBudget } from './session-budget.ts';
import { errorResult, partResult, type ToolResult } from './tool-result.ts';

/** The options of a session. */
export interface SessionOptions {
  readonly client: Client;
  readonly budget: SessionBudget;
  /** Characters of page text in one result. */
  readonly maxCharacters: number;
  /** True where the client has a model, which `extract` may use. */
  readonly hasModel: boolean;
  /** True where the client has a search engine. */
  readonly hasSearch: boolean;
  /** True where pages may be clicked and filled in. */
  readonly allowsActions: boolean;
  /** The risks that acts may take; the agent cannot change them. */
  readonly allowsActs: readonly ActRisk[];
  /** True where the client has a store, whose jobs are resources. */
  readonly hasStore: boolean;
  /** Rewrites advice for callers of the library as advice for the user of the tools. */
  readonly reword: (message: string) => string;
}

/** The caller's part of a call. */
export interface CallContext {
  /** Cancels the call. */
  readonly signal: AbortSignal;
  /** Receives the progress of a job that the call waits for. */
  readonly onProgress?:
    ((counts: { readonly done: number; readonly total: number }) => void) | undefined;
  /** Called when a crawl that the call started has ended. */
  readonly onCrawlEnd?: () => void;
}

/** One tool. */
export interface AgentTool<Input> {
  readonly title: string;
  /** Its effect and its use, for the model. */
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  /** False for a tool that may change something. */
  readonly isReadOnly: boolean;
  /** Runs a call with a checked input; it never rejects. */
  run(input: Input, context: CallContext): Promise<ToolResult>;
}

/** A text of pages, and the line before it, which has no words of a page. */
export interface PagedText {
  readonly heading: string;
  readonly text: string;
}

const mostTexts = 20; // texts stored for the calls with another offset

/** One session: the calls of one user. */
export class Session {
  readonly options: SessionOptions;
  /** Open pages by id, also pages that are being opened. The client closes them. */
  readonly pages: Map<string, Promise<PageSession>> = new Map<string, Promise<PageSession>>();
  /** By call; the most recently read one is last. */
  readonly #texts = new Map<string, PagedText>();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  /** The actions of a call, which the library checks; the user limits the risks of acts. */
  actions(steps: UsePageInput['actions']): readonly ActionInput[] | undefined {
    const { hasModel, allowsActs } = this.options;
    const checked = steps?.map((step) => {
      if (step.type !== 'act') return step;
      const problem = !hasModel
        ? 'act needs a model, and there is none: use the other actions'
        : 'allow' in step || 'recipe' in step
          ? 'act takes a prompt here, but neither allow nor recipe: the user decides about them'
          : undefined;
      if (problem !== undefined) throw new PagewrightError('BAD_REQUEST', problem);
      return { ...step, allow: allowsActs };
    });
    return checked as readonly ActionInput[] | undefined;
  }

  /** Runs a call of a tool: an error is a result, and the call counts against the budget. */
  async run(call: () => Promise<ToolResult>): Promise<ToolResult> {
    const { budget, reword } = this.options;
    const start = performance.now();
    try {
      budget.left();
      return await call();
    } catch (error) {
      return errorResult(error, reword);
    } finally {
      budget.use({ seconds: (performance.now() - start) / 1000 });
    }
  }

  /**
   * Runs a call whose result is the part of a text from `offset` on. The text is made once for equal calls, but anew
   * for the offset 0.
   */
  part(
    call: readonly unknown[],
    offset: number,
    make: () => Promise<PagedText>,
  ): Promise<ToolResult> {
    return this.run(async () => {
      const key = JSON.stringify(call);
      const cached = offset > 0 ? this.#texts.get(key) : undefined;
      const { heading, text } = cached ?? (await make());
      this.#texts.delete(key);
      this.#texts.set(key, { heading, text });
      for (const oldest of this.#texts.keys()) {
        if (this.#texts.size <= mostTexts) break;
        this.#texts.delete(oldest);
      }
      return partResult(heading, text, { offset, length: this.options.maxCharacters });
    });
  }
}
