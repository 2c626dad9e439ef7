import { agentList } from '../lib/contract/agents.ts';
import { agentItems } from '../lib/folder-requests/agent-registry.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const listAgents = ({ agents, clock, folderRequests }: Services): Operation =>
  operation({
    id: 'list-agents',
    method: 'GET',
    route: 'v1/agents',
    tag: 'agents',
    summary: 'List the agents',
    description:
      'Every agent seen within the last 30 days, sorted by id, with its state and current folder request.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    responses: { 200: { description: 'All agents', schema: agentList } },
    problems: [],
    async handle() {
      const [seen, statistics] = await Promise.all([agents.all(), folderRequests.agentStatistics(24)]);
      return { status: 200, jsonBody: { items: agentItems(seen, statistics, clock.now()) } };
    },
  });
