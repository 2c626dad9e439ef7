import { Text, makeStyles, tokens } from '@fluentui/react-components';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { bytes } from '../../parts/bytes.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Selection } from '../../base/use-selection.ts';
import { VirtualTable, type Column } from '../../parts/virtual-table.tsx';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { FileName, RowActions } from './document-cells.tsx';
import { pathOf } from './project/folders.ts';
import { directionOf, sortAfter, type Sort, type SortedBy } from './project/sort.ts';
import type { FoundDocument, ProjectDocument } from './project/use-project.ts';

const useStyles = makeStyles({
  frame: {
    display: 'flex',
    flexDirection: 'column',
    maxHeight: 'max(20rem, 70vh)',
    '@media print': { maxHeight: 'none' },
  },
  link: { color: tokens.colorBrandForegroundLink },
});

const heightOf = (_document: ProjectDocument, isNarrow: boolean): number => (isNarrow ? 72 : 38);
const idOf = ({ id }: ProjectDocument): string => id;
const nameOf = ({ fileName }: ProjectDocument): string => fileName;

export function DocumentList({
  documents,
  list,
  showsFolder,
  sort,
  onSort,
  selection,
  onDrag,
  onEnd,
}: {
  documents: readonly (ProjectDocument | FoundDocument)[];
  /** Names it, by what selects and orders it. */
  list: string;
  showsFolder: boolean;
  /** Absent if the order cannot be chosen. */
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  selection?: Selection;
  /** Called when the row of a document begins to be dragged. */
  onDrag?: (document: ProjectDocument, data: DataTransfer) => void;
  /** Called when the last row is visible. */
  onEnd: () => void;
}) {
  const { documents: texts, common } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const hasProjects = documents.some((document) => 'projectNumber' in document);
  const columns = useMemo<readonly Column<ProjectDocument | FoundDocument>[]>(() => {
    const sortBy = (by: SortedBy) =>
      sort &&
      onSort && { sort: { direction: directionOf(sort, by), onSort: () => onSort(sortAfter(sort, by)) } };
    const folder = {
      title: texts.folder,
      width: 'minmax(6rem, 1fr)',
      renderCell: pathOf,
      isHiddenWhenNarrow: true,
    };
    const project = {
      title: texts.project,
      width: 'minmax(8rem, 2fr)',
      renderCell: (document: ProjectDocument | FoundDocument) => <ProjectOf document={document} />,
    };
    return [
      {
        title: texts.file,
        width: 'minmax(14rem, 3fr)',
        renderCell: (document) => <FileName document={document} />,
        ...sortBy('name'),
      },
      ...(hasProjects ? [project] : []),
      ...(showsFolder ? [folder] : []),
      {
        title: texts.size,
        width: '6rem',
        renderCell: ({ size }) => bytes(size, language),
        ...sortBy('size'),
      },
      {
        title: texts.uploaded,
        width: '10rem',
        renderCell: ({ uploadedAt }) => <Moment at={uploadedAt} />,
        ...sortBy('uploadedAt'),
      },
      {
        title: texts.by,
        width: 'minmax(5rem, 1fr)',
        renderCell: ({ uploadedByName }) => uploadedByName ?? common.none,
        isHiddenWhenNarrow: true,
        ...sortBy('uploadedBy'),
      },
      {
        title: common.more,
        width: '5rem',
        renderCell: (document) => <RowActions document={document} />,
      },
    ];
  }, [texts, common, language, sort, onSort, showsFolder, hasProjects]);
  if (documents.length === 0) return <Text as="p">{texts.empty}</Text>;
  return (
    <div className={styles.frame}>
      <VirtualTable
        label={texts.list}
        columns={columns}
        rows={documents}
        list={list}
        idOf={idOf}
        nameOf={nameOf}
        heightOf={heightOf}
        onEnd={onEnd}
        {...(selection && { selection })}
        {...(onDrag && { onDrag })}
      />
    </div>
  );
}

function ProjectOf({ document }: { document: ProjectDocument | FoundDocument }) {
  const styles = useStyles();
  if (!('projectNumber' in document)) return null;
  const { projectId, projectNumber, projectName } = document;
  const name = projectNumber === null ? projectId : `${projectNumber} ${projectName}`;
  return (
    <Link className={styles.link} href={`/documents/${encodeURIComponent(projectId)}`} title={name}>
      {name}
    </Link>
  );
}
