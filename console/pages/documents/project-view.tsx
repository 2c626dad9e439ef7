import { Button, Select, Subtitle1, makeStyles, tokens } from '@fluentui/react-components';
import { useSearchParams } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentList } from './document-list.tsx';
import { folders } from './folders.ts';
import { ProjectActions } from './project-actions.tsx';
import { AbandonedUploads } from './uploads/abandoned-uploads.tsx';
import { DropArea } from './uploads/drop-area.tsx';
import { useDocuments, useProject, type Project } from './use-project.ts';

const useStyles = makeStyles({
  head: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalM, alignItems: 'center' },
  title: { flexGrow: 1, overflowWrap: 'anywhere', margin: 0 },
  folders: { margin: `${tokens.spacingVerticalM} 0`, maxWidth: '24rem' },
});

/** The documents of one project, of one folder or all. */
export function ProjectView({ projectId }: { projectId: string }) {
  const { documents: texts } = useTexts();
  const project = useProject(projectId);
  return (
    <Loaded query={project} notFound={texts.notFound}>
      {(data) => <Found project={data} />}
    </Loaded>
  );
}

function Found({ project: { id, number, name } }: { project: Project }) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const [params, setParams] = useSearchParams();
  const folder = folders.find((each) => each === params.get('folder'));
  const documents = useDocuments(id, folder);
  return (
    <section aria-label={name}>
      <div className={styles.head}>
        <Subtitle1 as="h2" className={styles.title}>
          {number} {name}
        </Subtitle1>
        <ProjectActions projectId={id} />
      </div>
      <Select
        className={styles.folders}
        aria-label={texts.folders}
        value={folder ?? ''}
        onChange={(_event, { value }) => setParams(value === '' ? {} : { folder: value }, { replace: true })}
      >
        <option value="">{texts.allFolders}</option>
        {folders.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
      <DropArea projectId={id} folder={folder} />
      <AbandonedUploads projectId={id} />
      <Loaded query={documents}>
        {({ pages }) => (
          <DocumentList
            projectId={id}
            documents={pages.flatMap(({ items }) => items)}
            showsFolder={folder === undefined}
          />
        )}
      </Loaded>
      {documents.hasNextPage && (
        <Button disabled={documents.isFetchingNextPage} onClick={() => void documents.fetchNextPage()}>
          {common.loadMore}
        </Button>
      )}
    </section>
  );
}
