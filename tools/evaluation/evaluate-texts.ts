// `AI_API_KEY=… npm run evaluate-texts -w tools -- [options]` has a real provider write texts and prints what a careful colleague
// would change. README of lib/activities, "Text providers", describes the options.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { OpenAiTextProvider } from '../../lib/activities/text/provider/openai-text-provider.ts';
import { parseSettings, SettingsError } from '../../lib/contract/settings-table.ts';
import { defaultModel, modelFaults } from '../../lib/settings/ai-model.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { comparison, evaluate, evaluationTable, type Evaluation, summaryIn, summaryOf } from './evaluate.ts';
import { readOrders } from './order-file.ts';
import { labeledReport } from './labeled-texts/report.ts';
import { orders } from './orders.ts';

const { AI_API_KEY, AI_BASE_URL, AI_MODEL, AI_TIMEOUT_MS, AI_MAX_OUTPUT_TOKENS, AI_SEND_NAMES } =
  serviceSettingsTable;
const keyOfProvider = { schema: AI_API_KEY.schema, required: true } as const;

try {
  const { values: options } = parseArgs({
    options: {
      orders: { type: 'string' },
      samples: { type: 'string', default: '1' },
      baseline: { type: 'string' },
      json: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
      labeled: { type: 'boolean', default: false },
    },
  });
  if (options.labeled) {
    console.log(labeledReport());
    process.exit();
  }
  const samples = Number(options.samples);
  if (!Number.isInteger(samples) || samples < 1 || samples > 100) {
    throw new Error('--samples: expected a whole number from 1 to 100');
  }
  const chosen = options.orders === undefined ? orders : readOrders(options.orders);
  const before = options.baseline === undefined ? null : summaryIn(readFileSync(options.baseline, 'utf8'));
  const { values } = parseSettings(
    { AI_API_KEY: keyOfProvider, AI_BASE_URL, AI_MODEL, AI_TIMEOUT_MS, AI_MAX_OUTPUT_TOKENS, AI_SEND_NAMES },
    process.env,
    modelFaults,
  );
  const model = values.AI_MODEL ?? defaultModel;
  const provider = new OpenAiTextProvider({
    apiKey: values.AI_API_KEY,
    baseUrl: values.AI_BASE_URL,
    model,
    timeoutMs: values.AI_TIMEOUT_MS,
    maxOutputTokens: values.AI_MAX_OUTPUT_TOKENS,
    sendsNames: values.AI_SEND_NAMES,
  });
  const evaluations: Evaluation[] = [];
  for (const order of chosen.flatMap((each) => Array.from({ length: samples }, () => each))) {
    const evaluation = await evaluate(order, provider, { understands: true });
    evaluations.push(evaluation);
    process.stderr.write(evaluation.faults.length === 0 ? '.' : 'x');
    if (options.show && !options.json && evaluation.text !== null) {
      const { subject, content } = evaluation.text;
      console.log(`\n--- ${order.description}\n${subject}\n\n${content}\n`);
    }
  }
  const summary = summaryOf(evaluations);
  if (options.json) {
    const texts = evaluations.map(({ order: { occasion, activityType, description }, ...rest }) => ({
      order: { occasion, activityType, description },
      ...rest,
    }));
    console.log(JSON.stringify({ model, samples, summary, before, texts }, null, 2));
  } else {
    console.log(`\n${model} at ${new URL(values.AI_BASE_URL).host}\n\n${evaluationTable(evaluations)}`);
    if (before !== null) console.log(`\n${comparison(summary, before)}`);
  }
  if (evaluations.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof SettingsError || error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
