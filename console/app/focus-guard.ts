/** More steps back than a dialog inside a drawer takes. */
const maxSteps = 20;

const focusable =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex]:not([data-tabster-dummy])';

/** An element that had the focus, and where it was: each ancestor with its place among its siblings. */
interface Step {
  readonly element: HTMLElement;
  readonly ancestors: readonly { readonly parent: Element; readonly place: number }[];
}

const canHaveFocus = (element: Element | null | undefined): element is HTMLElement =>
  element instanceof HTMLElement &&
  element.isConnected &&
  !element.matches(':disabled') &&
  element.checkVisibility();

/**
 * Keeps the focus in the page. When the focused element disappears or is disabled, the browser moves the focus to the body:
 * a screen reader then starts over at the top. It moves to what had it before, if that is still there (the button that
 * opened a dialog), otherwise to what took the place of the element (the next row), otherwise to the page's content.
 *
 * Fluent UI's own handling of the focus is for elements that it has opened itself. Without this guard, three of the four ways
 * that a test takes with the keyboard alone fail (tests/whole/console/keyboard.ts): a closed drawer leaves the focus at the
 * first button of the page, a button that goes within a drawer at one behind it, and a dialog of a menu nowhere.
 */
export function guardFocus(): () => void {
  const steps: Step[] = [];
  const remember = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement) {
      steps.unshift({ element: target, ancestors: [...ancestorsOf(target)] });
      steps.splice(maxSteps);
    }
  };
  const check = (): void => {
    const [last] = steps;
    const active = document.activeElement;
    const isLost = active === document.body || active === null;
    // The user may also click on a place that takes no focus.
    if (isBehindDialog(active) || (isLost && last && !canHaveFocus(last.element)))
      placeFor(steps)?.focus({ preventScroll: true });
  };
  const checkSoon = (): number => requestAnimationFrame(check);
  const observer = new MutationObserver(checkSoon);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'hidden'],
  });
  document.addEventListener('focusin', remember);
  document.addEventListener('focusin', checkSoon);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', remember);
    document.removeEventListener('focusin', checkSoon);
  };
}

function* ancestorsOf(element: Element): Generator<Step['ancestors'][number]> {
  for (let child: Element = element; child.parentElement; child = child.parentElement) {
    yield { parent: child.parentElement, place: [...child.parentElement.children].indexOf(child) };
  }
}

const openDialog = (): Element | undefined => [...document.querySelectorAll('[aria-modal="true"]')].at(-1);

/** When a dialog loses the focus, Fluent UI's library for the focus may be faster and give it to a button of the page. */
const isBehindDialog = (active: Element | null): boolean =>
  Boolean(active?.closest('main')) && openDialog() !== undefined;

function placeFor(steps: readonly Step[]): HTMLElement | null {
  // What is behind an open dialog cannot be used, also while the dialog loads and has nothing to focus.
  const dialog = openDialog();
  for (const { element, ancestors } of steps) {
    const found = canHaveFocus(element) ? element : nearest(ancestors);
    if (found && (!dialog || dialog.contains(found))) return found;
  }
  return dialog ? dialog.querySelector<HTMLElement>(focusable) : document.querySelector('main');
}

/** The first element that can have the focus in what is now at the place of the lost one, within the page or its dialog. */
function nearest(ancestors: Step['ancestors']): HTMLElement | undefined {
  for (const { parent, place } of ancestors) {
    if (parent === document.body || parent.matches('main')) return undefined;
    const { children } = parent;
    const sibling = children[Math.min(place, children.length - 1)];
    const candidates = [
      sibling,
      ...(sibling?.querySelectorAll(focusable) ?? []),
      ...parent.querySelectorAll(focusable),
    ];
    const found = candidates.find((each) => each?.matches(focusable) && canHaveFocus(each));
    if (found) return found as HTMLElement;
  }
  return undefined;
}
