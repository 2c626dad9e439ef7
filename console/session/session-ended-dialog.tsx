import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
} from '@fluentui/react-components';
import { useLayoutEffect, useRef, useState } from 'react';
import { confirmLeaving } from '../parts/dialogs/unsaved.ts';
import { useTexts } from '../texts/use-texts.ts';
import { session } from './session.ts';
import { useSession } from './use-session.ts';

/** Covers the current view. The user signs in again in another window, so input in this one is not lost. */
export function SessionEndedDialog() {
  const state = useSession();
  const texts = useTexts();
  const hasEnded = state.kind === 'signedIn' && state.hasEnded;
  const [otherName, ownName] = state.kind === 'signedIn' ? [state.otherName, state.user.name] : [];
  const [isBlocked, setBlocked] = useState(false);
  const focusedBefore = useRef<Element>(null);
  // Runs before the dialog's own effects move the focus.
  useLayoutEffect(() => {
    if (hasEnded) focusedBefore.current = document.activeElement;
  }, [hasEnded]);
  return (
    <Dialog
      open={hasEnded}
      modalType="alert"
      surfaceMotion={{
        // A dialog below this one is hidden from assistive technology until it has the focus again.
        onMotionFinish: (_event, { direction }) => {
          if (direction === 'exit') (focusedBefore.current as HTMLElement | null)?.focus();
        },
      }}
    >
      <DialogSurface>
        <DialogBody>
          <DialogTitle>{texts.session.ended}</DialogTitle>
          <DialogContent>
            {otherName === undefined
              ? texts.session.endedExplanation
              : texts.session.otherPerson(otherName, ownName ?? '')}
            <div role="alert">{isBlocked && texts.session.windowBlocked}</div>
          </DialogContent>
          <DialogActions>
            <Button onClick={() => void (confirmLeaving() && session.signOut())}>
              {texts.session.signOut}
            </Button>
            <Button appearance="primary" onClick={() => setBlocked(!session.signInAgain())}>
              {texts.session.signInAgain}
            </Button>
          </DialogActions>
        </DialogBody>
      </DialogSurface>
    </Dialog>
  );
}
