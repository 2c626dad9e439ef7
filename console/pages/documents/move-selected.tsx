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
import { folders, type FolderName } from './project/folders.ts';
import type { ProjectDocument } from './project/use-project.ts';

const nameOf = ({ fileName }: ProjectDocument): string => fileName;

interface MoveProps {
  readonly items: readonly ProjectDocument[];
  readonly move: (item: ProjectDocument, folder: FolderName, signal: AbortSignal) => Promise<unknown>;
  readonly onEnd: () => unknown;
}

/** A menu of the folders; the dialog keeps the documents of the choice, whatever the list behind it does. */
export function MoveSelected({ items, move, onEnd }: MoveProps) {
  const { documents: texts } = useTexts();
  const [asked, setAsked] = useState<{ items: readonly ProjectDocument[]; folder: FolderName }>();
  const close = () => setAsked(undefined);
  return (
    <>
      {items.length > 0 && (
        <Menu>
          <MenuTrigger disableButtonEnhancement>
            <Button icon={<FolderArrowRightRegular />}>{texts.moveSelected(items.length)}</Button>
          </MenuTrigger>
          <MenuPopover>
            <MenuList>
              {folders.map((folder) => (
                <MenuItem key={folder} onClick={() => setAsked({ items, folder })}>
                  {folder}
                </MenuItem>
              ))}
            </MenuList>
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

/** Asks once, moves all of them, and names those that stay. The content of a dialog. */
export function MoveSelectedForm({
  items,
  folder,
  move,
  onEnd,
  onClose,
}: MoveProps & { readonly folder: FolderName; readonly onClose: () => void }) {
  const { documents: texts } = useTexts();
  return (
    <BulkForm
      title={texts.move}
      action={texts.moveAction}
      question={texts.moveQuestion(items.length, folder)}
      doneText={texts.movedSelected}
      items={items}
      nameOf={nameOf}
      act={(item, signal) => move(item, folder, signal)}
      onEnd={onEnd}
      onClose={onClose}
    />
  );
}
