import { Button, Link as TextLink, TableCell, TableRow, makeStyles } from '@fluentui/react-components';
import { ArrowDownloadRegular, DeleteRegular } from '@fluentui/react-icons';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { bytes } from '../../parts/bytes.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { useDocumentActions } from './use-document-actions.ts';
import type { ProjectDocument } from './use-project.ts';

const useStyles = makeStyles({
  name: { overflowWrap: 'anywhere' },
  action: { width: '8rem', whiteSpace: 'nowrap' },
});

export function DocumentRow({
  projectId,
  document,
  showsFolder,
}: {
  projectId: string;
  document: ProjectDocument;
  showsFolder: boolean;
}) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const notify = useNotify();
  const { download, remove } = useDocumentActions(projectId);
  const [isAsking, setAsking] = useState(false);
  const { id, fileName, folderName, size, uploadedAt, uploadedByName, webUrl } = document;
  return (
    <TableRow>
      <TableCell className={styles.name}>
        <TextLink href={webUrl} target="_blank" rel="noreferrer" title={texts.open}>
          {fileName}
        </TextLink>
        <ProblemBar error={download.error} />
      </TableCell>
      {showsFolder && <TableCell className={styles.name}>{folderName}</TableCell>}
      <TableCell>{bytes(size, language)}</TableCell>
      <TableCell>
        <Moment at={uploadedAt} />
      </TableCell>
      <TableCell className={styles.name}>{uploadedByName ?? common.none}</TableCell>
      <TableCell className={styles.action}>
        <Button
          appearance="subtle"
          icon={<ArrowDownloadRegular />}
          aria-label={`${texts.download}: ${fileName}`}
          title={texts.download}
          disabled={download.isPending}
          onClick={() => download.mutate(id)}
        />
        <Button
          appearance="subtle"
          icon={<DeleteRegular />}
          aria-label={`${common.delete}: ${fileName}`}
          title={common.delete}
          onClick={() => setAsking(true)}
        />
        {isAsking && (
          <ConfirmDialog
            question={texts.deleteQuestion(fileName)}
            action={common.delete}
            isBusy={remove.isPending}
            error={remove.error}
            onCancel={() => setAsking(false)}
            onConfirm={() => remove.mutate(id, { onSuccess: () => notify(texts.deleted) })}
          />
        )}
      </TableCell>
    </TableRow>
  );
}
