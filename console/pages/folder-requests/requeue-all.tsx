import { Button } from '@fluentui/react-components';
import { ArrowRepeatAllRegular } from '@fluentui/react-icons';
import { ButtonDialog } from '../../parts/button-dialog.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { RequeueAllForm } from './requeue-all-form.tsx';
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
