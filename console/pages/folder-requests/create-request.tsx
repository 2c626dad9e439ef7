import { Button, Field, Input } from '@fluentui/react-components';
import { AddRegular } from '@fluentui/react-icons';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ButtonDialog, DialogForm } from '../../parts/dialogs/button-dialog.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { ManyForm } from './create-many.tsx';
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
      {(close) => <CreateForms onDone={close} />}
    </ButtonDialog>
  );
}

function CreateForms({ onDone }: { onDone: () => void }) {
  const [isMany, setMany] = useState(false);
  return isMany ? <ManyForm onDone={onDone} /> : <CreateForm onMany={() => setMany(true)} onDone={onDone} />;
}

function CreateForm({ onMany, onDone }: { onMany: () => void; onDone: () => void }) {
  const { folderRequests: texts } = useTexts();
  const notify = useNotify();
  const { create } = useRequestActions();
  return (
    <PathForm
      title={texts.createTitle}
      more={
        <Button appearance="subtle" onClick={onMany}>
          {texts.createMany}
        </Button>
      }
      mutation={create}
      onSubmit={(order) =>
        create.mutate(order, {
          onSuccess: () => {
            notify(texts.requested);
            onDone();
          },
        })
      }
      onCancel={onDone}
    />
  );
}

/** Requests the folder of a request that cannot be corrected again, with another path. */
export function RequestAgain({ request, isOffered }: { request: FolderRequest; isOffered: boolean }) {
  const { folderRequests: texts } = useTexts();
  return (
    <ButtonDialog isOffered={isOffered} button={<Button>{texts.again}</Button>}>
      {(close) => <AgainForm request={request} onDone={close} />}
    </ButtonDialog>
  );
}

function AgainForm({ request, onDone }: { request: FolderRequest; onDone: () => void }) {
  const { folderRequests: texts } = useTexts();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const { create } = useRequestActions();
  const { targetPath, projectId } = request;
  return (
    <PathForm
      title={texts.againTitle}
      targetPath={targetPath}
      mutation={create}
      onSubmit={(order) =>
        create.mutate(
          { ...order, ...(projectId !== undefined && { projectId }) },
          {
            onSuccess: ({ id }) => {
              notify(texts.requested);
              onDone();
              navigate(`/folder-requests/${id}`);
            },
          },
        )
      }
      onCancel={onDone}
    />
  );
}

interface Order {
  readonly targetPath: string;
  /** The same for the retries of one attempt. */
  readonly key: string;
}

function PathForm({
  title,
  targetPath: given = '',
  more,
  mutation,
  onSubmit,
  onCancel,
}: {
  title: string;
  targetPath?: string;
  /** Below the field. */
  more?: ReactNode;
  mutation: { readonly isPending: boolean; readonly error: Error | null };
  onSubmit: (order: Order) => void;
  onCancel: () => void;
}) {
  const { folderRequests: texts } = useTexts();
  const [targetPath, setTargetPath] = useState(given);
  const [key, setKey] = useState(() => crypto.randomUUID());
  return (
    <DialogForm
      title={title}
      action={texts.createAction}
      isComplete={targetPath.trim() !== '' && targetPath !== given}
      mutation={mutation}
      onSubmit={() => onSubmit({ targetPath, key })}
      onCancel={onCancel}
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
      {more}
    </DialogForm>
  );
}
