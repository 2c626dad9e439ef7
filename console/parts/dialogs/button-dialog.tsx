import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
  DialogTrigger,
} from '@fluentui/react-components';
import { cloneElement, useState, type JSX, type ReactNode, type SubmitEvent } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { ProblemBar } from '../problem-bar.tsx';
import { useUnsaved } from './unsaved.ts';

/**
 * A button that opens a dialog. The content is mounted anew each time it opens, so a form starts empty. When the button is no
 * longer offered, an open dialog remains, with what was typed.
 */
export function ButtonDialog({
  button,
  modalType = 'modal',
  isOffered = true,
  children,
}: {
  button: JSX.Element;
  isOffered?: boolean;
  modalType?: 'modal' | 'alert';
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const unsaved = useUnsaved();
  const close = (): void => {
    unsaved.clear();
    setOpen(false);
  };
  // Escape and a click beside the dialog can be by mistake.
  const change = (open: boolean): void => {
    if (open) setOpen(true);
    else if (unsaved.confirmLoss()) close();
  };
  if (!isOffered && !isOpen) return null;
  return (
    <Dialog open={isOpen} modalType={modalType} onOpenChange={(_event, { open }) => change(open)}>
      <DialogTrigger disableButtonEnhancement>
        {cloneElement(button, { 'aria-haspopup': 'dialog' })}
      </DialogTrigger>
      <DialogSurface onInput={unsaved.mark}>{children(close)}</DialogSurface>
    </Dialog>
  );
}

/** The form inside a dialog: Enter in a field submits it, and a failure is shown below the fields. */
export function DialogForm({
  title,
  action,
  isComplete,
  mutation: { isPending, error },
  onSubmit,
  onCancel,
  children,
}: {
  title: string;
  /** Label of the submit button. */
  action: string;
  isComplete: boolean;
  mutation: { readonly isPending: boolean; readonly error: Error | null };
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  const { common } = useTexts();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <DialogBody>
        <DialogTitle>{title}</DialogTitle>
        <DialogContent>
          {children}
          <ProblemBar error={error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onCancel}>{common.cancel}</Button>
          <Button type="submit" appearance="primary" disabled={!isComplete || isPending}>
            {action}
          </Button>
        </DialogActions>
      </DialogBody>
    </form>
  );
}
