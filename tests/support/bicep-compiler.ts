import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../local/repository-root.ts';

/** A copy of bicep/, because the compiler writes next to what it reads. */
export class BicepFolder {
  readonly #compiler: string;
  readonly path: string;

  private constructor(compiler: string, path: string) {
    this.#compiler = compiler;
    this.path = path;
  }

  static async copyTo(path: string, compiler: string): Promise<BicepFolder> {
    await cp(join(repositoryRoot, 'bicep'), path, { recursive: true });
    return new BicepFolder(compiler, path);
  }

  async change(file: string, right: string, wrong: string): Promise<void> {
    const text = await readFile(join(this.path, file), 'utf8');
    if (!text.includes(right)) throw new Error(`${file} does not contain ${right}`);
    await writeFile(join(this.path, file), text.replace(right, wrong));
  }

  /** Runs the compiler and returns what it reports: errors, and warnings, which don't change its exit code. */
  async reportOf(command: string, file: string, ...options: string[]): Promise<string> {
    // Only what the parameter files read without a default, so that the variables of this machine change nothing.
    const { PATH, HOME, USERPROFILE, TMPDIR, TEMP } = process.env;
    const env = { ...variables, PATH, HOME, USERPROFILE, TMPDIR, TEMP };
    try {
      const run = promisify(execFile)(this.#compiler, [command, file, ...options], {
        cwd: this.path,
        env,
        maxBuffer: 64 * 1024 * 1024,
      });
      return (await run).stderr.trim();
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string };
      return stderr.trim() || message;
    }
  }

  /** The resources that a deployment with the parameter file would create, evaluated as far as that is possible offline. */
  async snapshotOf(environment: string): Promise<{ report: string; snapshot: string }> {
    const report = await this.reportOf(
      'snapshot',
      `main.${environment}.bicepparam`,
      '--tenant-id',
      variables.IDP_TENANT_ID,
      '--subscription-id',
      '00000000-0000-0000-0000-000000000002',
    );
    const text = await readFile(join(this.path, `main.${environment}.snapshot.json`), 'utf8').catch(
      () => '{}',
    );
    const snapshot = JSON.stringify(
      JSON.parse(text),
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
    return { report, snapshot: `${snapshot}\n` };
  }
}

const variables = {
  ALERT_EMAIL: 'operations@example.com',
  API_MANAGEMENT_NAME: 'apim-projektordner-dev-abcdef',
  DOCLIB_DRIVE_ID: 'b!drive',
  DOCLIB_SITE_ID:
    'contoso.sharepoint.com,00000000-0000-0000-0000-00000000000a,00000000-0000-0000-0000-00000000000b',
  FRONT_END_CLIENT_IDS: '00000000-0000-0000-0000-00000000000c',
  FRONT_END_ORIGINS: 'https://projekte.example.com',
  FUNCTION_APP_NAME: 'func-projektordner-dev-abcdef',
  IDP_API_CLIENT_ID: '00000000-0000-0000-0000-00000000000d',
  IDP_TENANT_ID: '00000000-0000-0000-0000-000000000001',
  KEY_VAULT_NAME: 'kv-projekto-abcdef',
  PUBLISHER_EMAIL: 'it@example.com',
  VAULT_OFFICER_ID: '00000000-0000-0000-0000-00000000000e',
  // Optional, but part of each environment that is deployed as README.md says.
  VERIFICATION_CLIENT_ID: '00000000-0000-0000-0000-00000000000f',
};
