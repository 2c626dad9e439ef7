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
import { exactTime } from '../../parts/moments.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { HoursChart } from './hours-chart.tsx';
import type { Statistics } from './use-statistics.ts';

const useStyles = makeStyles({ section: { marginBottom: tokens.spacingVerticalXXL } });

/** Outcomes per hour as a chart, and as a table for users who cannot see it. */
export function Throughput({ hours }: { hours: Statistics['hours'] }) {
  const { overview: texts } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const notable = hours.filter(({ fulfilled, failed }) => fulfilled + failed > 0).toReversed();
  return (
    <section className={styles.section}>
      <Subtitle2 as="h2">{texts.throughput}</Subtitle2>
      <HoursChart hours={hours} />
      <details>
        <summary>{texts.asTable}</summary>
        <Table aria-label={texts.throughput} size="small">
          <TableHeader>
            <TableRow>
              {[texts.hour, texts.fulfilledSeries, texts.failedSeries].map((name) => (
                <TableHeaderCell key={name}>{name}</TableHeaderCell>
              ))}
            </TableRow>
          </TableHeader>
          <TableBody>
            {notable.map(({ start, fulfilled, failed }) => (
              <TableRow key={start}>
                <TableCell>{exactTime(new Date(start), language)}</TableCell>
                <TableCell>{fulfilled}</TableCell>
                <TableCell>{failed}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </details>
    </section>
  );
}
