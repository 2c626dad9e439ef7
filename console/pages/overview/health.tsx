import { Subtitle2, Text, makeStyles, tokens } from '@fluentui/react-components';
import { CheckmarkCircleRegular, WarningRegular } from '@fluentui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';
import { clockTime, dayText, duration, momentText } from '../../parts/moments.ts';
import { useNow } from '../../base/use-now.ts';
import { useProblemText } from '../../parts/use-problem-text.ts';
import { problemText } from '../../texts/text-of-code.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { useAgents } from '../agents/use-agents.ts';
import type { Statistics } from './use-statistics.ts';

// The statistics are read from the tables twice a minute, and show an outage first.
const healthRefreshMs = 300_000;
const agentsRefreshMs = 60_000;
/** Agents poll every few seconds, so a longer wait needs an operator. */
const lateAfterSeconds = 15 * 60;

const useStyles = makeStyles({
  list: { listStyle: 'none', padding: 0, display: 'grid', gap: tokens.spacingVerticalS },
  part: { display: 'flex', gap: tokens.spacingHorizontalS, alignItems: 'baseline', overflowWrap: 'anywhere' },
  good: { color: tokens.colorPaletteGreenForeground1, flexShrink: 0 },
  old: { color: tokens.colorNeutralForeground3, flexShrink: 0 },
  name: { flexShrink: 0 },
  note: { color: tokens.colorNeutralForeground2 },
  bad: { color: tokens.colorPaletteRedForeground1, flexShrink: 0 },
});

type Part = Schemas['PartHealth'];

interface PartHealth {
  readonly name: string;
  readonly isGood: boolean;
  /** It has failed, and may work again. */
  readonly isDoubtful?: boolean;
  readonly text: string;
  /** When it was last known, in milliseconds, if the service does not respond. */
  readonly oldSince?: number;
}

interface StatisticsQuery {
  readonly data: Statistics | undefined;
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
}

/** One line per part, with its problem if it has one. */
export function Health({ statistics }: { statistics: StatisticsQuery }) {
  const { overview: texts, refresh } = useTexts();
  const language = useLanguage();
  const styles = useStyles();
  const { error: outage } = statistics;
  const parts = [
    useServiceHealth(outage),
    useModelHealth(),
    ...usePartsHealth(outage),
    useQueueHealth(statistics),
    useAgentsHealth(outage),
  ];
  return (
    <section>
      <Subtitle2 as="h2">{texts.health}</Subtitle2>
      <ul className={styles.list}>
        {parts.map((part) =>
          part === undefined ? null : (
            <li key={part.name} className={styles.part}>
              {part.oldSince !== undefined || (part.isGood && part.isDoubtful) ? (
                <WarningRegular className={styles.old} aria-hidden />
              ) : part.isGood ? (
                <CheckmarkCircleRegular className={styles.good} aria-hidden />
              ) : (
                <WarningRegular className={styles.bad} aria-hidden />
              )}
              <Text weight="semibold" className={styles.name}>
                {part.name}
              </Text>
              {/* One text: of several, a page that the browser translates would keep the old ones. */}
              <Text>
                {[
                  part.text,
                  ...(part.oldSince === undefined
                    ? []
                    : [refresh.failed(clockTime(new Date(part.oldSince), language))]),
                ].join(' · ')}
              </Text>
            </li>
          ),
        )}
      </ul>
      <Text as="p" block size={200} className={styles.note}>
        {texts.partsNote}
      </Text>
    </section>
  );
}

const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => dataOf(api.GET('/health', { signal })),
    refetchInterval: (query) => refreshEvery(query.state.error ? agentsRefreshMs : healthRefreshMs)(query),
  });

/** @param outage that the statistics, which are refreshed more often, have shown */
function useServiceHealth(outage: Error | null): PartHealth | undefined {
  const { overview: texts } = useTexts();
  const textOf = useProblemText();
  const health = useHealth();
  const error = outage ?? health.error;
  if (error) return { name: texts.service, isGood: false, text: textOf(error) };
  return health.data && { name: texts.service, isGood: true, text: texts.healthy(health.data.version) };
}

function useModelHealth(): PartHealth | undefined {
  const { overview: texts } = useTexts();
  const language = useLanguage();
  const ends = useHealth().data?.aiModelEnds;
  return (
    ends && {
      name: texts.aiModel,
      isGood: false,
      text: texts.aiModelEnds(ends.model, dayText(ends.endsAt, language)),
    }
  );
}

/** The library, the Word templates, and the AI provider: asked, and what has failed in use since. */
function usePartsHealth(outage: Error | null): readonly PartHealth[] {
  const { overview: texts } = useTexts();
  const language = useLanguage();
  const textOf = useProblemText();
  const now = useNow();
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['health', 'parts'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/health/parts', { signal }))).parts,
    refetchInterval: refreshEvery(healthRefreshMs),
  });
  if (error) return [{ name: texts.partsAsked, isGood: false, text: textOf(error) }];
  const problem = ({ code, setting }: Pick<Part, 'code' | 'setting'>): string =>
    setting === undefined ? problemText({ code }, language) : texts.wrongSetting(setting);
  return (data ?? []).map((part) => {
    const { state, lastFailure } = part;
    const found = state === 'ok' || state === 'off' ? texts.partStates[state] : problem(part);
    const failed =
      lastFailure &&
      texts.lastFailure(momentText(new Date(lastFailure.at), now, language), problem(lastFailure));
    return {
      name: texts.parts[part.part],
      isGood: state === 'ok' || state === 'off',
      isDoubtful: lastFailure !== undefined,
      text: [state === 'unknown' ? texts.partUnknown : '', found, failed].filter(Boolean).join(' '),
      ...(outage && { oldSince: dataUpdatedAt }),
    };
  });
}

function useQueueHealth({ data, error, dataUpdatedAt }: StatisticsQuery): PartHealth | undefined {
  const { overview: texts } = useTexts();
  const language = useLanguage();
  if (!data) return undefined;
  const { oldestPendingSeconds, unserved } = data;
  const isGood = oldestPendingSeconds < lateAfterSeconds && unserved === 0;
  const text = isGood
    ? texts.queueHealthy
    : unserved > 0
      ? texts.queueUnserved(unserved)
      : texts.queueLate(duration(oldestPendingSeconds, language));
  return { name: texts.queue, isGood, text, ...(error && { oldSince: dataUpdatedAt }) };
}

function useAgentsHealth(outage: Error | null): PartHealth | undefined {
  const { overview: texts } = useTexts();
  const agents = useAgents({ intervalMs: agentsRefreshMs });
  const textOf = useProblemText();
  if (agents.error) return { name: texts.agents, isGood: false, text: textOf(agents.error) };
  if (!agents.data) return undefined;
  const silent = agents.data.filter(({ state }) => state === 'silent').map(({ id }) => id);
  if (agents.data.length === 0) return { name: texts.agents, isGood: false, text: texts.noAgents };
  const isGood = silent.length === 0;
  return {
    name: texts.agents,
    isGood,
    text: isGood ? texts.agentsHealthy(agents.data.length) : texts.agentsSilent(silent.join(', ')),
    ...(outage && { oldSince: agents.dataUpdatedAt }),
  };
}
