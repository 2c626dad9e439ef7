// `AI_API_KEY=… npm run evaluate-texts` has a real provider write the thirty texts and prints what a careful colleague
// would change. It makes thirty to sixty calls. `--show` also prints the texts.
import { TextProvider } from '../../lib/activities/text/text-provider.ts';
import { parseSettings, SettingsError } from '../../lib/contract/settings-table.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { evaluate, evaluationTable, type Evaluation } from './evaluate.ts';
import { orders } from './orders.ts';

const { AI_API_KEY, AI_BASE_URL, AI_MODEL, AI_API, AI_TIMEOUT_MS, AI_SEND_NAMES } = serviceSettingsTable;
const { part: _onlyActivities, ...keyOfProvider } = AI_API_KEY;

try {
  const { values } = parseSettings(
    { AI_API_KEY: keyOfProvider, AI_BASE_URL, AI_MODEL, AI_API, AI_TIMEOUT_MS, AI_SEND_NAMES },
    process.env,
  );
  const provider = new TextProvider({
    apiKey: values.AI_API_KEY,
    baseUrl: values.AI_BASE_URL,
    model: values.AI_MODEL,
    api: values.AI_API,
    timeoutMs: values.AI_TIMEOUT_MS,
    sendsNames: values.AI_SEND_NAMES,
  });
  const evaluations: Evaluation[] = [];
  for (const order of orders) {
    const evaluation = await evaluate(order, provider, { understands: true });
    evaluations.push(evaluation);
    process.stderr.write(evaluation.faults.length === 0 ? '.' : 'x');
    if (process.argv.includes('--show') && evaluation.text !== null) {
      const { subject, content } = evaluation.text;
      console.log(`\n--- ${order.description}\n${subject}\n\n${content}\n`);
    }
  }
  console.log(
    `\n${values.AI_MODEL} at ${new URL(values.AI_BASE_URL).host}\n\n${evaluationTable(evaluations)}`,
  );
  if (evaluations.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
