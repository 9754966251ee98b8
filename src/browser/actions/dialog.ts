/** dialog: how alerts, confirms and prompts are answered. */
import type { Dialog, Page } from 'playwright-core';
import type { ActionDialog, ActionOutcome } from '../../core/model/snapshot.ts';
import type { DialogOptions } from './action-options.ts';
import type { ActionRun } from './action.ts';

const mostDialogs = 100; // that are listed
const mostCharacters = 2000; // of a message

const answers = new WeakMap<Page, DialogOptions>();

export const dialog: ActionRun<DialogOptions> = (page, options) => {
  answers.set(page, options);
  return Promise.resolve();
};

/** Answers the dialogs of a page and lists them; returns the function that ends it. */
export function answerDialogs(page: Page, outcome: ActionOutcome): () => void {
  const onDialog = (dialog: Dialog): void => {
    const type = typeOf(dialog);
    // Cancelling this one would keep the page from being left.
    const { accept, text } = answers.get(page) ?? { accept: type === 'beforeunload' };
    const typed = type === 'prompt' && accept ? (text ?? dialog.defaultValue()) : undefined;
    if (outcome.dialogs.length < mostDialogs) {
      const message = dialog.message().slice(0, mostCharacters);
      outcome.dialogs.push({ type, message, answer: typed ?? accept });
    }
    const answering = accept ? dialog.accept(typed) : dialog.dismiss();
    // The page may have gone meanwhile.
    answering.catch(() => undefined);
  };
  page.on('dialog', onDialog);
  return () => {
    page.off('dialog', onDialog);
    answers.delete(page);
  };
}

function typeOf(dialog: Dialog): ActionDialog['type'] {
  const type = dialog.type();
  return type === 'beforeunload' || type === 'confirm' || type === 'prompt' ? type : 'alert';
}
