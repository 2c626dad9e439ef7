/**
 * Moves the focus from a control that is about to disappear to the region around it, or to the page, so that the keyboard
 * and screen readers go on from there and not from the top.
 */
export function keepFocus(control: Element): void {
  control.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
}
