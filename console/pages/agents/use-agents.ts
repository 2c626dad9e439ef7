import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Agent = Schemas['Agent'];

/** The service records an agent's calls at most once a minute, and shares what it reads for as long. */
const agentsRefreshMs = 15_000;

export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/agents', { signal }))).items,
    refetchInterval: agentsRefreshMs,
  });
}
