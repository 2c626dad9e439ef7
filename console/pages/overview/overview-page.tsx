import { Select } from '@fluentui/react-components';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { RefreshedAt } from '../../parts/refreshed-at.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { Gauges } from './gauges.tsx';
import { Health } from './health.tsx';
import { Throughput } from './throughput.tsx';
import { ranges, useRange, useStatistics } from './use-statistics.ts';

/** The queue, its outcomes, and the health of each part at a glance. */
export function OverviewPage() {
  const { overview: texts, pages } = useTexts();
  const [hours, setHours] = useRange();
  const statistics = useStatistics(hours);
  return (
    <>
      <PageHead title={pages.overview}>
        <RefreshedAt query={statistics} />
        <Select
          aria-label={texts.range}
          value={String(hours)}
          onChange={(_event, { value }) => setHours(value)}
        >
          {ranges.map((range) => (
            <option key={range} value={range}>
              {texts.hours(range)}
            </option>
          ))}
        </Select>
      </PageHead>
      <Loaded query={statistics} isAgeShown>
        {(data) => (
          <>
            <Gauges statistics={data} />
            <Throughput hours={data.hours} />
          </>
        )}
      </Loaded>
      <Health statistics={statistics} />
    </>
  );
}
