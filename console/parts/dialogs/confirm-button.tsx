import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
} from '@fluentui/react-components';
import { useState, type JSX } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { ProblemBar } from '../problem-bar.tsx';

/** A button that asks for confirmation in a dialog, which also shows why the action failed. */
export function ConfirmButton({
  action,
  icon,
  subject,
  question,
  mutation,
  onConfirm,
}: {
  action: string;
  icon: JSX.Element;
  /** What the action applies to, for the accessible name of a button that has room for its icon only. */
  subject?: string;
  question: string;
  mutation: { readonly isPending: boolean; readonly error: Error | null };
  /** On success the caller removes the button along with its subject; that closes the dialog. */
  onConfirm: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const appearance =
    subject === undefined
      ? { children: action }
      : { appearance: 'subtle' as const, title: action, 'aria-label': `${action}: ${subject}` };
  return (
    <>
      <Button icon={icon} aria-haspopup="dialog" onClick={() => setAsking(true)} {...appearance} />
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setAsking}
        {...{ action, question, mutation, onConfirm }}
      />
    </>
  );
}

/** The dialog alone, for what has its button in a menu. */
export function ConfirmDialog({
  isOpen,
  onOpenChange,
  action,
  question,
  mutation: { isPending, error },
  onConfirm,
}: {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  action: string;
  question: string;
  mutation: { readonly isPending: boolean; readonly error: Error | null };
  onConfirm: () => void;
}) {
  const { common } = useTexts();
  return (
    <Dialog open={isOpen} modalType="alert" onOpenChange={(_event, { open }) => onOpenChange(open)}>
      <DialogSurface>
        <DialogBody>
          <DialogTitle>{action}</DialogTitle>
          <DialogContent>
            {question}
            <ProblemBar error={error} />
          </DialogContent>
          <DialogActions>
            <Button onClick={() => onOpenChange(false)} disabled={isPending}>
              {common.cancel}
            </Button>
            <Button appearance="primary" onClick={onConfirm} disabled={isPending}>
              {action}
            </Button>
          </DialogActions>
        </DialogBody>
      </DialogSurface>
    </Dialog>
  );
}
