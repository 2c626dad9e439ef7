import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Agent = Schemas['Agent'];

/** The service records what it hears of an agent once a minute at most. */
const agentsRefreshMs = 15_000;

export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/agents', { signal }))).items,
    refetchInterval: agentsRefreshMs,
  });
}
