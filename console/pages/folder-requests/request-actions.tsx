import { Button, makeStyles, tokens } from '@fluentui/react-components';
import { ArrowRepeatAllRegular, DeleteRegular } from '@fluentui/react-icons';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import type { FolderRequest } from './loaded-requests.ts';
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
  const { folderRequests: texts } = useTexts();
  const styles = useStyles();
  const notify = useNotify();
  const isAdministrator = useMay('Administrator');
  const { requeue, withdraw, forget } = useRequestActions();
  const { id, status } = request;
  return (
    <div className={styles.actions}>
      {status === 'FAILED' && isAdministrator && (
        <Button
          appearance="primary"
          icon={<ArrowRepeatAllRegular />}
          disabled={requeue.isPending}
          onClick={() => requeue.mutate(id, { onSuccess: () => notify(texts.requeued) })}
        >
          {texts.requeue}
        </Button>
      )}
      {status === 'PENDING' && (
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
      <ProblemBar error={requeue.error} />
    </div>
  );
}
