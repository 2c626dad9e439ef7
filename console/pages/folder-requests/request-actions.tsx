import { Button, Field, Input, makeStyles, tokens } from '@fluentui/react-components';
import { ArrowRepeatAllRegular, CopyRegular, DeleteRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { ButtonDialog, DialogForm } from '../../parts/dialogs/button-dialog.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { RequestAgain } from './create-request.tsx';
import { mayWithdraw, type FolderRequest } from './loaded-requests.ts';
import { useRequestActions } from './use-request-actions.ts';

const useStyles = makeStyles({
  actions: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalS,
    marginBottom: tokens.spacingVerticalL,
  },
});

/** The actions that the state of the request allows. */
export function RequestActions({
  request,
  onWithdrawn,
}: {
  request: FolderRequest;
  onWithdrawn: () => void;
}) {
  const { folderRequests: texts, common } = useTexts();
  const styles = useStyles();
  const notify = useNotify();
  const isAdministrator = useMay('Administrator');
  const { correct, requeue, withdraw, forget } = useRequestActions();
  const { id, status } = request;
  const mayRequeue = status === 'FAILED' && isAdministrator;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(id);
    notify(common.copied);
  };
  return (
    <div className={styles.actions}>
      {mayRequeue && (
        <Button
          appearance="primary"
          icon={<ArrowRepeatAllRegular />}
          disabledFocusable={requeue.isPending}
          onClick={() => requeue.mutate({ id }, { onSuccess: () => notify(texts.requeued) })}
        >
          {texts.requeue}
        </Button>
      )}
      {/* Each dialog remains when the state changes: it must not vanish with what was typed. */}
      <ButtonDialog isOffered={mayRequeue} button={<Button>{texts.requeueCorrected}</Button>}>
        {(close) => (
          <CorrectedForm
            request={request}
            title={texts.requeueCorrectedTitle}
            action={texts.requeue}
            mutation={requeue}
            done={texts.requeued}
            onDone={close}
          />
        )}
      </ButtonDialog>
      <ButtonDialog isOffered={status === 'PENDING'} button={<Button>{texts.correct}</Button>}>
        {(close) => (
          <CorrectedForm
            request={request}
            title={texts.correctTitle}
            action={texts.correctAction}
            mutation={correct}
            done={texts.corrected}
            onDone={close}
          />
        )}
      </ButtonDialog>
      <ButtonDialog
        isOffered={status === 'PROCESSING' && isAdministrator}
        button={<Button>{texts.free}</Button>}
      >
        {(close) => <FreeForm id={id} onDone={close} />}
      </ButtonDialog>
      <RequestAgain
        request={request}
        isOffered={status === 'PROCESSING' || (status === 'FAILED' && !mayRequeue)}
      />
      {mayWithdraw(request, isAdministrator) && (
        <ConfirmButton
          action={texts.withdraw}
          icon={<DeleteRegular />}
          question={texts.withdrawQuestion}
          mutation={withdraw}
          onConfirm={() =>
            withdraw.mutate(id, {
              onSuccess: () => {
                notify(texts.withdrawn);
                onWithdrawn();
                forget(id);
              },
            })
          }
        />
      )}
      <Button icon={<CopyRegular />} onClick={() => void copy()}>
        {texts.copyId}
      </Button>
      <ProblemBar error={requeue.error} />
    </div>
  );
}

/** Gives the request another path. */
function CorrectedForm({
  request: { id, targetPath },
  title,
  action,
  mutation,
  done,
  onDone,
}: {
  request: FolderRequest;
  title: string;
  action: string;
  mutation: ReturnType<typeof useRequestActions>['correct' | 'requeue'];
  done: string;
  onDone: () => void;
}) {
  const { folderRequests: texts } = useTexts();
  const notify = useNotify();
  const [path, setPath] = useState(targetPath);
  const submit = (): void =>
    mutation.mutate(
      { id, targetPath: path },
      {
        onSuccess: () => {
          notify(done);
          onDone();
        },
      },
    );
  return (
    <DialogForm
      title={title}
      action={action}
      isComplete={path.trim() !== ''}
      mutation={mutation}
      onSubmit={submit}
      onCancel={onDone}
    >
      <Field label={texts.path} hint={texts.createHint} required>
        <Input value={path} onChange={(_event, { value }) => setPath(value)} />
      </Field>
    </DialogForm>
  );
}

/** Takes the request from its agent. */
function FreeForm({ id, onDone }: { id: string; onDone: () => void }) {
  const { folderRequests: texts } = useTexts();
  const notify = useNotify();
  const { free } = useRequestActions();
  const [reason, setReason] = useState('');
  const submit = (): void =>
    free.mutate(
      { id, reason: reason.trim() },
      {
        onSuccess: () => {
          notify(texts.freed);
          onDone();
        },
      },
    );
  return (
    <DialogForm
      title={texts.freeTitle}
      action={texts.freeAction}
      isComplete={reason.trim() !== ''}
      mutation={free}
      onSubmit={submit}
      onCancel={onDone}
    >
      <Field label={texts.reason} hint={texts.freeHint} required>
        <Input value={reason} maxLength={500} onChange={(_event, { value }) => setReason(value)} />
      </Field>
    </DialogForm>
  );
}
