import { Button, Field, Input } from '@fluentui/react-components';
import { AddRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { ButtonDialog, DialogForm } from '../../parts/button-dialog.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { useRequestActions } from './use-request-actions.ts';

export function CreateRequest() {
  const { folderRequests: texts } = useTexts();
  return (
    <ButtonDialog
      button={
        <Button appearance="primary" icon={<AddRegular />}>
          {texts.create}
        </Button>
      }
    >
      {(close) => <CreateForm onDone={close} />}
    </ButtonDialog>
  );
}

function CreateForm({ onDone }: { onDone: () => void }) {
  const { folderRequests: texts } = useTexts();
  const notify = useNotify();
  const { create } = useRequestActions();
  const [targetPath, setTargetPath] = useState('');
  const [key, setKey] = useState(() => crypto.randomUUID());
  const submit = (): void =>
    create.mutate(
      { targetPath, key },
      {
        onSuccess: () => {
          notify(texts.requested);
          onDone();
        },
      },
    );
  return (
    <DialogForm
      title={texts.createTitle}
      action={texts.create}
      isComplete={targetPath.trim() !== ''}
      mutation={create}
      onSubmit={submit}
      onCancel={onDone}
    >
      <Field label={texts.path} hint={texts.createHint} required>
        <Input
          value={targetPath}
          onChange={(_event, { value }) => {
            setTargetPath(value);
            setKey(crypto.randomUUID());
          }}
        />
      </Field>
    </DialogForm>
  );
}
