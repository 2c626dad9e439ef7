import { Button, DialogActions, DialogBody, DialogContent, DialogTitle } from '@fluentui/react-components';
import { ArrowRepeatAllRegular } from '@fluentui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BulkForm } from '../../parts/dialogs/bulk-form.tsx';
import { ButtonDialog } from '../../parts/dialogs/button-dialog.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { allMatching } from './use-folder-requests.ts';
import { useBulkActions } from './use-request-actions.ts';
import type { RequestFilter } from './use-request-filter.ts';

/** Offered while the list shows failed requests. */
export function RequeueAll({ filter }: { filter: RequestFilter }) {
  const { folderRequests: texts } = useTexts();
  if (filter.status !== 'FAILED') return null;
  return (
    <ButtonDialog
      modalType="alert"
      button={<Button icon={<ArrowRepeatAllRegular />}>{texts.requeueAll}</Button>}
    >
      {(close) => <RequeueAllForm filter={filter} onDone={close} />}
    </ButtonDialog>
  );
}

/** Counts the matches before it asks for confirmation, because the list may have loaded only some of them. */
function RequeueAllForm({ filter, onDone }: { filter: RequestFilter; onDone: () => void }) {
  const { common, folderRequests: texts } = useTexts();
  const { requeue, onEnd } = useBulkActions();
  const [counted, setCounted] = useState(0);
  const failed = useQuery({
    queryKey: ['all-failed', filter],
    queryFn: ({ signal }) => allMatching({ ...filter, status: 'FAILED' }, setCounted, signal),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  if (failed.data) {
    const wanted = [filter.path.trim(), filter.search].filter((text) => text !== '');
    const question = [texts.requeueAllQuestion(failed.data.length), ...wanted.map(texts.requeueAllOfSearch)];
    return (
      <BulkForm
        title={texts.requeueAllTitle}
        action={texts.requeue}
        question={question.join(' ')}
        doneText={texts.requeueAllDone}
        items={failed.data}
        nameOf={({ targetPath }) => targetPath}
        act={requeue}
        onEnd={onEnd}
        onClose={onDone}
      />
    );
  }
  return (
    <DialogBody>
      <DialogTitle>{texts.requeueAllTitle}</DialogTitle>
      <DialogContent>
        <ProblemBar error={failed.error} onRetry={() => void failed.refetch()} />
        {failed.isPending && <p role="status">{texts.requeueAllCounting(counted)}</p>}
      </DialogContent>
      <DialogActions>
        <Button onClick={onDone}>{common.cancel}</Button>
      </DialogActions>
    </DialogBody>
  );
}
