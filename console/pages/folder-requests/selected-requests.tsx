import { Button } from '@fluentui/react-components';
import { ArrowRepeatAllRegular, DeleteRegular } from '@fluentui/react-icons';
import { BulkButton } from '../../parts/dialogs/bulk-dialog.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { mayWithdraw, type FolderRequest } from './loaded-requests.ts';
import { useBulkActions } from './use-request-actions.ts';

const nameOf = ({ targetPath }: FolderRequest): string => targetPath;

/** The actions on the checked requests, each with the number of those that it applies to. */
export function SelectedRequests({
  requests,
  onDone,
}: {
  requests: readonly FolderRequest[];
  onDone: () => void;
}) {
  const { common, folderRequests: texts } = useTexts();
  const isAdministrator = useMay('Administrator');
  const { requeue, withdraw, onEnd } = useBulkActions();
  const end = async (): Promise<void> => {
    onDone();
    await onEnd();
  };
  return (
    <>
      <span role="status">{requests.length > 0 && common.selected(requests.length)}</span>
      <BulkButton
        label={texts.requeueSelected}
        icon={<ArrowRepeatAllRegular />}
        title={texts.requeue}
        action={texts.requeue}
        question={texts.requeueAllQuestion}
        doneText={texts.requeueAllDone}
        items={isAdministrator ? requests.filter(({ status }) => status === 'FAILED') : []}
        nameOf={nameOf}
        act={requeue}
        onEnd={end}
      />
      <BulkButton
        label={texts.withdrawSelected}
        icon={<DeleteRegular />}
        title={texts.withdraw}
        action={texts.withdraw}
        question={texts.withdrawSelectedQuestion}
        doneText={texts.withdrawSelectedDone}
        items={requests.filter((request) => mayWithdraw(request, isAdministrator))}
        nameOf={nameOf}
        act={withdraw}
        onEnd={end}
      />
      {requests.length > 0 && (
        <Button appearance="subtle" onClick={onDone}>
          {common.clearSelection}
        </Button>
      )}
    </>
  );
}
