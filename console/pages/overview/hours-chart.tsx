import { makeStyles, tokens, webDarkTheme, webLightTheme } from '@fluentui/react-components';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { useLocation } from 'wouter';
import { useColorScheme } from '../../theme/color-scheme.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { shortTime } from '../../parts/moments.ts';
import { endedHref } from '../folder-requests/use-request-filter.ts';
import { endOfHour } from './days.ts';
import type { Statistics } from './use-statistics.ts';

const height = 220;
/** Seconds. */
const halfHour = 1800;
const useStyles = makeStyles({
  chart: {
    width: '100%',
    minHeight: `${height}px`,
    overflow: 'hidden',
    '& .uplot': { fontFamily: tokens.fontFamilyBase },
    // With forced colors, the markers of all series would be the same.
    '& .u-marker': { forcedColorAdjust: 'none' },
  },
});

/** One bar per hour: failed requests in front of the sum. A click on a bar opens the requests of its hour; so does the table. */
export function HoursChart({ hours }: { hours: Statistics['hours'] }) {
  const { overview: texts } = useTexts();
  const styles = useStyles();
  const scheme = useColorScheme();
  const language = useLanguage();
  const frame = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();

  useEffect(() => {
    const element = frame.current!;
    const theme = scheme === 'dark' ? webDarkTheme : webLightTheme;
    const axis = {
      stroke: theme.colorNeutralForeground2,
      grid: { stroke: theme.colorNeutralStroke3 },
      ticks: { stroke: theme.colorNeutralStroke3 },
      font: `12px ${theme.fontFamilyBase}`,
    };
    const bars = UPlot.paths.bars!({ size: [0.7, 40] });
    const series = (label: string, color: string): UPlot.Series => ({
      label,
      stroke: color,
      fill: color,
      paths: bars,
      points: { show: false },
    });
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { live: false },
        cursor: { show: false },
        scales: {
          // Half an hour on each side: the bars of the first and the current hour are complete.
          x: { range: (_plot, min, max) => [min - halfHour, max + halfHour] },
          y: { range: (_plot, _min, max) => [0, Math.max(1, max)] },
        },
        axes: [
          {
            ...axis,
            values: (_plot, splits) => splits.map((at) => shortTime(new Date(at * 1000), language)),
          },
          { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] },
        ],
        series: [
          { label: texts.hour },
          // The series overlap: the taller bar is the sum.
          series(texts.fulfilledSeries, theme.colorPaletteGreenForeground3),
          series(texts.failedSeries, theme.colorPaletteRedForeground3),
        ],
      },
      [
        hours.map(({ start }) => Date.parse(start) / 1000),
        hours.map(({ fulfilled, failed }) => fulfilled + failed || null),
        hours.map(({ failed }) => failed || null),
      ],
      element,
    );
    plot.over.style.cursor = 'pointer';
    plot.over.addEventListener('click', ({ offsetX }) => {
      const hour = hours[plot.posToIdx(offsetX)];
      if (hour && hour.fulfilled + hour.failed > 0) {
        navigate(endedHref({ start: hour.start, end: endOfHour(hour.start) }));
      }
    });
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [hours, language, scheme, texts, navigate]);

  return <div ref={frame} className={styles.chart} role="img" aria-label={texts.throughput} />;
}
