// `npm run verify -w tools -- library|identity|texts|agent [options]`: what the product believes about Graph, Entra ID, the provider
// of texts, and file servers, tried against the real ones. docs/day-one.md describes the options.
import { parseArgs } from 'node:util';
import { interruption } from './interruption.ts';
import { largeBytes, Library, usualBytes } from './library/library.ts';
import type { Leftovers } from './library/leftovers.ts';
import { libraryRules } from './library/rules.ts';
import { identityRules, requireProvider } from './identity-rules.ts';
import { exitCodeOf, linesOf, summaryOf, writeReport } from './report.ts';
import { type Outcome, probeAll, reasonOf, type Rule, type Run, Stopped } from './rule.ts';
import { localTargets } from './local-targets.ts';
import { Plan } from './plan.ts';
import { signInFlags, signInUsage } from './people.ts';
import type { Targets } from './targets.ts';

const suites = ['library', 'identity', 'texts', 'agent'] as const;
type Suite = (typeof suites)[number];

const usage = `npm run verify -w tools -- ${suites.join('|')} [--local | --plan] [--report FILE] [--large] [--only RULE]

  --local        the stack of a running npm start
  --plan         sends nothing: prints the requests that the suite sends to a stand-in
  --report FILE  writes the outcomes as JSON, without tokens, names, and addresses
  --only RULE    rules whose number starts with this, such as A7
  --large        library: also 5 GiB, and more than one page of files; without it 250 MB

  library        --drive ID; --second for a second user, who signs in too
  identity       IDP_API_CLIENT_SECRET for the exchange
  texts          the settings AI_… of the service
  agent          the settings FOLDER_AGENT_… of the agent; works in a folder below FOLDER_AGENT_ROOT_PATH

${signInUsage}
A pipeline, where nobody can sign in, sets GRAPH_TOKEN, GRAPH_SECOND_TOKEN, or API_TOKEN instead.`;

// What only some runs need is imported there: it takes more than half of the time of a start.
const newName = (): string => `_verify-${crypto.randomUUID().slice(0, 8)}`;

async function run(suite: Suite, targets: Targets, only: string, signal?: AbortSignal): Promise<Run> {
  const onOutcome = (outcome: Outcome) => console.log(linesOf(outcome));
  const probing = { onOutcome, ...(signal && { signal }) };
  const chosen = <Target>(rules: readonly Rule<Target>[]) => rules.filter(({ id }) => id.startsWith(only));
  switch (suite) {
    case 'library': {
      const library = await Library.create(await targets.library(), newName());
      const requireTarget = () => library.requireFolder();
      try {
        return await probeAll(chosen(libraryRules), library, { ...probing, requireTarget });
      } finally {
        await library.remove();
        showLeftovers(library.leftovers);
      }
    }
    case 'identity': {
      const target = await targets.identity();
      const requireTarget = () => requireProvider(target);
      return probeAll(chosen(identityRules), target, { ...probing, requireTarget });
    }
    case 'texts': {
      const { requireTextProvider, textRules } = await import('./text-rules.ts');
      const target = await targets.texts();
      const requireTarget = () => requireTextProvider(target);
      return probeAll(chosen(textRules), target, { ...probing, requireTarget });
    }
    case 'agent': {
      const { AgentFolder, agentRules } = await import('./agent-rules.ts');
      await using target = await targets.agent();
      const folder = await AgentFolder.create(target, newName());
      const requireTarget = () => folder.requireFolder();
      try {
        return await probeAll(chosen(agentRules), folder, { ...probing, requireTarget });
      } finally {
        await folder.remove();
        showLeftovers(folder.leftovers);
      }
    }
    default:
      return suite satisfies never;
  }
}

function showLeftovers({ removed, left }: Leftovers): void {
  for (const name of removed) console.log(`Removed ${name}, which an interrupted run had left.`);
  for (const name of left) console.log(`Not removed: ${name}.`);
}

try {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      local: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      second: { type: 'boolean', default: false },
      report: { type: 'string' },
      only: { type: 'string', default: '' },
      drive: { type: 'string' },
      help: { type: 'boolean', default: false },
      ...signInFlags,
    },
  });
  if (options.help) {
    console.log(usage);
    process.exit();
  }
  const [name] = positionals;
  const suite = suites.find((each) => each === name);
  if (suite === undefined || positionals.length > 1) throw new Error(usage);
  if (options.plan) {
    if (suite === 'agent')
      throw new Error(
        'The agent suite makes one folder _verify-… below FOLDER_AGENT_ROOT_PATH with seven files, and removes it.',
      );
    const { standInTargets } = await import('./stand-in-targets.ts');
    const plan = new Plan();
    await using standIns = await standInTargets({
      largestBytes: options.large ? largeBytes : usualBytes,
      onRequest: plan.add,
    });
    const print = console.log;
    console.log = () => undefined;
    await run(suite, { ...standIns, agent: () => Promise.reject(new Error()) }, options.only);
    console.log = print;
    console.log(plan.text);
  } else {
    const signal = interruption();
    try {
      const targets = options.local
        ? await localTargets(signal)
        : (await import('./remote-targets.ts')).remoteTargets(options, process.env, signal);
      const result = await run(suite, targets, options.only, signal);
      console.log(`\n${summaryOf(result)}`);
      if (options.report !== undefined) await writeReport(options.report, suite, result, new Date());
      process.exitCode = exitCodeOf(result);
    } catch (error) {
      // Before the first rule.
      if (!signal.aborted) throw error;
      throw new Stopped(reasonOf(error, signal));
    }
  }
} catch (error) {
  console.error(
    error instanceof Stopped ? `Stopped: ${error.message}` : error instanceof Error ? error.message : error,
  );
  process.exitCode = 2;
}
