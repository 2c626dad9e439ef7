import { systemClock } from '../lib/contract/clock.ts';
import { agent, agentChange, agentParams } from '../lib/contract/agents.ts';
import { agentItems } from '../lib/folder-requests/agent-registry.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const changeAgent = ({ agents, folderRequests }: Services): Operation =>
  operation({
    id: 'change-agent',
    method: 'PUT',
    route: 'v1/agents/{id}',
    tag: 'agents',
    summary: 'Pause an agent',
    description:
      'The claims of a paused agent find nothing, for maintenance of its file server; work that it holds continues. Takes effect within a minute.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: agentParams,
    body: agentChange,
    responses: { 200: { description: 'Changed', schema: agent } },
    problems: ['not_found'],
    async handle({ params, body, log }) {
      const changed = await agents.setPaused(params.id, body.isPaused);
      log.info('agent_changed', { agent: params.id, isPaused: body.isPaused });
      const statistics = await folderRequests.agentStatistics(24);
      return { status: 200, jsonBody: agentItems([changed], statistics, systemClock.now())[0] };
    },
  });
