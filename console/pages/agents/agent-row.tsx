import { Badge, TableCell, TableRow, Text, makeStyles, tokens } from '@fluentui/react-components';
import { Link } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { AgentState } from './agent-state.tsx';
import type { Agent } from './use-agents.ts';

const useStyles = makeStyles({
  cell: { overflowWrap: 'anywhere' },
  link: { color: tokens.colorBrandForegroundLink },
});

export function AgentRow({ agent }: { agent: Agent }) {
  const { agents: texts, common } = useTexts();
  const styles = useStyles();
  const { id, state, lastSeenAt, folderRequestId, fulfilled24h, failed24h, version, host, tooOld } = agent;
  return (
    <TableRow>
      <TableCell className={styles.cell}>
        <Text weight="semibold">{id}</Text>
      </TableCell>
      <TableCell>
        <AgentState state={state} />
      </TableCell>
      <TableCell>
        <Moment at={lastSeenAt} />
      </TableCell>
      <TableCell>
        {folderRequestId === null ? (
          common.none
        ) : (
          <Link className={styles.link} href={`/folder-requests/${folderRequestId}`}>
            {folderRequestId.slice(0, 8)}
          </Link>
        )}
      </TableCell>
      <TableCell>
        {texts.fulfilled(fulfilled24h)}
        <br />
        {texts.failed(failed24h)}
      </TableCell>
      <TableCell>
        {version ?? common.none}{' '}
        {tooOld && (
          <Badge appearance="tint" color="warning">
            {texts.tooOld}
          </Badge>
        )}
      </TableCell>
      <TableCell className={styles.cell}>{host ?? common.none}</TableCell>
    </TableRow>
  );
}
