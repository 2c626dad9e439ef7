import { randomBytes } from 'node:crypto';
import type { FileServer } from '../../agent/copy/file-server.ts';
import type { ShareFolder } from '../../agent/base/share-folder.ts';
import { type CheckLine } from '../../agent/check.ts';
import { SmbError, type SmbFolder } from '../../agent/smb/index.ts';
import { type Leftovers, markerName, markerOf } from './library/leftovers.ts';
import { toFinding, type Rule, Stopped } from './rule.ts';

export interface AgentTarget {
  /** What `--check` finds with the agent's settings. */
  readonly checked: () => Promise<readonly CheckLine[]>;
  readonly fileServer: FileServer;
  /** Where the probes make their own folder: the agent's root, or one of its allowed roots. */
  readonly root: ShareFolder;
}

const nameForm = /^_verify-[0-9a-f]{8}$/;
/** In 100 ns, as the file server counts. A run takes minutes. */
const runTicks = 60n * 60n * 10_000_000n;

/** A folder of this run on the file server. */
export class AgentFolder {
  readonly target: AgentTarget;
  readonly share: SmbFolder;
  readonly path: string;
  readonly leftovers: Leftovers = { removed: [], left: [] };

  private constructor(target: AgentTarget, share: SmbFolder, path: string) {
    this.target = target;
    this.share = share;
    this.path = path;
  }

  /** Removes what interrupted runs have left, too. @throws Stopped if it cannot be created, or exists */
  static async create(target: AgentTarget, name: string): Promise<AgentFolder> {
    const root = target.fileServer.folder(target.root);
    try {
      await root.mkdir(name);
    } catch (error) {
      if (codeOf(error) === 'EEXIST')
        throw new Stopped(`The folder ${name} exists already; nothing was changed.`);
      throw new Stopped(
        `The folder ${name} could not be created (${codeOf(error)}): run folder-agent --check first.`,
      );
    }
    const folder = new AgentFolder(target, root, name);
    try {
      await root.writeFile(folder.at(markerName), markerOf(name));
      await folder.#removeLeftovers();
    } catch (error) {
      await folder.remove();
      throw error;
    }
    return folder;
  }

  at(name: string): string {
    return `${this.path}\\${name}`;
  }

  /** @throws Stopped if the folder, or the server, is gone */
  async requireFolder(): Promise<void> {
    try {
      await this.share.stat(this.path);
    } catch (error) {
      throw new Stopped(`the folder of this run cannot be reached (${codeOf(error)})`);
    }
  }

  async remove(): Promise<void> {
    try {
      await this.share.rm(this.path, { recursive: true, force: true });
    } catch (error) {
      this.leftovers.left.push(`${this.path} on the file server (${codeOf(error)})`);
    }
  }

  /**
   * Two witnesses, as in a library: the form of the name, and the marker or an empty folder; and it is an hour old by the clock of
   * the server.
   */
  async #removeLeftovers(): Promise<void> {
    const { createdAt: now } = await this.share.stat(this.path);
    const entries = await this.share.list('');
    const folders = entries.filter((entry) => entry.isDirectory() && nameForm.test(entry.name));
    for (const { name, createdAt } of folders) {
      if (name === this.path) continue;
      if (now - createdAt > runTicks && (await this.#hasWitness(name))) {
        await this.share.rm(name, { recursive: true });
        this.leftovers.removed.push(name);
      } else {
        this.leftovers.left.push(`${name}, which may belong to a run that goes on, or to somebody else`);
      }
    }
  }

  async #hasWitness(name: string): Promise<boolean> {
    const entries = await this.share.list(name);
    if (entries.length === 0) return true;
    if (!entries.some((entry) => entry.name === markerName)) return false;
    return (await this.share.readFile(`${name}\\${markerName}`)).toString() === markerOf(name);
  }
}

const codeOf = (error: unknown): string => (error instanceof SmbError ? error.code : 'unexpected error');

const fails = async (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: unknown) => codeOf(error),
  );

