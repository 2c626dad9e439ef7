import { Text } from '@fluentui/react-components';
import { useSearchParams } from 'wouter';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { RefreshedAt } from '../../parts/refreshed-at.tsx';
import { WideTable } from '../../parts/wide-table.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { AgentRow } from './agent-row.tsx';
import { useAgents } from './use-agents.ts';

export function AgentsPage() {
  const { agents: texts, pages, common } = useTexts();
  const agents = useAgents();
  const [params] = useSearchParams();
  const columns = [
    texts.name,
    texts.status,
    texts.lastSeen,
    texts.worksOn,
    texts.today,
    texts.version,
    texts.host,
    common.more,
  ];
  return (
    <>
      <PageHead title={pages.agents}>
        <RefreshedAt query={agents} />
      </PageHead>
      <Loaded query={agents} isAgeShown>
        {(items) =>
          items.length === 0 ? (
            <Text as="p">{texts.empty}</Text>
          ) : (
            <WideTable label={texts.list} columns={columns}>
              {items.map((agent) => (
                <AgentRow key={agent.id} agent={agent} isSought={agent.id === params.get('agent')} />
              ))}
            </WideTable>
          )
        }
      </Loaded>
    </>
  );
}
