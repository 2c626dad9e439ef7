import { Button, Select, Spinner, Subtitle1, makeStyles, tokens } from '@fluentui/react-components';
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { ApiProblem } from '../../api/api-problem.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentList } from './document-list.tsx';
import { DropArea } from './drop-area.tsx';
import { folders } from './folders.ts';
import { ProjectActions } from './project-actions.tsx';
import { recentProjects } from './recent-projects.ts';
import { useDocuments, useProject } from './use-project.ts';

const useStyles = makeStyles({
  head: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalM, alignItems: 'center' },
  title: { flexGrow: 1, overflowWrap: 'anywhere', margin: 0 },
  folders: { margin: `${tokens.spacingVerticalM} 0` },
});

/** The documents of one project, of one folder or all. */
export function ProjectView({ projectId }: { projectId: string }) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const [params, setParams] = useSearchParams();
  const folder = folders.find((name) => name === params.get('folder'));
  const project = useProject(projectId);
  const documents = useDocuments(projectId, folder);
  const isFound = project.data !== undefined;
  useEffect(() => {
    if (isFound) recentProjects.remember(projectId);
  }, [isFound, projectId]);

  if (project.isPending) return <Spinner label={common.loading} />;
  if (project.error instanceof ApiProblem && project.error.status === 404) return <p>{texts.notFound}</p>;
  if (!project.data) return <ProblemBar error={project.error} onRetry={() => void project.refetch()} />;
  return (
    <section aria-label={project.data.name}>
      <div className={styles.head}>
        <Subtitle1 as="h2" className={styles.title}>
          {project.data.number} {project.data.name}
        </Subtitle1>
        <ProjectActions projectId={projectId} />
      </div>
      <Select
        className={styles.folders}
        aria-label={texts.folders}
        value={folder ?? ''}
        onChange={(_event, { value }) => setParams(value === '' ? {} : { folder: value }, { replace: true })}
      >
        <option value="">{texts.allFolders}</option>
        {folders.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <DropArea projectId={projectId} folder={folder} />
      <ProblemBar error={documents.error} onRetry={() => void documents.refetch()} />
      {documents.isPending && <Spinner label={common.loading} />}
      {documents.data && (
        <DocumentList
          projectId={projectId}
          documents={documents.data.pages.flatMap(({ items }) => items)}
          showsFolder={folder === undefined}
        />
      )}
      {documents.hasNextPage && (
        <Button disabled={documents.isFetchingNextPage} onClick={() => void documents.fetchNextPage()}>
          {common.loadMore}
        </Button>
      )}
    </section>
  );
}
