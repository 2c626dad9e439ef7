import { useEffect, useState } from 'react';
import { pageSettings } from '../../session/page-settings.ts';
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

const signInOrigin = new URL(pageSettings.authority, location.href).origin;

const confirmDiscard = (): boolean => confirm(currentTexts().common.unsaved);

/** When a navigation began that does not replace the page, in ms of `event.timeStamp`. */
let outsideAt = Number.NEGATIVE_INFINITY;
const outsideMs = 1000;

addEventListener('beforeunload', (event) => {
  if (!isLeavingSafe() && event.timeStamp - outsideAt > outsideMs) event.preventDefault();
});

// Links, the menu and the browser's own buttons. Browsers without this interface ask only before the tab is closed.
(globalThis as { navigation?: Navigation }).navigation?.addEventListener('navigate', (event) => {
  const { destination, cancelable } = event;
  const { origin, pathname } = new URL(destination.url);
  // Browsers send `beforeunload` also for a mail link, and for a download of the library.
  if (origin !== location.origin && origin !== signInOrigin) outsideAt = event.timeStamp;
  const isOtherPage = destination.sameDocument && pathname !== location.pathname;
  if (forms.size === 0 || !isOtherPage || !cancelable) return;
  if (confirmDiscard()) forms.clear();
  else event.preventDefault();
});
