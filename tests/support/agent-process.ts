import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { type AgentOptions, type OnSignal, runAgent } from '../../agent/run-agent.ts';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { agentProgram } from './built-agent.ts';
import type { FakeFolderService } from './fake-folder-service.ts';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [fact: string]: unknown;
}

/** AGENT_COMMAND is another build of the agent; by default, the bundle on this Node. */
const command = (): string[] =>
  process.env['AGENT_COMMAND']?.split(' ') ?? [process.execPath, agentProgram()];

/** An agent that runs, and what it has printed so far. */
abstract class RunningAgent {
  output = '';
  readonly #watchers = new Set<() => void>();

  /** The exit code. */
  abstract readonly ended: Promise<number>;
  protected abstract readonly hasEnded: boolean;
  abstract signal(signal: NodeJS.Signals): void;
  /** Ends the agent immediately. */
  abstract stop(): Promise<void>;

  get lines(): LogLine[] {
    return this.output
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []));
  }

  /** Resolves when the output contains `text`; throws with the output if the agent exits first. */
  async says(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      if (this.hasEnded) throw new Error(`the agent ended without printing "${text}":\n${this.output}`);
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  /** Adds to the output, and tells those who wait for it or for the end. */
  protected print(text: string): void {
    this.output += text;
    for (const watcher of this.#watchers) watcher();
  }
}

/** The agent as operators run it: a process with environment variables, signals and output. */
export class AgentProcess extends RunningAgent {
  readonly child: ChildProcess;
  /** The exit code; -1 if a signal killed it. */
  readonly ended: Promise<number>;

  /** @param machine the program and arguments that run the command after them, as the same process, on another machine */
  constructor(
    env: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    machine: readonly string[] = [],
  ) {
    super();
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const [program = '', ...words] = [...machine, ...command(), ...args];
    this.child = spawn(program, words, {
      env: { PATH, NODE_COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.print(text));
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      this.print('');
      return (code as number | null) ?? -Number(signal !== null);
    });
  }

  protected get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** The agent in this process, for what a process of its own, 0.12 s of processor time, does not show. */
export class AgentHere extends RunningAgent {
  readonly ended: Promise<number>;
  protected hasEnded = false;
  #onSignal: OnSignal = () => undefined;

  constructor(env: Readonly<Record<string, string>>, options: AgentOptions = {}) {
    super();
    const output = { write: (text: string) => this.print(text), isTerminal: false };
    const listen = (onSignal: OnSignal) => void (this.#onSignal = onSignal);
    this.ended = runAgent(readAgentSettings(env, hostname()), options, output, listen).finally(() => {
      this.hasEnded = true;
      this.print('');
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#onSignal(signal);
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    this.signal('SIGTERM');
    await this.ended;
  }
}

/** Settings for the fake service and Samba; the template is the share `template`, the root the share `projects`. */
export function agentEnv(
  service: Pick<FakeFolderService, 'url' | 'key'>,
  fileServer: Pick<TestFileServer, 'port' | 'account'> & { readonly host: string },
  changed: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    FOLDER_AGENT_API_BASE_URL: service.url,
    FOLDER_AGENT_API_KEY: service.key,
    FOLDER_AGENT_SMB_SERVER: fileServer.host,
    FOLDER_AGENT_SMB_PORT: String(fileServer.port),
    FOLDER_AGENT_SMB_USERNAME: fileServer.account.user,
    FOLDER_AGENT_SMB_PASSWORD: fileServer.account.password,
    FOLDER_AGENT_SMB_DOMAIN: fileServer.account.domain,
    FOLDER_AGENT_TEMPLATE_PATH: `\\\\${fileServer.host}\\template`,
    FOLDER_AGENT_ROOT_PATH: `\\\\${fileServer.host}\\projects`,
    FOLDER_AGENT_AGENT_ID: 'test-agent',
    FOLDER_AGENT_POLL_INTERVAL_MS: '50',
    FOLDER_AGENT_MAX_BACKOFF_MS: '200',
    ...changed,
  };
}
