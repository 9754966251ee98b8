/** A request that was not sent because a budget did not pay for it: a skip for a job, an error for whoever asked. */
import { PagewrightError } from '../errors.ts';

export class BudgetRefusal extends PagewrightError {
  /** `budget.tokens: 5000`: for the books of a job. */
  readonly rule: string;

  constructor(rule: string, message: string) {
    super('MODEL_FAILED', message);
    this.rule = rule;
  }
}
