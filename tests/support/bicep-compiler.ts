import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket, type AddressInfo } from 'node:net';

interface Response {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: object;
}

interface Diagnostic {
  readonly source: string;
  readonly range: { readonly start: { readonly line: number } };
  readonly level: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Microsoft's compiler, which serves all tests of a file: a start takes two seconds of processor time with its first template,
 * most of it for the types of the resources.
 */
export class BicepCompiler {
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #received = Buffer.alloc(0);

  private constructor(child: ChildProcess, socket: Socket) {
    this.#child = child;
    this.#socket = socket.on('data', (bytes) => this.#receive(bytes));
  }

  /**
   * @param environment the variable ENVIRONMENT, which the parameter file reads when it is compiled
   * @param more further variables
   */
  static async start(
    program: string,
    environment: 'dev' | 'prod',
    more: Readonly<Record<string, string>> = {},
  ): Promise<BicepCompiler> {
    // Only what the parameter files read without a default, so that the variables of this machine change nothing.
    const { PATH, HOME, USERPROFILE, TMPDIR, TEMP } = process.env;
    const env = {
      ...variables,
      ...variablesOf[environment],
      ...more,
      ENVIRONMENT: environment,
      PATH,
      HOME,
      USERPROFILE,
      TMPDIR,
      TEMP,
      // Compiled once for good, not twice: 12 s of processor time for all tests of a file instead of 18 s.
      DOTNET_TieredCompilation: '0',
    };
    // Its standard output would also have what it prints beside the messages.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const child = spawn(program, ['jsonrpc', '--socket', String(port)], { env, stdio: 'ignore' });
    const [socket] = (await once(server, 'connection')) as [Socket];
    server.close();
    return new BicepCompiler(child, socket);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }

  /** What the compiler and its linter report for a parameter file and the templates that it uses, one per line. */
  async reportOf(path: string): Promise<string> {
    const response = await this.#call('compileParams', { path, parameterOverrides: {} });
    const { diagnostics } = response as { diagnostics: readonly Diagnostic[] };
    return diagnostics
      .map(
        ({ source, range, level, code, message }) =>
          `${source}(${range.start.line + 1}) ${level} ${code}: ${message}`,
      )
      .join('\n');
  }

  /** What a template without parameters of its own compiles to, once the compiler and its linter report nothing. */
  async compiled(path: string): Promise<unknown> {
    const { diagnostics, contents } = (await this.#call('compile', { path })) as {
      diagnostics: readonly Diagnostic[];
      contents: string;
    };
    if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
    return JSON.parse(contents);
  }

  /** The resources that a deployment with the parameter file would create, evaluated as far as that is possible offline. */
  async snapshotOf(path: string): Promise<string> {
    const metadata = {
      tenantId: variables.IDP_TENANT_ID,
      subscriptionId: '00000000-0000-0000-0000-000000000002',
    };
    const { snapshot } = (await this.#call('getSnapshot', { path, metadata, externalInputs: [] })) as {
      snapshot: string;
    };
    const sorted = JSON.stringify(
      JSON.parse(snapshot),
      (name, value: unknown) => {
        // The workbook is a file of the repository too.
        if (name === 'serializedData') return 'workbooks/operations.json';
        // In a new order in each run.
        if (name !== 'outputs') return value;
        const outputs = Object.entries(value as object);
        return Object.fromEntries(outputs.toSorted(([one], [other]) => (one < other ? -1 : 1)));
      },
      2,
    );
    return `${sorted}\n`;
  }

  /** Calls a method of the command `bicep jsonrpc`. @throws Error with the message of the compiler */
  async #call(method: string, params: object): Promise<unknown> {
    const id = this.#waiting.size + 1;
    const responded = new Promise<Response>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#socket.once('close', () => reject(new Error(`The Bicep compiler ended during ${method}.`)));
    });
    const text = JSON.stringify({ jsonrpc: '2.0', id, method: `bicep/${method}`, params });
    this.#socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const { result, error } = await responded;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const head = this.#received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const [, length] = /^Content-Length: (\d+)/im.exec(this.#received.toString('latin1', 0, head)) ?? [];
      const end = head + 4 + Number(length);
      if (this.#received.length < end) return;
      const message = JSON.parse(this.#received.toString('utf8', head + 4, end)) as Response;
      this.#received = this.#received.subarray(end);
      this.#waiting.get(message.id)?.(message);
    }
  }
}

const variables = {
  ALERT_EMAIL: 'operations@example.com',
  // What the first phase has deployed, for api.bicepparam.
  API_PARAMETERS: JSON.stringify({
    apiManagementName: 'apim-projektordner-dev-abcdef',
    functionAppName: 'func-projektordner-dev-abcdef',
    keyVaultName: 'kv-projekto-abcdef',
    tenantId: '00000000-0000-0000-0000-000000000001',
    apiClientId: '00000000-0000-0000-0000-00000000000d',
    consoleClientId: '',
    verificationClientId: '00000000-0000-0000-0000-00000000000f',
    frontEndClientIds: '00000000-0000-0000-0000-00000000000c',
    recordsSyncClientIds: '',
    gatewayHostname: '',
    gatewayUploadBoundMiB: 32,
  }),
  DOCLIB_DRIVE_ID: 'b!drive',
  DOCLIB_SITE_ID:
    'contoso.sharepoint.com,00000000-0000-0000-0000-00000000000a,00000000-0000-0000-0000-00000000000b',
  FRONT_END_CLIENT_IDS: '00000000-0000-0000-0000-00000000000c',
  FRONT_END_ORIGINS: 'https://projekte.example.com',
  IDP_API_CLIENT_ID: '00000000-0000-0000-0000-00000000000d',
  IDP_TENANT_ID: '00000000-0000-0000-0000-000000000001',
  PUBLISHER_EMAIL: 'it@example.com',
  VAULT_OFFICER_ID: '00000000-0000-0000-0000-00000000000e',
  // Optional, but part of each environment that is deployed as README.md says.
  VERIFICATION_CLIENT_ID: '00000000-0000-0000-0000-00000000000f',
};

const variablesOf = {
  dev: {},
  prod: { GATEWAY_HOSTNAME: 'projektordner.example.com' },
};
