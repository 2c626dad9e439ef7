import { Select } from '@fluentui/react-components';
import { useState } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { RefreshedAt } from '../../parts/refreshed-at.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { Gauges } from './gauges.tsx';
import { Health } from './health.tsx';
import { Throughput } from './throughput.tsx';
import { ranges, useStatistics, type Range } from './use-statistics.ts';

/** The state of the whole at a glance: what waits, what came of the rest, and who is at work. */
export function OverviewPage() {
  const { overview: texts, pages } = useTexts();
  const [hours, setHours] = useState<Range>(24);
  const statistics = useStatistics(hours);
  return (
    <>
      <PageHead title={pages.overview}>
        <RefreshedAt
          refreshedAt={statistics.dataUpdatedAt}
          isFailing={statistics.isError && statistics.data !== undefined}
        />
        <Select
          aria-label={texts.range}
          value={String(hours)}
          onChange={(_event, { value }) => setHours(Number(value) as Range)}
        >
          {ranges.map((range) => (
            <option key={range} value={range}>
              {texts.hours(range)}
            </option>
          ))}
        </Select>
      </PageHead>
      {statistics.data === undefined && (
        <ProblemBar error={statistics.error} onRetry={() => void statistics.refetch()} />
      )}
      {statistics.data && <Gauges statistics={statistics.data} />}
      {statistics.data && <Throughput hours={statistics.data.hours} />}
      <Health statistics={statistics.data} />
    </>
  );
}
