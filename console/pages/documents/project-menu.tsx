import {
  Button,
  Dialog,
  DialogSurface,
  Field,
  Input,
  Menu,
  MenuItem,
  MenuList,
  MenuPopover,
  MenuTrigger,
  MessageBar,
  MessageBarBody,
} from '@fluentui/react-components';
import { ArrowSyncRegular, FolderAddRegular, MoreHorizontalRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { DialogForm } from '../../parts/dialogs/button-dialog.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { directoryNameOf } from './project/directory-name.ts';
import type { useFolderActions } from './project/use-folder-actions.ts';
import type { Project } from './project/use-project.ts';

type FolderActions = ReturnType<typeof useFolderActions>;

/** Creates the folders that are missing, and compares the list with the library. */
export function ProjectMenu({
  project,
  actions: { create, refresh },
  needsDirectory,
}: {
  project: Project;
  actions: FolderActions;
  /** Whether the user may request a directory on the file server, and there is none. */
  needsDirectory: boolean;
}) {
  const { documents: texts } = useTexts();
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <>
      <Menu>
        <MenuTrigger disableButtonEnhancement>
          <Button
            icon={<MoreHorizontalRegular />}
            aria-label={texts.projectActions}
            title={texts.projectActions}
          />
        </MenuTrigger>
        <MenuPopover>
          <MenuList>
            <MenuItem
              icon={<FolderAddRegular />}
              disabled={create.isPending}
              onClick={() => (needsDirectory ? setAsking(true) : create.mutate(undefined))}
            >
              {texts.provision}
            </MenuItem>
            <MenuItem
              icon={<ArrowSyncRegular />}
              disabled={refresh.isPending}
              onClick={() => refresh.mutate()}
            >
              {texts.refresh}
            </MenuItem>
          </MenuList>
        </MenuPopover>
      </Menu>
      <Dialog open={isAsking} onOpenChange={close}>
        <DialogSurface>
          <CreateFoldersForm project={project} create={create} onClose={close} />
        </DialogSurface>
      </Dialog>
    </>
  );
}

function CreateFoldersForm({
  project,
  create,
  onClose,
}: {
  project: Project;
  create: FolderActions['create'];
  onClose: () => void;
}) {
  const { documents: texts } = useTexts();
  const [name, setName] = useState(() => directoryNameOf(project));
  return (
    <DialogForm
      title={texts.provision}
      action={texts.provision}
      isComplete
      mutation={create}
      onSubmit={() => create.mutate(name, { onSuccess: onClose })}
      onCancel={onClose}
    >
      <Field label={texts.newDirectory} hint={texts.newDirectoryHint}>
        <Input value={name} onChange={(_event, { value }) => setName(value)} />
      </Field>
    </DialogForm>
  );
}

/** What the actions of the menu have done, are doing, or could not do. */
export function FolderActionsState({
  actions: { create, refresh, progress, outcome, warnings },
}: {
  actions: FolderActions;
}) {
  return (
    <>
      <div role="status">
        {progress !== undefined && <span>{progress}</span>}
        {outcome !== undefined && (
          <MessageBar intent="success" layout="multiline">
            <MessageBarBody>{outcome}</MessageBarBody>
          </MessageBar>
        )}
        {warnings.map((warning) => (
          <MessageBar key={warning} intent="warning" layout="multiline">
            <MessageBarBody>{warning}</MessageBarBody>
          </MessageBar>
        ))}
      </div>
      <ProblemBar error={create.error ?? refresh.error} />
    </>
  );
}
