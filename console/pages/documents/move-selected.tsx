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
import { folders, type FolderName } from './folders.ts';
import type { ProjectDocument } from './use-project.ts';

const nameOf = ({ fileName }: ProjectDocument): string => fileName;

/** A menu of the folders; the dialog keeps the documents of the choice, whatever the list behind it does. */
export function MoveSelected({
  items,
  move,
  onEnd,
}: {
  items: readonly ProjectDocument[];
  move: (item: ProjectDocument, folder: FolderName, signal: AbortSignal) => Promise<unknown>;
  onEnd: () => unknown;
}) {
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
          {asked && (
            <BulkForm
              title={texts.move}
              action={texts.moveAction}
              question={texts.moveQuestion(asked.items.length, asked.folder)}
              doneText={texts.movedSelected}
              items={asked.items}
              nameOf={nameOf}
              act={(item, signal) => move(item, asked.folder, signal)}
              onEnd={onEnd}
              onClose={close}
            />
          )}
        </DialogSurface>
      </Dialog>
    </>
  );
}
