import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Statistics = Schemas['FolderRequestStatistics'];

const statisticsRefreshMs = 15_000;

export const ranges = [24, 72, 168] as const;
export type Range = (typeof ranges)[number];

export function useStatistics(hours: Range) {
  return useQuery({
    queryKey: ['statistics', hours],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/folder-requests/statistics', { params: { query: { hours } }, signal })),
    refetchInterval: statisticsRefreshMs,
    placeholderData: (previous) => previous,
  });
}
