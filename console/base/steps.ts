// The history has a step that shows what the one before it shows: after a search that was taken away again. Back, or forward,
// passes over it. To go where one is makes no step.

interface Step {
  /** How many steps of this page are before it. */
  readonly place: number;
}

const placeOf = (state: unknown): number => (state as Partial<Step> | null)?.place ?? 0;

const current = () => ({ address: location.href, place: placeOf(history.state) });

/** The page keeps nothing else in the state of a step. */
export function countSteps(): void {
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let shown = current();
  history.pushState = (_state, unused, url) => {
    const isSame = new URL(url ?? '', location.href).href === location.href;
    const place = placeOf(history.state) + (isSame ? 0 : 1);
    (isSame ? replace : push)({ place } satisfies Step, unused, url);
    shown = current();
  };
  history.replaceState = (_state, unused, url) => {
    replace({ place: placeOf(history.state) } satisfies Step, unused, url);
    shown = current();
  };
  addEventListener('popstate', () => {
    const { address, place } = shown;
    shown = current();
    // Zero would load the page again.
    if (shown.address === address && shown.place !== place) history.go(Math.sign(shown.place - place));
  });
}
