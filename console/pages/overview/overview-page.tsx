import { Select } from '@fluentui/react-components';
import { useState } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { RefreshedAt } from '../../parts/refreshed-at.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { Gauges } from './gauges.tsx';
import { Health } from './health.tsx';
import { Throughput } from './throughput.tsx';
import { ranges, useStatistics, type Range } from './use-statistics.ts';

/** The queue, its outcomes, and the health of each part at a glance. */
export function OverviewPage() {
  const { overview: texts, pages } = useTexts();
  const [hours, setHours] = useState<Range>(24);
  const statistics = useStatistics(hours);
  return (
    <>
      <PageHead title={pages.overview}>
        <RefreshedAt query={statistics} />
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
      <Loaded query={statistics}>
        {(data) => (
          <>
            <Gauges statistics={data} />
            <Throughput hours={data.hours} />
          </>
        )}
      </Loaded>
      <Health statistics={statistics.data} />
    </>
  );
}
