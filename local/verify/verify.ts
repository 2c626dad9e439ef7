// `npm run verify -w local -- library|identity|texts|agent [options]`: what the product believes about Graph, Entra ID, the provider
// of texts, and file servers, tried against the real ones. docs/day-one.md describes the options.
import { parseArgs } from 'node:util';
import { AgentFolder, agentRules } from './agent-rules.ts';
import { largeBytes, Library, usualBytes } from './library/library.ts';
import { libraryRules } from './library/rules.ts';
import { identityRules } from './identity-rules.ts';
import { linesOf, summaryOf, writeReport } from './report.ts';
import { type Outcome, probeAll, type Rule, Stopped } from './rule.ts';
import { localTargets } from './local-targets.ts';
import { Plan } from './plan.ts';
import { remoteTargets } from './remote-targets.ts';
import { standInTargets } from './stand-in-targets.ts';
import type { Targets } from './targets.ts';
import { textRules } from './text-rules.ts';

const suites = ['library', 'identity', 'texts', 'agent'] as const;
type Suite = (typeof suites)[number];

const usage = `npm run verify -w local -- ${suites.join('|')} [--local | --plan] [--report FILE] [--large] [--only RULE]

  --local        the stack of a running npm start
  --plan         sends nothing: prints the requests that the suite sends to a stand-in
  --report FILE  writes the outcomes as JSON, without tokens, names, and addresses
  --only RULE    rules whose number starts with this, such as A7
  --large        library: also 5 GiB, and more than one page of files; without it 250 MB

  library        --drive ID, and GRAPH_TOKEN, or --tenant ID --client ID for a sign-in by code; GRAPH_SECOND_TOKEN
                 for a second user
  identity       --tenant ID --api CLIENT_ID, and API_TOKEN, or --client ID; IDP_API_CLIENT_SECRET for the exchange
  texts          the settings AI_… of the service
  agent          the settings FOLDER_AGENT_… of the agent; works in a folder below FOLDER_AGENT_ROOT_PATH`;

const newName = (): string => `_verify-${crypto.randomUUID().slice(0, 8)}`;

async function outcomesOf(suite: Suite, targets: Targets, only: string): Promise<Outcome[]> {
  const show = (outcome: Outcome) => console.log(linesOf(outcome));
  const chosen = <Target>(rules: readonly Rule<Target>[]) => rules.filter(({ id }) => id.startsWith(only));
  switch (suite) {
    case 'library': {
      const library = await Library.create(await targets.library(), newName());
      try {
        return await probeAll(chosen(libraryRules), library, show);
      } finally {
        if (!(await library.remove()))
          console.log(`The folder ${library.folderName} could not be removed; delete it.`);
      }
    }
    case 'identity':
      return probeAll(chosen(identityRules), await targets.identity(), show);
    case 'texts':
      return probeAll(chosen(textRules), await targets.texts(), show);
    case 'agent': {
      await using target = await targets.agent();
      const folder = await AgentFolder.create(target, newName());
      try {
        return await probeAll(chosen(agentRules), folder, show);
      } finally {
        await folder.remove();
      }
    }
    default:
      return suite satisfies never;
  }
}

try {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      local: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      report: { type: 'string' },
      only: { type: 'string', default: '' },
      drive: { type: 'string' },
      tenant: { type: 'string' },
      client: { type: 'string' },
      api: { type: 'string' },
    },
  });
  const [name] = positionals;
  const suite = suites.find((each) => each === name);
  if (suite === undefined || positionals.length > 1) throw new Error(usage);
  if (options.plan) {
    if (suite === 'agent')
      throw new Error(
        'The agent suite makes one folder _verify-… below FOLDER_AGENT_ROOT_PATH with six files, and removes it.',
      );
    const plan = new Plan();
    await using standIns = await standInTargets({
      largestBytes: options.large ? largeBytes : usualBytes,
      onRequest: plan.add,
    });
    const print = console.log;
    console.log = () => undefined;
    await outcomesOf(suite, { ...standIns, agent: () => Promise.reject(new Error()) }, options.only);
    console.log = print;
    console.log(plan.text);
  } else {
    const targets = options.local ? await localTargets() : remoteTargets(options, process.env);
    const outcomes = await outcomesOf(suite, targets, options.only);
    console.log(`\n${summaryOf(outcomes)}`);
    if (options.report !== undefined) await writeReport(options.report, suite, outcomes, new Date());
    if (outcomes.some(({ holds }) => holds === false)) process.exitCode = 1;
  }
} catch (error) {
  console.error(
    error instanceof Stopped ? `Stopped: ${error.message}` : error instanceof Error ? error.message : error,
  );
  process.exitCode = 2;
}
