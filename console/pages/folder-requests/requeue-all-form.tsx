import {
  Button,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogTitle,
  Field,
  ProgressBar,
} from '@fluentui/react-components';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { allFailed, requeueEach, type RequeueOutcome } from './requeue-each.ts';
import { requestListKey } from './use-folder-requests.ts';
import type { RequestFilter } from './use-request-filter.ts';

/** Counts the matches before it asks for confirmation, because the list may have loaded only some of them. */
export function RequeueAllForm({ filter, onDone }: { filter: RequestFilter; onDone: () => void }) {
  const { common, folderRequests: texts } = useTexts();
  const client = useQueryClient();
  const [counted, setCounted] = useState(0);
  const [progress, setProgress] = useState<{ done: number; all: number }>();
  const [outcome, setOutcome] = useState<RequeueOutcome>();
  const failed = useQuery({
    queryKey: ['all-failed', filter.agentId ?? '', filter.search],
    queryFn: ({ signal }) => allFailed(filter, setCounted, signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const requests = failed.data ?? [];
  const start = async (): Promise<void> => {
    setProgress({ done: 0, all: requests.length });
    setOutcome(await requeueEach(requests, (done) => setProgress({ done, all: requests.length })));
    await client.invalidateQueries({ queryKey: [requestListKey] });
  };
  return (
    <DialogBody>
      <DialogTitle>{texts.requeueAllTitle}</DialogTitle>
      <DialogContent>
        <ProblemBar error={failed.error} onRetry={() => void failed.refetch()} />
        {failed.isPending && <p role="status">{texts.requeueAllCounting(counted)}</p>}
        {failed.data && !progress && (
          <p>
            {texts.requeueAllQuestion(requests.length)}{' '}
            {filter.search !== '' && texts.requeueAllOfSearch(filter.search)}
          </p>
        )}
        {progress && !outcome && (
          <Field
            validationMessage={texts.requeueAllProgress(progress.done, progress.all)}
            validationState="none"
          >
            <ProgressBar aria-label={texts.requeueAllTitle} value={progress.done} max={progress.all} />
          </Field>
        )}
        {outcome && <Outcome outcome={outcome} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onDone} disabled={progress !== undefined && !outcome}>
          {outcome ? common.close : common.cancel}
        </Button>
        {!outcome && (
          <Button
            appearance="primary"
            disabled={requests.length === 0 || progress !== undefined}
            onClick={() => void start()}
          >
            {texts.requeue}
          </Button>
        )}
      </DialogActions>
    </DialogBody>
  );
}

function Outcome({ outcome: { requeued, rejected } }: { outcome: RequeueOutcome }) {
  const { folderRequests: texts } = useTexts();
  return (
    <div role="status">
      <p>{texts.requeueAllDone(requeued)}</p>
      {rejected.length > 0 && (
        <>
          <p>{texts.requeueAllRejected(rejected.length)}</p>
          <ul>
            {rejected.slice(0, 20).map(({ request, reason }) => (
              <li key={request.id}>
                {request.targetPath}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
