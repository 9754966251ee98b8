/** Elements as a view of a page lists them. */
import type { ViewedElement, ViewedForm } from '../../../src/browser/act/in-page/page-view.ts';

/** Outside of a form. */
export const noForm: ViewedForm = {
  isThere: false,
  hasCard: false,
  hasPassword: false,
  hasMessage: false,
  isSubmit: false,
  submitName: '',
  words: '',
};

/** A button without a label, and what differs. */
export function plainElement(given: Partial<ViewedElement>): ViewedElement {
  return {
    role: 'button',
    name: '',
    texts: '',
    near: '',
    heading: '',
    area: '',
    areaName: '',
    tag: 'button',
    type: '',
    selectors: [],
    value: '',
    states: [],
    options: [],
    words: '',
    targets: '',
    form: noForm,
    ...given,
  };
}
