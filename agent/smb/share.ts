import { type Call, onShare } from './calls/call.ts';
import { explainDfsLink } from './dfs/explain.ts';
import { type CallOptions, FileCalls } from './files/file-calls.ts';
import type { Link } from './session/link.ts';
import { normalPath } from './base/names.ts';
import { SmbError } from './base/smb-error.ts';

/**
 * One share of one server. A path behind a DFS link fails with `DFS_LINK`, and the error names the link's target;
 * `SmbNetwork` follows it.
 */
export class SmbShare extends FileCalls {
  readonly name: string;
  readonly #link: Link;
  /** The folder of the share that paths are relative to; empty for the share itself. */
  readonly #base: string;

  /** Obtained from `SmbClient.share`. */
  constructor(link: Link, name: string, base = '') {
    super();
    if (!/^(?![^]*[\\/:*?"<>|])[ -\uffff]{1,80}$/.test(name)) {
      throw new SmbError('INVALID_ARGUMENT', `${JSON.stringify(name)} is not the name of a share`, {
        operation: 'configure',
      });
    }
    this.#link = link;
    this.name = name;
    this.#base = base;
  }

  /** `\\server\share…` */
  get unc(): string {
    return `\\\\${[this.#link.settings.host, this.name, this.#base].filter(Boolean).join('\\')}`;
  }

  folder(path: string): SmbShare {
    return new SmbShare(this.#link, this.name, this.#onShare(normalPath(path)));
  }

  protected async route<T>(
    operation: string,
    path: string,
    { signal }: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T> {
    try {
      return await onShare(this.#link, this.name, operation, this.#onShare(path), signal, body);
    } catch (error) {
      const isDfs = error instanceof SmbError && error.code === 'DFS_LINK' && error.phase === 'call';
      throw isDfs && error.operation === operation
        ? await explainDfsLink(this.#link, this.name, error)
        : error;
    }
  }

  protected pathBeside(_call: Call, path: string): Promise<string> {
    return Promise.resolve(this.#onShare(path));
  }

  #onShare(path: string): string {
    return this.#base === '' || path === '' ? this.#base + path : `${this.#base}\\${path}`;
  }
}
