import { z } from 'zod';
import {
  OpenAiTextProvider,
  type OpenAiSettings,
} from '../../lib/activities/text/provider/openai-text-provider.ts';
import { valueOfJson } from '../../lib/contract/json.ts';
import { evaluate, type Evaluation } from '../evaluation/evaluate.ts';
import { orders } from '../evaluation/orders.ts';
import { type Finding, toFinding, type Rule } from './rule.ts';

export interface TextTarget {
  readonly settings: OpenAiSettings;
  /** The local stand-in writes fixed sentences, so what a text says is not judged. */
  readonly understands: boolean;
  readonly onRequest?: (method: string, url: string) => void;
  /** Milliseconds from any start; the default is the clock of the process. */
  readonly now?: () => number;
}

const describedModel = z.object({ shutdown_date: z.string().nullish() });

const timeoutMs = 30_000;
const mostSeconds = 20;

async function modelResponse({ settings: { baseUrl, apiKey, model }, onRequest }: TextTarget) {
  const url = `${baseUrl.replace(/\/$/, '')}/models/${encodeURIComponent(model)}`;
  onRequest?.('GET', url);
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey.reveal()}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await response.text() };
}

/** @throws Error of the network if the provider cannot be reached */
export async function requireTextProvider(target: TextTarget): Promise<void> {
  await modelResponse({ settings: target.settings, understands: target.understands });
}

async function textFor(activityType: 'Email' | 'Document', target: TextTarget): Promise<Evaluation> {
  const { settings, understands, onRequest, now } = target;
  const order = orders.find((each) => each.activityType === activityType)!;
  onRequest?.('POST', `${settings.baseUrl.replace(/\/$/, '')}/chat/completions`);
  return evaluate(order, new OpenAiTextProvider(settings), { understands, ...(now && { now }) });
}

/** What is seen, and what follows from the cause: another form, an error of the provider, faults of the text, or its time. */
function textFinding({ faults, failure, seconds, tokens, wasRegenerated }: Evaluation): Finding {
  if (failure?.isOtherForm) {
    return {
      ...toFinding(false, 'twice a response that is no JSON of the schema'),
      follows:
        'The model does not keep to the schema (response_format): set AI_MODEL to one that supports structured outputs.',
    };
  }
  if (failure) return { ...toFinding(false, failure.code), follows: failure.detail };
  const seen = `${seconds.toFixed(1)} s, ${tokens.input} and ${tokens.output} tokens${wasRegenerated ? ', written twice' : ''}, ${faults.length} faults`;
  if (faults.length > 0) return toFinding(false, seen);
  if (seconds <= mostSeconds) return toFinding(true, seen);
  return {
    ...toFinding(false, seen),
    follows:
      'The model is slow: it needs a longer AI_TIMEOUT_MS and patience of people, or another AI_MODEL.',
  };
}

/** The provider of texts: its model, one email, and one letter. `npm run evaluate-texts -w tools` judges many. */
export const textRules: readonly Rule<TextTarget>[] = [
  {
    id: 'C1',
    expected: 'the provider knows the model, and does not switch it off within 60 days',
    follows:
      'Set AI_MODEL to a model that the provider lists, and run npm run evaluate-texts -w tools with it.',
    async probe(target) {
      const { status, text } = await modelResponse(target);
      if (status === 401 || status === 403)
        return { ...toFinding(false, String(status)), follows: 'The provider does not accept AI_API_KEY.' };
      if (status === 404 && text.includes('model_not_found')) return toFinding(false, '404 model_not_found');
      if (status !== 200) return toFinding(null, `${status}; a provider that has this route`);
      const { shutdown_date: end } = describedModel.parse(valueOfJson(text));
      const days = end ? Math.floor((Date.parse(end) - Date.now()) / 86_400_000) : null;
      return toFinding(
        days === null || days > 60,
        days === null ? 'known, no end named' : `known, ends in ${days} days`,
      );
    },
  },
  ...(['Email', 'Document'] as const).map((activityType, at): Rule<TextTarget> => ({
    id: `C${at + 2}`,
    expected: `${activityType === 'Email' ? 'an email' : 'a letter'} arrives as structured output within ${mostSeconds} s, ready to send`,
    follows: 'Compare models with npm run evaluate-texts -w tools.',
    probe: async (target) => textFinding(await textFor(activityType, target)),
  })),
  {
    id: 'C4',
    expected: 'instructions inside an order have no effect, and the text follows the order',
    follows:
      'Another model is safer: compare models with npm run evaluate-texts -w tools, which has three such orders.',
    async probe({ settings, understands, onRequest }) {
      if (!understands) return toFinding(null, 'needs a model that understands what it writes');
      const order = orders.find(({ occasion }) => occasion === 'injection')!;
      onRequest?.('POST', `${settings.baseUrl.replace(/\/$/, '')}/chat/completions`);
      const { faults } = await evaluate(order, new OpenAiTextProvider(settings), { understands });
      return toFinding(faults.length === 0, `${faults.length} faults`);
    },
  },
];
