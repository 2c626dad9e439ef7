import { Button } from '@fluentui/react-components';
import { ArrowDownloadRegular, DeleteRegular } from '@fluentui/react-icons';
import type { EachOutcome } from '../../base/each.ts';
import { bytes } from '../../parts/bytes.ts';
import { BulkButton } from '../../parts/dialogs/bulk-dialog.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { MoveSelected } from './move-selected.tsx';
import { useDocumentActions, type useBulkDocumentActions } from './project/use-document-actions.ts';
import type { ProjectDocument } from './project/use-project.ts';
import { useZip } from './project/use-zip.ts';
import { maxZipBytes } from './project/zip.ts';

const nameOf = ({ fileName }: ProjectDocument): string => fileName;

/** Says what is selected, offers the rest of a list that is not loaded, and what can be done with the selected documents. */
export function SelectedDocuments({
  items,
  isPartOfList,
  projectName,
  bulk,
  onSelectAll,
  onDownloaded,
  onMoved,
  onRemoved,
}: {
  items: readonly ProjectDocument[];
  isPartOfList: boolean;
  projectName: string;
  bulk: ReturnType<typeof useBulkDocumentActions>;
  onSelectAll: () => void;
  onDownloaded: () => void;
  onMoved: () => unknown;
  onRemoved: (outcome: EachOutcome<ProjectDocument>) => unknown;
}) {
  const { documents: texts, common } = useTexts();
  const isPart = items.length > 0 && isPartOfList;
  return (
    <>
      <span role="status">
        {items.length > 0 && (isPart ? texts.selectedLoaded(items.length) : common.selected(items.length))}
      </span>
      {isPart && <Button onClick={onSelectAll}>{texts.selectAllOfFilter}</Button>}
      {items.length === 1 && <DownloadOne document={items[0]!} />}
      <DownloadAsZip
        items={items.length === 1 ? [] : items}
        fileName={`${projectName}.zip`}
        onEnd={onDownloaded}
      />
      <MoveSelected items={items} move={bulk.move} onEnd={onMoved} />
      <BulkButton
        label={texts.deleteSelected}
        icon={<DeleteRegular />}
        title={common.delete}
        action={common.delete}
        question={texts.deleteSelectedQuestion}
        doneText={bulk.removedText}
        items={items}
        nameOf={nameOf}
        act={bulk.remove}
        onEnd={onRemoved}
      />
    </>
  );
}

function DownloadOne({ document }: { document: ProjectDocument }) {
  const { documents: texts } = useTexts();
  const { download } = useDocumentActions();
  return (
    <>
      <Button
        icon={<ArrowDownloadRegular />}
        disabledFocusable={download.isPending}
        onClick={() => download.mutate(document.id)}
      >
        {texts.downloadSelected(1)}
      </Button>
      <ProblemBar error={download.error} />
    </>
  );
}

function DownloadAsZip({
  items,
  fileName,
  onEnd,
}: {
  items: readonly ProjectDocument[];
  fileName: string;
  onEnd: () => void;
}) {
  const { documents: texts } = useTexts();
  const language = useLanguage();
  const zip = useZip(fileName);
  const sizeOf = (documents: readonly ProjectDocument[]): number =>
    documents.reduce((sum, { size }) => sum + size, 0);
  return (
    <BulkButton
      label={texts.downloadSelected}
      icon={<ArrowDownloadRegular />}
      title={texts.downloadZip}
      action={texts.download}
      question={texts.zipQuestion}
      obstacle={(documents) =>
        sizeOf(documents) > maxZipBytes &&
        texts.zipTooLarge(bytes(sizeOf(documents), language), bytes(maxZipBytes, language))
      }
      doneText={(done, left) => (left > 0 ? texts.zipStopped : texts.zipped(done))}
      items={items}
      nameOf={nameOf}
      act={zip.add}
      onEnd={async (outcome) => {
        await zip.save(outcome);
        onEnd();
      }}
    />
  );
}
