import { Button, Link as TextLink, TableCell, TableRow, makeStyles } from '@fluentui/react-components';
import { ArrowDownloadRegular, DeleteRegular } from '@fluentui/react-icons';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { bytes } from '../../parts/bytes.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { useDocumentActions } from './use-document-actions.ts';
import type { ProjectDocument } from './use-project.ts';

const useStyles = makeStyles({ name: { overflowWrap: 'anywhere' } });

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
  const { download, remove } = useDocumentActions(projectId);
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
      <TableCell>
        <Button
          appearance="subtle"
          icon={<ArrowDownloadRegular />}
          aria-label={`${texts.download}: ${fileName}`}
          title={texts.download}
          disabled={download.isPending}
          onClick={() => download.mutate(id)}
        />
        <ConfirmButton
          action={common.delete}
          icon={<DeleteRegular />}
          subject={fileName}
          question={texts.deleteQuestion(fileName)}
          mutation={remove}
          onConfirm={() => remove.mutate(id)}
        />
      </TableCell>
    </TableRow>
  );
}
