import {
  Spinner,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
  TableRow,
  Text,
  makeStyles,
} from '@fluentui/react-components';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { AgentRow } from './agent-row.tsx';
import { useAgents } from './use-agents.ts';

const useStyles = makeStyles({ frame: { overflowX: 'auto' }, table: { minWidth: '52rem' } });

export function AgentsPage() {
  const { agents: texts, pages, common } = useTexts();
  const styles = useStyles();
  const agents = useAgents();
  const columns = [
    texts.name,
    texts.status,
    texts.lastSeen,
    texts.worksOn,
    texts.today,
    texts.version,
    texts.host,
  ];
  return (
    <>
      <PageHead title={pages.agents} />
      <ProblemBar error={agents.error} onRetry={() => void agents.refetch()} />
      {agents.isPending && <Spinner label={common.loading} />}
      {agents.data?.length === 0 && <Text>{texts.empty}</Text>}
      {agents.data && agents.data.length > 0 && (
        // Scrolls by itself where the window is narrow; then the keyboard has to reach it.
        <div className={styles.frame} role="region" aria-label={texts.list} tabIndex={0}>
          <Table aria-label={texts.list} className={styles.table}>
            <TableHeader>
              <TableRow>
                {columns.map((column) => (
                  <TableHeaderCell key={column}>{column}</TableHeaderCell>
                ))}
              </TableRow>
            </TableHeader>
            <TableBody>
              {agents.data.map((agent) => (
                <AgentRow key={agent.id} agent={agent} />
              ))}
            </TableBody>
          </Table>
        </div>
      )}
    </>
  );
}
