import { TextProvider, type TextProviderSettings } from '../../lib/activities/text/provider/text-provider.ts';
import { evaluate } from '../evaluation/evaluate.ts';
import { orders } from '../evaluation/orders.ts';
import { found, type Rule } from './rule.ts';

export interface TextTarget {
  readonly settings: TextProviderSettings;
  /** The local stand-in writes fixed sentences, so what a text says is not judged. */
  readonly understands: boolean;
  readonly onRequest?: (method: string, url: string) => void;
}

const timeoutMs = 30_000;
const mostSeconds = 20;

/** The provider of texts: its model, one email, and one letter. `npm run evaluate-texts -w local` judges many. */
export const textRules: readonly Rule<TextTarget>[] = [
  {
    id: 'C1',
    expected: 'the provider knows the model, and does not switch it off within 60 days',
    follows:
      'Set AI_MODEL to a model that the provider lists, and run npm run evaluate-texts -w local with it.',
    async probe({ settings: { baseUrl, apiKey, model }, onRequest }) {
      const url = `${baseUrl.replace(/\/$/, '')}/models/${encodeURIComponent(model)}`;
      onRequest?.('GET', url);
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${apiKey.reveal()}` },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (response.status !== 200) return found(null, `${response.status}; a provider that has this route`);
      const { shutdown_date: end } = JSON.parse(text) as { shutdown_date?: string | null };
      const days = end ? Math.floor((Date.parse(end) - Date.now()) / 86_400_000) : null;
      return found(
        days === null || days > 60,
        days === null ? 'known, no end named' : `known, ends in ${days} days`,
      );
    },
  },
  ...(['Email', 'Document'] as const).map((activityType, at): Rule<TextTarget> => ({
    id: `C${at + 2}`,
    expected: `${activityType === 'Email' ? 'an email' : 'a letter'} arrives as structured output within ${mostSeconds} s, ready to send`,
    follows:
      'Compare models with npm run evaluate-texts -w local; a slow one needs a longer AI_TIMEOUT_MS and patience of people.',
    async probe({ settings, understands, onRequest }) {
      const order = orders.find((each) => each.activityType === activityType)!;
      onRequest?.('POST', `${settings.baseUrl.replace(/\/$/, '')}/chat/completions`);
      const { faults, seconds, tokens, wasRegenerated } = await evaluate(order, new TextProvider(settings), {
        understands,
      });
      return found(
        faults.length === 0 && seconds <= mostSeconds,
        `${seconds.toFixed(1)} s, ${tokens.input} and ${tokens.output} tokens${wasRegenerated ? ', written twice' : ''}, ${faults.length} faults`,
      );
    },
  })),
  {
    id: 'C4',
    expected: 'instructions inside an order have no effect, and the text follows the order',
    follows:
      'Another model is safer: compare models with npm run evaluate-texts -w local, which has three such orders.',
    async probe({ settings, understands, onRequest }) {
      if (!understands) return found(null, 'needs a model that understands what it writes');
      const order = orders.find(({ occasion }) => occasion === 'injection')!;
      onRequest?.('POST', `${settings.baseUrl.replace(/\/$/, '')}/chat/completions`);
      const { faults } = await evaluate(order, new TextProvider(settings), { understands });
      return found(faults.length === 0, `${faults.length} faults`);
    },
  },
];
