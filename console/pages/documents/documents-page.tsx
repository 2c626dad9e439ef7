import { Route } from 'wouter';
import { OpenById } from '../../parts/open-by-id.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { AddProject } from './add-project.tsx';
import { ProjectView } from './project-view.tsx';
import { recentProjects } from './recent-projects.ts';
import { UploadList } from './upload-list.tsx';

/** A project is chosen by its id; its documents are below. Uploads go on while other projects are looked at. */
export function DocumentsPage() {
  const { documents: texts, pages } = useTexts();
  const isAdministrator = useMay('Administrator');
  return (
    <>
      <PageHead title={pages.documents}>{isAdministrator && <AddProject />}</PageHead>
      <OpenById
        label={texts.projectId}
        action={texts.openProject}
        recentLabel={texts.recent}
        path="/documents"
        recent={recentProjects}
      />
      <UploadList />
      <Route path="/documents/:projectId">
        {({ projectId }) => <ProjectView key={projectId} projectId={decodeURIComponent(projectId)} />}
      </Route>
    </>
  );
}
