import { Card, Text, makeStyles, mergeClasses, tokens } from '@fluentui/react-components';
import { Link } from 'wouter';
import { duration } from '../../parts/moments.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import type { Statistics } from './use-statistics.ts';

const useStyles = makeStyles({
  gauges: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(9rem, 1fr))',
    gap: tokens.spacingHorizontalM,
    marginBottom: tokens.spacingVerticalXXL,
  },
  link: { color: 'inherit', textDecorationLine: 'none', display: 'grid' },
  alarming: { color: tokens.colorPaletteRedForeground1 },
});

/** The queue in four numbers, each a link to its requests. */
export function Gauges({ statistics }: { statistics: Statistics }) {
  const { overview: texts } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const { pending, processing, failed, oldestPendingSeconds } = statistics;
  const number = (value: number): string => value.toLocaleString(language);
  const gauges = [
    { label: texts.pending, value: number(pending), status: 'PENDING', isAlarming: false },
    { label: texts.processing, value: number(processing), status: 'PROCESSING', isAlarming: false },
    { label: texts.failed, value: number(failed), status: 'FAILED', isAlarming: failed > 0 },
    {
      label: texts.oldest,
      value: duration(oldestPendingSeconds, language),
      status: 'PENDING',
      isAlarming: false,
    },
  ];
  return (
    <div className={styles.gauges}>
      {gauges.map(({ label, value, status, isAlarming }) => (
        <Card key={label}>
          <Link href={`/folder-requests?status=${status}`} className={styles.link}>
            <Text>{label}</Text>
            <Text size={800} weight="semibold" className={mergeClasses(isAlarming && styles.alarming)}>
              {value}
            </Text>
          </Link>
        </Card>
      ))}
    </div>
  );
}
