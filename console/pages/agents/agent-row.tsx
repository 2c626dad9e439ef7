import {
  Badge,
  Button,
  TableCell,
  TableRow,
  makeStyles,
  tokens,
  type BadgeProps,
} from '@fluentui/react-components';
import {
  CheckmarkCircleRegular,
  PauseRegular,
  PlayCircleRegular,
  PlayRegular,
  WarningRegular,
} from '@fluentui/react-icons';
import { Link } from 'wouter';
import { Moment } from '../../parts/moment.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { useAgentPause, type Agent } from './use-agents.ts';

const useStyles = makeStyles({
  cell: { overflowWrap: 'anywhere' },
  link: { color: tokens.colorBrandForegroundLink },
  sought: { backgroundColor: tokens.colorNeutralBackground1Selected },
});

export function AgentRow({ agent, isSought }: { agent: Agent; isSought: boolean }) {
  const { agents: texts, common } = useTexts();
  const styles = useStyles();
  const pause = useAgentPause();
  const { id, state, lastSeenAt, folderRequestId, fulfilled24h, failed24h, version, host, tooOld, isPaused } =
    agent;
  const pauseText = isPaused ? texts.resume : texts.pause;
  const requests = `/folder-requests?agent=${encodeURIComponent(id)}`;
  return (
    <TableRow className={isSought ? styles.sought : ''}>
      <TableCell className={styles.cell}>
        <Link className={styles.link} href={requests} title={texts.requests}>
          {id}
        </Link>
      </TableCell>
      <TableCell>
        <AgentState state={state} />{' '}
        {isPaused && (
          <Badge appearance="tint" color="warning">
            {texts.paused}
          </Badge>
        )}
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
        <span>{texts.fulfilled(fulfilled24h)}</span>
        <br />
        {failed24h === 0 ? (
          <span>{texts.failed(0)}</span>
        ) : (
          <Link className={styles.link} href={`${requests}&status=FAILED`}>
            {texts.failed(failed24h)}
          </Link>
        )}
      </TableCell>
      <TableCell>
        <span>{version ?? common.none}</span>{' '}
        {tooOld && (
          <Badge appearance="tint" color="warning">
            {texts.tooOld}
          </Badge>
        )}
      </TableCell>
      <TableCell className={styles.cell}>{host ?? common.none}</TableCell>
      <TableCell>
        <Button
          appearance="subtle"
          icon={isPaused ? <PlayRegular /> : <PauseRegular />}
          title={pauseText}
          aria-label={`${pauseText}: ${id}`}
          disabledFocusable={pause.isPending}
          onClick={() => pause.mutate({ id, isPaused: !isPaused })}
        />
        <ProblemBar error={pause.error} />
      </TableCell>
    </TableRow>
  );
}

const appearances = {
  working: { color: 'brand', icon: <PlayCircleRegular /> },
  idle: { color: 'success', icon: <CheckmarkCircleRegular /> },
  silent: { color: 'danger', icon: <WarningRegular /> },
} as const satisfies Record<Agent['state'], Pick<BadgeProps, 'color' | 'icon'>>;

function AgentState({ state }: { state: Agent['state'] }) {
  const { agents: texts } = useTexts();
  return (
    <Badge appearance="tint" {...appearances[state]}>
      {texts.state[state]}
    </Badge>
  );
}
