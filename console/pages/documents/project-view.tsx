import { Badge, Button, Select, Spinner, Subtitle1, makeStyles, tokens } from '@fluentui/react-components';
import { allPages } from '../../api/filled-page.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import type { EachOutcome } from '../../base/each.ts';
import { useSubject } from '../../base/title.ts';
import { useSelection } from '../../base/use-selection.ts';
import { useMay } from '../../session/use-session.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { DocumentList } from './document-list.tsx';
import { DroppedDialog, useDraggedDocuments } from './dragged-documents.tsx';
import { FolderNavigation } from './folder-navigation.tsx';
import { NothingFound, SearchAllProjects } from './nothing-found.tsx';
import { OpenInLibrary } from './open-in-library.tsx';
import { ProjectDirectories } from './project-directories.tsx';
import { FolderActionsState, ProjectMenu } from './project-menu.tsx';
import { SelectedDocuments } from './selected-documents.tsx';
import { AbandonedUploads } from './uploads/abandoned-uploads.tsx';
import { useNoteProject } from './finding/use-known-projects.ts';
import { DropZone } from './uploads/drop-zone.tsx';
import { UploadButton } from './uploads/upload-button.tsx';
import { useBulkDocumentActions } from './project/use-document-actions.ts';
import { byName } from './project/people.ts';
import { useDocumentFilter } from './project/use-document-filter.ts';
import { useFolderActions } from './project/use-folder-actions.ts';
import { useRefreshOnOpening } from './project/use-refresh-on-opening.ts';
import {
  useDirectories,
  useDocuments,
  usePeople,
  useProject,
  type Project,
  type ProjectDocument,
} from './project/use-project.ts';

const useStyles = makeStyles({
  head: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalM, alignItems: 'center' },
  title: { flexGrow: 1, overflowWrap: 'anywhere', margin: 0 },
  bar: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalM,
    alignItems: 'center',
    margin: `${tokens.spacingVerticalXS} 0`,
  },
  search: { flexGrow: 1, maxWidth: '30rem', minWidth: '10rem' },
});

const noDocuments: readonly ProjectDocument[] = [];

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

function Found({ project }: { project: Project }) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const { id, number, name, isArchived } = project;
  const { filter, typed, change, searchIn } = useDocumentFilter();
  const mayRequest = useMay('BackOffice', 'Management', 'Administrator');
  const directories = useDirectories(id, mayRequest);
  const needsDirectory = mayRequest && directories.data?.length === 0;
  const folderActions = useFolderActions(id);
  const documents = useDocuments(id, filter);
  const selection = useSelection();
  const bulk = useBulkDocumentActions();
  const loaded = documents.data?.pages.flatMap(({ items }) => items) ?? noDocuments;
  const selected = loaded.filter((document) => selection.ids.has(document.id));
  const [known] = documents.data?.pages ?? [];
  const folder = known?.folders?.find((each) => each.name === filter.folderName);
  const dragged = useDraggedDocuments(selected);
  useRefreshOnOpening(id, known);
  useSubject(`${number} ${name}`);
  useNoteProject(project);
  const people = usePeople(id);
  const named = filter.search === undefined ? undefined : byName(people, filter.search);
  const loadMore = (): void => {
    if (documents.hasNextPage && !documents.isFetching) void documents.fetchNextPage();
  };
  /** Loads the rest of the list first, as far as that goes. */
  const selectAll = async (): Promise<void> => {
    const pages = await allPages(documents);
    selection.select(pages.flatMap(({ items }) => items).map((each) => each.id));
  };
  const endDeletion = async (outcome: EachOutcome<ProjectDocument>): Promise<void> => {
    selection.clear();
    await bulk.onRemoved(outcome);
  };
  const endMove = async (): Promise<void> => {
    selection.clear();
    await bulk.onMoved();
  };
  return (
    <DropZone
      projectId={id}
      isArchived={isArchived}
      folder={filter.folderName && { folderName: filter.folderName, folderPath: filter.folderPath ?? '' }}
    >
      <section aria-label={name}>
        <div className={styles.head}>
          <Subtitle1 as="h2" className={styles.title}>
            {`${number} ${name}`}
          </Subtitle1>
          {isArchived && <Badge appearance="tint">{texts.archived}</Badge>}
          <UploadButton />
          <OpenInLibrary url={(filter.folderName ? folder : known?.root)?.webUrl} />
          <ProjectMenu project={project} actions={folderActions} needsDirectory={needsDirectory} />
        </div>
        <FolderActionsState actions={folderActions} />
        <FolderNavigation
          projectId={id}
          filter={filter}
          hrefOf={(each, path) => `/documents/${encodeURIComponent(id)}${searchIn(each, path)}`}
          onDocuments={dragged.drop}
        />
        <AbandonedUploads projectId={id} />
        <div className={styles.bar}>
          <SearchField
            className={styles.search}
            label={texts.searchHere}
            value={typed}
            onChange={(search) => change({ search })}
          />
          {people.length > 0 && (
            <Select
              aria-label={texts.by}
              value={filter.uploadedBy ?? ''}
              onChange={(_event, { value }) => change({ by: value })}
            >
              <option value="">{texts.byAnyone}</option>
              {people.map((person) => (
                <option key={person.userId} value={person.userId}>
                  {texts.byPerson(person.name, person.documentCount)}
                </option>
              ))}
            </Select>
          )}
          <span role="status">
            {documents.data &&
              !documents.isPlaceholderData &&
              texts.found(loaded.length, documents.hasNextPage)}
          </span>
          {known?.refreshedAt && (
            <span>
              {texts.readAt} <Moment at={known.refreshedAt} />
            </span>
          )}
          {documents.hasNextPage && (
            <Button disabledFocusable={documents.isFetching} onClick={loadMore}>
              {common.showMore}
            </Button>
          )}
          <SelectedDocuments
            items={selected}
            isPartOfList={selected.length === loaded.length && documents.hasNextPage}
            projectName={`${number} ${name}`}
            bulk={bulk}
            onSelectAll={() => void selectAll()}
            onDownloaded={selection.clear}
            onMoved={endMove}
            onRemoved={endDeletion}
          />
        </div>
        <DroppedDialog dragged={dragged} move={bulk.move} onEnd={endMove} />
        <Loaded query={documents}>
          {() =>
            documents.isPlaceholderData && loaded.length === 0 ? (
              <Spinner label={common.loading} />
            ) : loaded.length === 0 && filter.search !== undefined ? (
              <NothingFound search={filter.search} place={{ folder: filter.folderName }}>
                {filter.folderName !== undefined && (
                  <Button onClick={() => change({ folder: '', path: '' })}>{texts.searchAllFolders}</Button>
                )}
                {named && (
                  <Button onClick={() => change({ search: '', by: named.userId })}>
                    {texts.showByPerson(named.name)}
                  </Button>
                )}
                <SearchAllProjects search={filter.search} />
                <Button onClick={() => change({ search: '' })}>{texts.endSearch}</Button>
              </NothingFound>
            ) : (
              <DocumentList
                documents={loaded}
                // Until another list is there, the one before is shown.
                list={JSON.stringify([id, filter, documents.isPlaceholderData])}
                showsFolder={
                  filter.folderName === undefined || loaded.some(({ folderPath }) => folderPath !== '')
                }
                sort={filter.sort}
                onSort={(sort) => change({ sort })}
                selection={selection}
                onDrag={dragged.begin}
                onEnd={loadMore}
              />
            )
          }
        </Loaded>
        {mayRequest && (
          <ProjectDirectories existing={known?.folders?.length ?? 0} directories={directories} />
        )}
      </section>
    </DropZone>
  );
}
