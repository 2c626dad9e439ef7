import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';

export type Agent = Schemas['Agent'];

const agentsRefreshMs = 15_000;

/** The service records an agent's calls at most once a minute, and shares what it reads for as long. */
export function useAgents({ intervalMs = agentsRefreshMs }: { intervalMs?: number } = {}) {
  return useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/agents', { signal }))).items,
    refetchInterval: refreshEvery(intervalMs),
  });
}

/** Pauses an agent, for instance while its file server is maintained, or resumes it. */
export function useAgentPause() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isPaused }: { id: string; isPaused: boolean }) =>
      dataOf(api.PUT('/agents/{id}', { params: { path: { id } }, body: { isPaused } })),
    onSuccess: (changed) =>
      client.setQueryData<readonly Agent[]>(['agents'], (agents) =>
        agents?.map((agent) => (agent.id === changed.id ? changed : agent)),
      ),
  });
}
