import { useEffect, useState } from 'react';
import { currentTexts } from '../../texts/use-texts.ts';

/** Forms with input that is stored nowhere else. */
const forms = new Set<object>();
/** What an open tab does, such as uploads; true while it does. */
const works: (() => boolean)[] = [];

/** Whether the tab can be closed without loss. */
export const isLeavingSafe = (): boolean => forms.size === 0 && !works.some((isUnderWay) => isUnderWay());

/** The browser asks before it closes the tab while this is true. */
export function keepTabOpenWhile(isUnderWay: () => boolean): void {
  works.push(isUnderWay);
}

/** The input of one form. */
export interface Unsaved {
  /** Call it when the user has changed something; for `onInput` of an element around the fields. */
  readonly mark: () => void;
  /** Call it before the page is left after the form was sent. */
  readonly clear: () => void;
  /** Whether the form can be closed: there is nothing to lose, or the user has confirmed the loss. */
  readonly confirmLoss: () => boolean;
}

/** Asks the user before the input of a form is lost, because another page is opened or the tab is closed. */
export function useUnsaved(): Unsaved {
  const [unsaved] = useState(() => {
    const form = {};
    return {
      mark: () => void forms.add(form),
      clear: () => void forms.delete(form),
      confirmLoss: () => !forms.has(form) || confirmDiscard(),
    };
  });
  useEffect(() => unsaved.clear, [unsaved]);
  return unsaved;
}

const confirmDiscard = (): boolean => confirm(currentTexts().common.unsaved);

/** Whether the page at this path can be shown instead of the current one; asks if a form would be lost. */
function mayShow(pathname: string, currentPathname: string): boolean {
  if (forms.size === 0 || pathname === currentPathname) return true;
  if (!confirmDiscard()) return false;
  forms.clear();
  return true;
}

/** When a navigation began that does not replace the page, in ms of `event.timeStamp`. */
let outsideAt = Number.NEGATIVE_INFINITY;
const outsideMs = 1000;

addEventListener('beforeunload', (event) => {
  if (!isLeavingSafe() && event.timeStamp - outsideAt > outsideMs) event.preventDefault();
});

/**
 * Whether the page can be left by a button of its own, which may have changed more than the address by the time the browser
 * asks. Leave it immediately if so.
 */
export function confirmLeaving(): boolean {
  if (!isLeavingSafe()) {
    if (!confirm(currentTexts().common.leaving)) return false;
    outsideAt = performance.now();
  }
  return true;
}

/** Opens an address that the browser saves as a file. It sends `beforeunload` also before that. */
export function startDownload(url: string): void {
  outsideAt = performance.now();
  location.assign(url);
}

// The same before a mail link, and whatever else another program opens.
document.addEventListener('click', ({ target, timeStamp }) => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
  if (link && !/^https?:$/.test(link.protocol)) outsideAt = timeStamp;
});

// Links, the menu and the browser's own buttons.
const { navigation } = globalThis as { navigation?: Navigation };
if (navigation) {
  navigation.addEventListener('navigate', (event) => {
    const { destination, cancelable } = event;
    if (!destination.sameDocument || !cancelable) return;
    if (!mayShow(new URL(destination.url).pathname, location.pathname)) event.preventDefault();
  });
} else guardHistory();

/** For Firefox before 147 and Safari before 26.2. The browser has gone back when the page learns of it, so it goes on again. */
function guardHistory(): void {
  let shown = location.href;
  const push = history.pushState.bind(history);
  for (const method of ['pushState', 'replaceState'] as const) {
    const change = history[method].bind(history);
    history[method] = (state, unused, url) => {
      const { pathname } = new URL(url ?? '', location.href);
      if (!mayShow(pathname, location.pathname)) return;
      change(state, unused, url);
      shown = location.href;
    };
  }
  addEventListener(
    'popstate',
    (event) => {
      if (mayShow(location.pathname, new URL(shown).pathname)) shown = location.href;
      else {
        event.stopImmediatePropagation();
        push(null, '', shown);
      }
    },
    { capture: true },
  );
}
