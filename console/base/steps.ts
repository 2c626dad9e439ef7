import { navigate, useBrowserLocation, type BrowserLocationHook } from 'wouter/use-browser-location';

// The history has a step that shows what the one before it shows: after a search that was taken away again. Back, or forward,
// passes over it.

interface Step {
  /** How many steps of this page are before it. */
  readonly place: number;
}

const placeOf = (state: unknown): number => (state as Partial<Step> | null)?.place ?? 0;

const current = () => ({ address: location.href, place: placeOf(history.state) });

let shown = current();
const note = (): void => void (shown = current());
// The router announces its changes of the address by these.
for (const type of ['pushState', 'replaceState']) addEventListener(type, note);
addEventListener('popstate', () => {
  const { address, place } = shown;
  note();
  // Zero would load the page again.
  if (shown.address === address && shown.place !== place) history.go(Math.sign(shown.place - place));
});

/** The router's location. To go where one is makes no step. */
export const useSteps: BrowserLocationHook = (options) => [useBrowserLocation(options)[0], go];

const go: typeof navigate = (to, { replace = false, ...options } = {}) => {
  const isSame = new URL(to, location.href).href === location.href;
  const place = placeOf(history.state) + (replace || isSame ? 0 : 1);
  navigate(to, { ...options, replace: replace || isSame, state: { place } satisfies Step });
};
