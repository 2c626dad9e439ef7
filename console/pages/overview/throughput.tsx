import {
  Subtitle2,
  Table,
  TableBody,
  TableCell,
  TableHeader,
  TableHeaderCell,
  TableRow,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { Link } from 'wouter';
import { hourText, weekdayText } from '../../parts/moments.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { endedHref } from '../folder-requests/use-request-filter.ts';
import { daysOf, endOfHour, type Day } from './days.ts';
import { HoursChart } from './hours-chart.tsx';
import type { Statistics } from './use-statistics.ts';

const useStyles = makeStyles({
  section: { marginBottom: tokens.spacingVerticalXXL },
  beside: { display: 'flex', flexWrap: 'wrap', gap: tokens.spacingHorizontalXL, alignItems: 'flex-start' },
  chart: { flex: '4 1 24rem', minWidth: 0 },
  link: { color: tokens.colorBrandForegroundLink },
  // As wide as its contents.
  table: { width: 'auto', tableLayout: 'auto', '& td, & th': { paddingRight: tokens.spacingHorizontalL } },
});

/** Outcomes per hour as a chart, with the totals by day beside it, and as a table for users who cannot see it. */
export function Throughput({ hours }: { hours: Statistics['hours'] }) {
  const { overview: texts } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const notable = hours.filter(({ fulfilled, failed }) => fulfilled + failed > 0).toReversed();
  return (
    <section className={styles.section}>
      <Subtitle2 as="h2">{texts.throughput}</Subtitle2>
      <div className={styles.beside}>
        <div className={styles.chart}>
          <HoursChart hours={hours} />
        </div>
        <Outcomes
          label={texts.byDay}
          of={texts.day}
          rows={daysOf(hours)}
          nameOf={(start) => weekdayText(new Date(start), language)}
        />
      </div>
      <details>
        <summary>{texts.asTable}</summary>
        <Outcomes
          label={texts.throughput}
          of={texts.hour}
          rows={notable.map((hour) => ({ ...hour, end: endOfHour(hour.start) }))}
          nameOf={(start) => hourText(new Date(start), language)}
        />
      </details>
    </section>
  );
}

function Outcomes({
  label,
  of,
  rows,
  nameOf,
}: {
  label: string;
  of: string;
  rows: readonly Day[];
  nameOf: (start: string) => string;
}) {
  const { overview: texts } = useTexts();
  const styles = useStyles();
  return (
    <Table aria-label={label} size="small" className={styles.table}>
      <TableHeader>
        <TableRow>
          {[of, texts.fulfilledSeries, texts.failedSeries].map((name) => (
            <TableHeaderCell key={name}>{name}</TableHeaderCell>
          ))}
        </TableRow>
      </TableHeader>
      <TableBody>
        {rows.map(({ start, end, fulfilled, failed }) => (
          <TableRow key={start}>
            <TableCell>
              <Link className={styles.link} href={endedHref({ start, end })}>
                {nameOf(start)}
              </Link>
            </TableCell>
            <TableCell>{fulfilled}</TableCell>
            <TableCell>
              {failed === 0 ? (
                failed
              ) : (
                <Link className={styles.link} href={endedHref({ start, end }, 'FAILED')}>
                  {failed}
                </Link>
              )}
            </TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}
