// `npm run accept -- --base-url https://<gateway>`: uses a deployment as a front end and an agent do, and removes what it
// has made. docs/day-one.md describes the options.
import { appendFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { GraphUser } from '../verify/graph.ts';
import { interruption } from '../verify/interruption.ts';
import { runningStack } from '../verify/local-targets.ts';
import { People, signInFlags, signInUsage } from '../verify/people.ts';
import { accept, headlineOf, lineOf, markdownOf, type Target } from './acceptance.ts';
import { localTarget, removalBy, world } from './targets.ts';
import { steps } from './steps.ts';

const usage = `npm run accept -- --base-url URL | --local [--plan] [--summary FILE]

  --base-url URL     of the gateway, or of the service
  --local            the stack of a running npm start
  --plan             sends nothing: prints the requests of each step
  --summary FILE     appends a table in Markdown, for example to $GITHUB_STEP_SUMMARY
  --service-url URL  the service's own address, which must let nobody in who comes without the gateway
  --no-gateway       --base-url is the service's own address
  --drive ID         of the library, to remove folders and letters at the end
  --no-role          a user without a role signs in, too

${signInUsage}
Without --client, and in a pipeline, the steps that need a user are skipped, unless ACCEPT_TOKEN, ACCEPT_NO_ROLE_TOKEN, and
GRAPH_TOKEN have tokens. The user has the roles Administrator and canCreateActivities.`;

const graphRoot = 'https://graph.microsoft.com/v1.0';

try {
  const { values: options } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      'service-url': { type: 'string' },
      local: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      'no-gateway': { type: 'boolean', default: false },
      'no-role': { type: 'boolean', default: false },
      summary: { type: 'string' },
      drive: { type: 'string' },
      help: { type: 'boolean', default: false },
      ...signInFlags,
    },
  });
  if (options.help) {
    console.log(usage);
  } else if (options.plan) {
    for (const { title, needs, requests } of steps) {
      console.log(`${title}${needs === undefined ? '' : ` (as ${needs})`}`);
      for (const request of requests) console.log(`  ${request}`);
    }
  } else {
    if ((options['base-url'] === undefined) === !options.local) throw new Error(usage);
    const signal = interruption();
    const target = {
      ...(options.local ? await localTarget(await runningStack()) : await remoteTarget(options)),
      signal,
    };
    const run = await accept(steps, target, (outcome) => console.log(lineOf(outcome)));
    console.log(`\n${headlineOf(run)}`);
    if (options.summary !== undefined) await appendFile(options.summary, markdownOf(run));
    if (run.outcomes.some(({ result }) => result === 'FAILED')) process.exitCode = 1;
    if (run.stopped) process.exitCode = 2;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

interface RemoteOptions {
  readonly 'base-url'?: string | undefined;
  readonly 'service-url'?: string | undefined;
  readonly 'no-gateway': boolean;
  readonly 'no-role': boolean;
  readonly drive?: string | undefined;
  readonly tenant?: string | undefined;
  readonly client?: string | undefined;
  readonly api?: string | undefined;
}

/** People sign in here, before the first step. */
async function remoteTarget(options: RemoteOptions): Promise<Target> {
  const { env } = process;
  const people = new People(options, env);
  const canHave = (variable: string) => people.canSignIn || (env[variable] ?? '') !== '';
  const user = canHave('ACCEPT_TOKEN') ? people.apiToken('ACCEPT_TOKEN') : undefined;
  const hasNoRole = options['no-role'] || (env['ACCEPT_NO_ROLE_TOKEN'] ?? '') !== '';
  const noRole = hasNoRole ? people.apiToken('ACCEPT_NO_ROLE_TOKEN', 'The user without a role') : undefined;
  await user?.();
  await noRole?.();
  const graph = canHave('GRAPH_TOKEN')
    ? new GraphUser(graphRoot, people.graphToken('GRAPH_TOKEN'))
    : undefined;
  return {
    ...world,
    baseUrl: withoutSlash(options['base-url']) ?? '',
    serviceUrl: withoutSlash(options['service-url']),
    credentials: { ...(user && { user, author: user }), ...(noRole && { noRole }) },
    hasGateway: !options['no-gateway'],
    ...(graph &&
      options.drive !== undefined && {
        removeItem: removalBy(graph, graph, options.drive),
      }),
  };
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}
