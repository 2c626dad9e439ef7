import {
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TableRow,
  Text,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentRow } from './document-row.tsx';
import type { ProjectDocument } from './use-project.ts';

const useStyles = makeStyles({
  frame: { overflowX: 'auto', marginTop: tokens.spacingVerticalM },
  table: { minWidth: '48rem' },
  action: { width: '8rem' },
});

export function DocumentList({
  projectId,
  documents,
  showsFolder,
}: {
  projectId: string;
  documents: readonly ProjectDocument[];
  showsFolder: boolean;
}) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  if (documents.length === 0) return <Text as="p">{texts.empty}</Text>;
  const columns = [texts.file, ...(showsFolder ? [texts.folder] : []), texts.size, texts.uploaded, texts.by];
  return (
    // Scrolls by itself where the window is narrow; then the keyboard has to reach it.
    <div className={styles.frame} role="region" aria-label={texts.list} tabIndex={0}>
      <Table aria-label={texts.list} className={styles.table} size="small">
        <TableHeader>
          <TableRow>
            {columns.map((column) => (
              <TableHeaderCell key={column}>{column}</TableHeaderCell>
            ))}
            <TableHeaderCell className={styles.action}>{common.more}</TableHeaderCell>
          </TableRow>
        </TableHeader>
        <TableBody>
          {documents.map((document) => (
            <DocumentRow
              key={document.id}
              projectId={projectId}
              document={document}
              showsFolder={showsFolder}
            />
          ))}
        </TableBody>
      </Table>
    </div>
  );
}
