import { Text, makeStyles } from '@fluentui/react-components';
import { WideTable } from '../../parts/wide-table.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentRow } from './document-row.tsx';
import type { ProjectDocument } from './use-project.ts';

const useStyles = makeStyles({
  table: {
    '& th:last-child': { width: '6rem' },
    '& td:last-child': { whiteSpace: 'nowrap' },
  },
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
  const columns = [
    texts.file,
    ...(showsFolder ? [texts.folder] : []),
    texts.size,
    texts.uploaded,
    texts.by,
    common.more,
  ];
  return (
    <WideTable label={texts.list} columns={columns} className={styles.table}>
      {documents.map((document) => (
        <DocumentRow key={document.id} projectId={projectId} document={document} showsFolder={showsFolder} />
      ))}
    </WideTable>
  );
}
