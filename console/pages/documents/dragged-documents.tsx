import { Dialog, DialogSurface, useEventCallback } from '@fluentui/react-components';
import { useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { MoveForm } from './document-menu.tsx';
import { pathOf, type Folder } from './project/folders.ts';
import { MoveSelectedForm } from './move-selected.tsx';
import { documentsType } from './uploads/drop-zone.tsx';
import { useChangeDocument } from './project/use-document-actions.ts';
import type { ProjectDocument } from './project/use-project.ts';

interface Dropped {
  readonly items: readonly ProjectDocument[];
  readonly folder: Folder;
}

/**
 * Moves documents whose rows are dragged onto a folder: one immediately, and whoever drags one of the selected rows is asked
 * once for all of them. A name that is taken there is asked about.
 */
export function useDraggedDocuments(selected: readonly ProjectDocument[]) {
  const { documents: texts } = useTexts();
  const dragged = useRef<readonly ProjectDocument[]>([]);
  const change = useChangeDocument((moved) => texts.moved(pathOf(moved)));
  const [asked, setAsked] = useState<Dropped>();
  const begin = useEventCallback((document: ProjectDocument, data: DataTransfer): void => {
    dragged.current = selected.includes(document) ? selected : [document];
    data.setData(documentsType, document.id);
  });
  const drop = (folder: Folder): void => {
    const items = dragged.current.filter((document) => pathOf(document) !== pathOf(folder));
    const [first, ...others] = items;
    if (!first) return;
    if (others.length > 0) setAsked({ items, folder });
    else
      change.mutate(
        { id: first.id, folderName: folder.folderName, folderPath: folder.folderPath },
        { onError: () => setAsked({ items, folder }) },
      );
  };
  return { begin, drop, asked, change, close: () => setAsked(undefined) };
}

/** The question after a drop that could not be completed without one. */
export function DroppedDialog({
  dragged: { asked, change, close },
  move,
  onEnd,
}: {
  dragged: ReturnType<typeof useDraggedDocuments>;
  move: (item: ProjectDocument, folder: Folder, signal: AbortSignal) => Promise<unknown>;
  onEnd: () => unknown;
}) {
  const [only, ...others] = asked?.items ?? [];
  return (
    <Dialog open={asked !== undefined} modalType="alert" onOpenChange={close}>
      <DialogSurface>
        {asked && only && others.length === 0 && (
          <MoveForm document={only} change={change} initial={asked.folder} onClose={close} />
        )}
        {asked && others.length > 0 && (
          <MoveSelectedForm {...asked} move={move} onEnd={onEnd} onClose={close} />
        )}
      </DialogSurface>
    </Dialog>
  );
}
