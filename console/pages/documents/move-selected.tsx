import {
  Button,
  Dialog,
  DialogSurface,
  Menu,
  MenuItem,
  MenuList,
  MenuPopover,
  MenuTrigger,
} from '@fluentui/react-components';
import { FolderArrowRightRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { BulkForm } from '../../parts/dialogs/bulk-form.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { pathOf, type Folder } from './project/folders.ts';
import { useTargetFolders, type ProjectDocument } from './project/use-project.ts';

const nameOf = ({ fileName }: ProjectDocument): string => fileName;

interface MoveProps {
  readonly items: readonly ProjectDocument[];
  readonly move: (item: ProjectDocument, folder: Folder, signal: AbortSignal) => Promise<unknown>;
  readonly onEnd: () => unknown;
}

/** A menu of the folders; the dialog keeps the documents of the choice, whatever the list behind it does. */
export function MoveSelected({ items, move, onEnd }: MoveProps) {
  const { documents: texts } = useTexts();
  const [asked, setAsked] = useState<{ items: readonly ProjectDocument[]; folder: Folder }>();
  const close = () => setAsked(undefined);
  return (
    <>
      {items.length > 0 && (
        <Menu>
          <MenuTrigger disableButtonEnhancement>
            <Button icon={<FolderArrowRightRegular />}>{texts.moveSelected(items.length)}</Button>
          </MenuTrigger>
          <MenuPopover>
            <Folders projectId={items[0]!.projectId} onChoose={(folder) => setAsked({ items, folder })} />
          </MenuPopover>
        </Menu>
      )}
      <Dialog open={asked !== undefined} modalType="alert" onOpenChange={close}>
        <DialogSurface>
          {asked && <MoveSelectedForm {...asked} move={move} onEnd={onEnd} onClose={close} />}
        </DialogSurface>
      </Dialog>
    </>
  );
}

function Folders({ projectId, onChoose }: { projectId: string; onChoose: (folder: Folder) => void }) {
  const offered = useTargetFolders(projectId);
  return (
    <MenuList>
      {offered.map((folder) => (
        <MenuItem key={pathOf(folder)} onClick={() => onChoose(folder)}>
          {pathOf(folder)}
        </MenuItem>
      ))}
    </MenuList>
  );
}

/** Asks once, moves all of them, and names those that stay. The content of a dialog. */
export function MoveSelectedForm({
  items,
  folder,
  move,
  onEnd,
  onClose,
}: MoveProps & { readonly folder: Folder; readonly onClose: () => void }) {
  const { documents: texts } = useTexts();
  return (
    <BulkForm
      title={texts.move}
      action={texts.moveAction}
      question={texts.moveQuestion(items.length, pathOf(folder))}
      doneText={texts.movedSelected}
      items={items}
      nameOf={nameOf}
      act={(item, signal) => move(item, folder, signal)}
      onEnd={onEnd}
      onClose={onClose}
    />
  );
}
