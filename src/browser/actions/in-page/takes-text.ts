/** Runs in the page: checks whether an element would take typed text. */

/** True when the focused element takes text, or is a frame, whose content is not accessible. */
export function takesText(): boolean {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (active === null) return false;
  if (document.designMode === 'on' || (active as Partial<HTMLElement>).isContentEditable === true) {
    return true;
  }
  if (/^i?frame$/i.test(active.localName)) return true;
  if (!(active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement)) return false;
  return (
    !active.disabled &&
    !active.readOnly &&
    !/^(?:button|checkbox|color|file|image|radio|range|reset|submit)$/.test(active.type)
  );
}
