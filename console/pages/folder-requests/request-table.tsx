import { Text, makeStyles, tokens } from '@fluentui/react-components';
import { useMemo } from 'react';
import { Link, useSearch } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import type { Selection } from '../../base/use-selection.ts';
import { VirtualTable, type Column } from '../../parts/virtual-table.tsx';
import { useMay } from '../../session/use-session.ts';
import { failureText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { narrow } from '../../theme/widths.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { StatusBadge } from './status-badge.tsx';

const useStyles = makeStyles({
  path: { display: 'grid' },
  link: {
    color: tokens.colorNeutralForeground1,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    textDecorationLine: 'none',
    ':hover': { textDecorationLine: 'underline' },
  },
  error: {
    color: tokens.colorPaletteRedForeground1,
    fontSize: tokens.fontSizeBase200,
    lineHeight: tokens.lineHeightBase200,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    // A narrow line would show the beginning only, which says what failed but not why.
    [narrow]: {
      whiteSpace: 'normal',
      overflowWrap: 'anywhere',
      display: '-webkit-box',
      WebkitBoxOrient: 'vertical',
      WebkitLineClamp: '4',
    },
  },
});

const rowHeight = { wide: 44, narrow: 76, narrowWithReason: 140 };

const heightOf = ({ status, unserved }: FolderRequest, isNarrow: boolean): number => {
  if (!isNarrow) return rowHeight.wide;
  return status === 'FAILED' || unserved ? rowHeight.narrowWithReason : rowHeight.narrow;
};

const idOf = ({ id }: FolderRequest): string => id;
const nameOf = ({ targetPath }: FolderRequest): string => targetPath;

const maxAgentWidth = 24;
// Not `ch`: it differs between the bold header and the rows.
const remPerCharacter = 0.55;

export function RequestTable({
  requests,
  list,
  selection,
}: {
  requests: readonly FolderRequest[];
  list: string;
  selection: Selection;
}) {
  const { folderRequests: texts, common } = useTexts();
  const longestAgent = requests.reduce(
    (most, { agentId }) => Math.max(most, agentId?.length ?? 0),
    texts.agent.length,
  );
  const agentWidth = `${(Math.min(maxAgentWidth, longestAgent) + 1) * remPerCharacter}rem`;
  const columns = useMemo<readonly Column<FolderRequest>[]>(
    () => [
      {
        title: texts.path,
        width: 'minmax(12rem, 1fr)',
        renderCell: (request) => <Target request={request} />,
      },
      { title: texts.state, width: '9.5rem', renderCell: ({ status }) => <StatusBadge status={status} /> },
      { title: texts.agent, width: agentWidth, renderCell: ({ agentId }) => agentId ?? common.none },
      {
        title: texts.attempts,
        width: '5.5rem',
        renderCell: ({ attempts }) => attempts,
        isHiddenWhenNarrow: true,
      },
      { title: texts.changed, width: '10rem', renderCell: ({ updatedAt }) => <Moment at={updatedAt} /> },
    ],
    [texts, common, agentWidth],
  );
  return (
    <VirtualTable
      label={texts.list}
      columns={columns}
      rows={requests}
      list={list}
      idOf={idOf}
      nameOf={nameOf}
      heightOf={heightOf}
      selection={selection}
    />
  );
}

/** The path as a link to the details; below it, why the request has failed or waits in vain. */
function Target({ request }: { request: FolderRequest }) {
  const { id, targetPath, status, unserved } = request;
  const language = useLanguage();
  const { folderRequests: texts } = useTexts();
  const styles = useStyles();
  const search = useSearch();
  const whyUnserved = useMay('Administrator') ? texts.unserved : texts.unservedForUsers;
  const reason = status === 'FAILED' ? failureText(request, language) : unserved ? whyUnserved : null;
  return (
    <div className={styles.path}>
      <Link
        href={`/folder-requests/${id}${search && `?${search}`}`}
        className={styles.link}
        title={targetPath}
      >
        {targetPath}
      </Link>
      {reason !== null && (
        <Text className={styles.error} title={request.errorMessage ?? reason}>
          {reason}
        </Text>
      )}
    </div>
  );
}
