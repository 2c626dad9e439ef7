import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
} from '@fluentui/react-components';
import { useTexts } from '../texts/use-texts.ts';
import { ProblemBar } from './problem-bar.tsx';

/** Asks before what cannot be undone. */
export function ConfirmDialog({
  question,
  action,
  isBusy,
  error,
  onConfirm,
  onCancel,
}: {
  question: string;
  /** What the button says. */
  action: string;
  isBusy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const texts = useTexts();
  return (
    <Dialog open modalType="alert" onOpenChange={onCancel}>
      <DialogSurface>
        <DialogBody>
          <DialogTitle>{action}</DialogTitle>
          <DialogContent>
            {question}
            <ProblemBar error={error} />
          </DialogContent>
          <DialogActions>
            <Button onClick={onCancel} disabled={isBusy}>
              {texts.common.cancel}
            </Button>
            <Button appearance="primary" onClick={onConfirm} disabled={isBusy}>
              {action}
            </Button>
          </DialogActions>
        </DialogBody>
      </DialogSurface>
    </Dialog>
  );
}
