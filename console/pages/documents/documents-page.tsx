import { Button } from '@fluentui/react-components';
import { ArrowUploadRegular } from '@fluentui/react-icons';
import { useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { decodedPart } from '../../base/decoded-part.ts';
import { NeedsRole } from '../../parts/needs-role.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useNotify } from '../../parts/notices.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { ImportRecords } from '../imports/import-records.tsx';
import { AddProject } from './add-project.tsx';
import { DocumentSearch } from './document-search.tsx';
import { PickProject } from './pick-project.tsx';
import { ProjectView } from './project-view.tsx';
import { UploadList } from './uploads/upload-list.tsx';

/** The projects, or the documents of the chosen one. Uploads continue while other projects are shown. */
export function DocumentsPage() {
  const { documents: texts, imports, pages } = useTexts();
  const isAdministrator = useMay('Administrator');
  const [path, navigate] = useLocation();
  const notify = useNotify();
  useEffect(() => {
    // A file that is dropped beside a project would replace the console by the file.
    const drop = (event: DragEvent): void => {
      const hasFiles = event.dataTransfer?.types.includes('Files') ?? false;
      // Text goes into a field; a link would replace the console like a file.
      if (!hasFiles && event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      // The zone of a project stops its events.
      if (event.type === 'drop' && hasFiles) notify(texts.dropNeedsProject, 'warning');
    };
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, drop);
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, drop);
    };
  }, [notify, texts]);
  return (
    <>
      <PageHead title={pages.documents}>
        <PickProject
          label={texts.project}
          onChoose={(project) => {
            if (project) navigate(`/documents/${encodeURIComponent(project.id)}`);
          }}
        />
        {isAdministrator && path === '/documents' && (
          <>
            <AddProject />
            <Button icon={<ArrowUploadRegular />} onClick={() => navigate('/documents/import')}>
              {imports.open}
            </Button>
          </>
        )}
      </PageHead>
      <Switch>
        <Route path="/documents/import">
          {isAdministrator ? <ImportRecords kind="projects" /> : <NeedsRole name={imports.title.projects} />}
        </Route>
        <Route path="/documents/:projectId">
          {({ projectId }) => <ProjectView key={projectId} projectId={decodedPart(projectId)} />}
        </Route>
        <Route>
          <DocumentSearch />
        </Route>
      </Switch>
      <UploadList />
    </>
  );
}