/** What the agent relies on at a file server; the README of the SMB client says how. */
export const agentRules: readonly Rule<AgentFolder>[] = [
  {
    id: 'D1',
    expected: 'folder-agent --check finds nothing wrong',
    follows: 'Run folder-agent --check: its lines name the settings, which a report must not.',
    async probe({ target }) {
      const lines = await target.checked();
      const failed = lines
        .filter(({ result }) => result === 'failed' || result === 'skipped')
        .map(({ what }) => what);
      return toFinding(
        failed.length === 0,
        failed.length === 0 ? `${lines.length} lines` : `not ok: ${failed.join(', ')}`,
      );
    },
  },
  {
    id: 'D2',
    expected: 'SMB 3 with encryption',
    follows:
      'Set FOLDER_AGENT_SMB_ENCRYPTION=required where the server supports it, so that no copy is readable on the network.',
    async probe({ target }) {
      const { dialect, mechanism, signing, cipher } = await target.fileServer.connect();
      const seen = `SMB ${dialect}, ${mechanism}, signed with ${signing}, ${cipher ? `encrypted with ${cipher}` : 'not encrypted'}`;
      return toFinding(dialect.startsWith('3') && Boolean(cipher), seen);
    },
  },
  {
    id: 'D3',
    expected: 'with Kerberos, the clocks agree within a minute',
    follows:
      'Correct the clock of this machine or of the domain controller; tickets fail from five minutes on.',
    async probe({ target }) {
      const realm = target.fileServer.realmStatus();
      if (realm === undefined) return toFinding(null, 'needs FOLDER_AGENT_SMB_REALM');
      const { encryptionType, clockDifferenceMs } = await realm;
      const seconds = Math.round(Math.abs(clockDifferenceMs) / 1000);
      return toFinding(seconds <= 60, `ticket with ${encryptionType}, ${seconds} s`);
    },
  },
  {
    id: 'D4',
    expected: 'a directory that exists is reported as existing, in any case of its name',
    follows: 'Two requests for the same directory would fail instead of sharing it: tell the maintainers.',
    async probe(folder) {
      await folder.share.mkdir(folder.at('Maße'));
      const second = await fails(folder.share.mkdir(folder.at('MAßE')));
      return toFinding(second === 'EEXIST', second ?? 'created twice');
    },
  },
  {
    id: 'D5',
    expected: 'a file is published by a rename, which never replaces a file that exists',
    follows: 'Files that exist could be replaced: tell the maintainers.',
    async probe(folder) {
      const publish = (text: string) => folder.share.publish(folder.at('Umbenannt.txt'), Buffer.from(text));
      const outcomes = [await publish('eins'), await publish('zwei')];
      const contents = (await folder.share.readFile(folder.at('Umbenannt.txt'))).toString();
      return toFinding(
        outcomes.join() === 'created,existed' && contents === 'eins',
        `${outcomes.join(', ')}: ${contents}`,
      );
    },
  },
  {
    id: 'D6',
    expected: 'the server copies files itself, with identical bytes',
    follows: 'Copies pass through the agent, which is slower; nothing to set.',
    async probe(folder) {
      const bytes = randomBytes(300_000);
      await folder.share.writeFile(folder.at('Quelle.bin'), bytes);
      const { method } = await folder.share.copyFile(folder.at('Quelle.bin'), folder.at('Kopie.bin'));
      const isSame = bytes.equals(await folder.share.readFile(folder.at('Kopie.bin')));
      return toFinding(
        method === 'server-side' && isSame,
        `${method}, ${isSame ? 'identical' : 'other bytes'}`,
      );
    },
  },
  {
    id: 'D7',
    expected: 'times are stored to 100 ns',
    follows: 'Copied files have other dates than their templates; nothing is lost.',
    async probe(folder) {
      await folder.share.writeFile(folder.at('Zeit.txt'), 'x');
      const writtenAt = 133_444_555_666_777_889n;
      await folder.share.setInfo(folder.at('Zeit.txt'), { writtenAt });
      const stored = (await folder.share.stat(folder.at('Zeit.txt'))).writtenAt;
      return toFinding(
        stored === writtenAt,
        stored === writtenAt ? 'as written' : `${stored - writtenAt} × 100 ns later`,
      );
    },
  },
  {
    id: 'D8',
    expected: 'names with umlauts come back as they were written',
    follows: 'Directories would be created twice with names that look the same: tell the maintainers.',
    async probe(folder) {
      const name = 'Übergabe – Größe.txt';
      await folder.share.writeFile(folder.at(name), 'x');
      const names = new Set((await folder.share.list(folder.path)).map((entry) => entry.name));
      return toFinding(names.has(name), names.has(name) ? 'as written' : 'changed');
    },
  },
  {
    id: 'D9',
    expected: 'the root is not below a DFS link, or the link leads to one target',
    follows: 'Several targets are tried in turn; a copy stays on the one that it began with.',
    async probe({ target, share, path }) {
      const { referrals } = await share.locate(path);
      return toFinding(
        referrals.length <= 1,
        `${referrals.length} referrals${target.root.segments.length === 0 ? ', the root is a share' : ''}`,
      );
    },
  },
];
