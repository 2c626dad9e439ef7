import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
  DialogTrigger,
  Field,
  Input,
} from '@fluentui/react-components';
import { AddRegular } from '@fluentui/react-icons';
import { useState, type SubmitEvent } from 'react';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { useRequestActions } from './use-request-actions.ts';

export function CreateRequest() {
  const { folderRequests: texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog open={isOpen} onOpenChange={(_event, { open }) => setOpen(open)}>
      <DialogTrigger disableButtonEnhancement>
        <Button appearance="primary" icon={<AddRegular />}>
          {texts.create}
        </Button>
      </DialogTrigger>
      <DialogSurface>
        <CreateForm onDone={() => setOpen(false)} />
      </DialogSurface>
    </Dialog>
  );
}

function CreateForm({ onDone }: { onDone: () => void }) {
  const { common, folderRequests: texts } = useTexts();
  const notify = useNotify();
  const { create } = useRequestActions();
  const [targetPath, setTargetPath] = useState('');
  const [key, setKey] = useState(() => crypto.randomUUID());
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    create.mutate(
      { targetPath, key },
      {
        onSuccess: () => {
          notify(texts.requested);
          onDone();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <DialogBody>
        <DialogTitle>{texts.createTitle}</DialogTitle>
        <DialogContent>
          <Field label={texts.path} hint={texts.createHint} required>
            <Input
              value={targetPath}
              onChange={(_event, { value }) => {
                setTargetPath(value);
                setKey(crypto.randomUUID());
              }}
            />
          </Field>
          <ProblemBar error={create.error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onDone}>{common.cancel}</Button>
          <Button type="submit" appearance="primary" disabled={targetPath.trim() === '' || create.isPending}>
            {texts.create}
          </Button>
        </DialogActions>
      </DialogBody>
    </form>
  );
}
