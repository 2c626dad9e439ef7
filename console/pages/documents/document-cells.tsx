import { Button, Link as TextLink, makeStyles } from '@fluentui/react-components';
import { ArrowDownloadRegular } from '@fluentui/react-icons';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentMenu } from './document-menu.tsx';
import { useDocumentActions } from './project/use-document-actions.ts';
import type { ProjectDocument } from './project/use-project.ts';

const useStyles = makeStyles({
  name: {
    display: 'block',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  actions: { display: 'flex', alignItems: 'center' },
});

/** The name, which opens the file in the library. */
export function FileName({ document: { fileName, webUrl } }: { document: ProjectDocument }) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  return (
    <TextLink
      className={styles.name}
      href={webUrl}
      target="_blank"
      rel="noreferrer"
      title={`${fileName} – ${texts.open}`}
    >
      {fileName}
    </TextLink>
  );
}

export function RowActions({ document }: { document: ProjectDocument }) {
  const { documents: texts } = useTexts();
  const styles = useStyles();
  const { download } = useDocumentActions();
  return (
    <div className={styles.actions}>
      <Button
        appearance="subtle"
        icon={<ArrowDownloadRegular />}
        aria-label={`${texts.download}: ${document.fileName}`}
        title={texts.download}
        disabledFocusable={download.isPending}
        onClick={() => download.mutate(document.id)}
      />
      <DocumentMenu document={document} />
      <ProblemBar error={download.error} />
    </div>
  );
}
