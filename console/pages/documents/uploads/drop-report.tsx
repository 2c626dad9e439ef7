import { Button, MessageBar, MessageBarActions, MessageBarBody } from '@fluentui/react-components';
import { DismissRegular } from '@fluentui/react-icons';
import { useTexts } from '../../../texts/use-texts.ts';
import { maxDroppedFiles, type Found } from './dropped-files.ts';

/** What became of dropped folders. */
export function DropReport({
  found: { files, unreadable, isTooMany },
  folder,
  onDismiss,
}: {
  found: Found;
  /** Absent if nothing was uploaded. */
  folder: string | undefined;
  onDismiss: () => void;
}) {
  const { uploads: texts, common } = useTexts();
  const folders = new Set(files.map(({ inFolder }) => inFolder).filter((path) => path !== '')).size;
  const isEmpty = files.length === 0 && unreadable.length === 0 && !isTooMany;
  if (folders === 0 && unreadable.length === 0 && !isTooMany && !isEmpty) return null;
  return (
    <MessageBar intent={isTooMany || unreadable.length > 0 ? 'warning' : 'info'} layout="multiline">
      <MessageBarBody>
        {isTooMany && <div>{texts.tooMany(maxDroppedFiles)}</div>}
        {isEmpty && <div>{texts.emptyFolder}</div>}
        {folders > 0 && folder !== undefined && <div>{texts.fromFolders(files.length, folders, folder)}</div>}
        {unreadable.length > 0 && <div>{texts.unreadable(unreadable.join(', '))}</div>}
      </MessageBarBody>
      <MessageBarActions
        containerAction={
          <Button
            appearance="transparent"
            icon={<DismissRegular />}
            aria-label={common.close}
            onClick={onDismiss}
          />
        }
      />
    </MessageBar>
  );
}
