import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';
import { storedChoice } from '../../base/stored-choice.ts';

export type Statistics = Schemas['FolderRequestStatistics'];

// With the agents and the health, at most four calls a minute while the overview is open.
const statisticsRefreshMs = 30_000;

export const ranges = [24, 72, 168] as const;
export type Range = (typeof ranges)[number];

const choice = storedChoice(
  'range',
  ranges.map((range) => String(range)),
  () => localStorage,
);

/** The range that the user has chosen, also before a reload. */
export function useRange(): [range: Range, choose: (range: string) => void] {
  const chosen = useSyncExternalStore(choice.subscribe, choice.current);
  return [ranges.find((range) => String(range) === chosen) ?? ranges[0], choice.choose];
}

export function useStatistics(hours: Range) {
  return useQuery({
    queryKey: ['statistics', hours],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/folder-requests/statistics', { params: { query: { hours } }, signal })),
    refetchInterval: refreshEvery(statisticsRefreshMs),
    placeholderData: (previous) => previous,
  });
}
