import { Button, Dialog, DialogSurface } from '@fluentui/react-components';
import { ArrowRepeatAllRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { RequeueAllForm } from './requeue-all-form.tsx';
import type { RequestFilter } from './use-request-filter.ts';

/** Offered where the list shows failed requests. */
export function RequeueAll({ filter }: { filter: RequestFilter }) {
  const { folderRequests: texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  if (filter.status !== 'FAILED') return null;
  return (
    <>
      <Button icon={<ArrowRepeatAllRegular />} onClick={() => setOpen(true)}>
        {texts.requeueAll}
      </Button>
      <Dialog open={isOpen} modalType="alert" onOpenChange={(_event, { open }) => setOpen(open)}>
        <DialogSurface>
          <RequeueAllForm filter={filter} onDone={() => setOpen(false)} />
        </DialogSurface>
      </Dialog>
    </>
  );
}
