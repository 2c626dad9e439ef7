import {
  Button,
  Dialog,
  DialogSurface,
  Field,
  Input,
  Menu,
  MenuItem,
  MenuItemLink,
  MenuList,
  MenuPopover,
  MenuTrigger,
  Select,
} from '@fluentui/react-components';
import {
  CopyRegular,
  DeleteRegular,
  FolderArrowRightRegular,
  HistoryRegular,
  MoreHorizontalRegular,
  OpenRegular,
  RenameRegular,
} from '@fluentui/react-icons';
import { useState } from 'react';
import { ApiProblem } from '../../openapi/api-problem.ts';
import { DialogForm } from '../../parts/dialogs/button-dialog.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-button.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { pathOf, type Folder } from './project/folders.ts';
import { useChangeDocument, useDocumentActions } from './project/use-document-actions.ts';
import { useTargetFolders, type ProjectDocument } from './project/use-project.ts';
import { VersionsDialog } from './versions-dialog.tsx';

/** What can be done with one document, except to download it. */
export function DocumentMenu({ document }: { document: ProjectDocument }) {
  const { documents: texts, common } = useTexts();
  const notify = useNotify();
  const { remove } = useDocumentActions();
  const move = useChangeDocument((moved) => texts.moved(pathOf(moved)));
  const [asked, setAsked] = useState<'rename' | 'move' | 'versions' | 'delete'>();
  const close = (): void => {
    move.reset();
    setAsked(undefined);
  };
  const { id, fileName, webUrl } = document;
  const copyLink = async (): Promise<void> => {
    await navigator.clipboard.writeText(webUrl);
    notify(common.copied);
  };
  return (
    <>
      <Menu>
        <MenuTrigger disableButtonEnhancement>
          <Button
            appearance="subtle"
            icon={<MoreHorizontalRegular />}
            aria-label={`${common.more}: ${fileName}`}
            title={common.more}
          />
        </MenuTrigger>
        <MenuPopover>
          <MenuList>
            <MenuItemLink icon={<OpenRegular />} href={webUrl} target="_blank" rel="noreferrer">
              {texts.open}
            </MenuItemLink>
            <MenuItem icon={<CopyRegular />} onClick={() => void copyLink()}>
              {texts.copyLink}
            </MenuItem>
            <MenuItem icon={<RenameRegular />} onClick={() => setAsked('rename')}>
              {texts.rename}
            </MenuItem>
            <MenuItem icon={<FolderArrowRightRegular />} onClick={() => setAsked('move')}>
              {texts.move}
            </MenuItem>
            <MenuItem icon={<HistoryRegular />} onClick={() => setAsked('versions')}>
              {texts.versions}
            </MenuItem>
            <MenuItem icon={<DeleteRegular />} onClick={() => setAsked('delete')}>
              {common.delete}
            </MenuItem>
          </MenuList>
        </MenuPopover>
      </Menu>
      <Dialog open={asked !== undefined && asked !== 'delete'} onOpenChange={close}>
        <DialogSurface>
          {asked === 'rename' && <RenameForm document={document} onClose={close} />}
          {asked === 'move' && <MoveForm document={document} change={move} onClose={close} />}
          {asked === 'versions' && <VersionsDialog document={document} onClose={close} />}
        </DialogSurface>
      </Dialog>
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onOpenChange={close}
        action={common.delete}
        question={texts.deleteQuestion(fileName)}
        mutation={remove}
        onConfirm={() => remove.mutate(id)}
      />
    </>
  );
}

interface FormProps {
  readonly document: ProjectDocument;
  readonly onClose: () => void;
}

/** After the library has said that the name is taken, the same button adds a number. */
const isNameTaken = (error: Error | null): boolean =>
  error instanceof ApiProblem && error.code === 'file_exists';

function RenameForm({ document: { id, fileName }, onClose }: FormProps) {
  const { documents: texts, uploads } = useTexts();
  const [name, setName] = useState(fileName);
  const change = useChangeDocument(texts.renamed);
  const isTaken = isNameTaken(change.error);
  return (
    <DialogForm
      title={texts.rename}
      action={isTaken ? uploads.remedies.keepBoth : uploads.remedies.rename}
      isComplete={name.trim() !== '' && name !== fileName}
      mutation={change}
      onSubmit={() =>
        change.mutate(
          { id, fileName: name.trim(), ...(isTaken && { conflictBehavior: 'rename' }) },
          { onSuccess: onClose },
        )
      }
      onCancel={onClose}
    >
      <Field label={uploads.newName}>
        <Input
          value={name}
          onChange={(_event, { value }) => {
            change.reset();
            setName(value);
          }}
        />
      </Field>
    </DialogForm>
  );
}

export function MoveForm({
  document,
  change,
  initial,
  onClose,
}: FormProps & {
  /** May have failed already, and then its error is shown. */
  readonly change: ReturnType<typeof useChangeDocument>;
  readonly initial?: Folder;
}) {
  const { documents: texts, uploads } = useTexts();
  const offered = useTargetFolders(document.projectId).filter((each) => pathOf(each) !== pathOf(document));
  const [folder, setFolder] = useState<Folder | undefined>(initial ?? offered[0]);
  const isTaken = isNameTaken(change.error);
  return (
    <DialogForm
      title={texts.move}
      action={isTaken ? uploads.remedies.keepBoth : texts.moveAction}
      isComplete={folder !== undefined}
      mutation={change}
      onSubmit={() =>
        change.mutate(
          {
            id: document.id,
            ...(folder && { folderName: folder.folderName, folderPath: folder.folderPath }),
            ...(isTaken && { conflictBehavior: 'rename' }),
          },
          { onSuccess: onClose },
        )
      }
      onCancel={onClose}
    >
      <Field label={texts.folder}>
        <Select
          value={folder && pathOf(folder)}
          onChange={(_event, { value }) => {
            change.reset();
            setFolder(offered.find((each) => pathOf(each) === value));
          }}
        >
          {offered.map(pathOf).map((path) => (
            <option key={path}>{path}</option>
          ))}
        </Select>
      </Field>
    </DialogForm>
  );
}
