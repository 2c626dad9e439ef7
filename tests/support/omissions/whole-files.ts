import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { tellControl, type Guard, type SwitchedCopy } from './switched-copy.ts';

const answer = z.object({ isGreen: z.boolean(), tookMs: z.number() });

/** Test files as a whole, with a guard off from their start: in hooks, too, and in every program that they start. */
export class WholeFiles {
  readonly #copy: SwitchedCopy;
  #child: ChildProcess | undefined;
  /** How long a file takes with all guards in place; Infinity if it fails by itself. */
  readonly #tookMs = new Map<string, number>();

  constructor(copy: SwitchedCopy) {
    this.#copy = copy;
  }

  /** @returns the first of the files that fails without the guard, and which were run or could not be */
  async firstToMiss(
    { id, path }: Guard,
    files: readonly string[],
  ): Promise<{ noticed?: string; ran: string[]; notRun: string[] }> {
    for (const file of files) if (!this.#tookMs.has(file)) await this.#measure(file);
    const tookMs = (file: string): number => this.#tookMs.get(file) ?? Infinity;
    const ran: string[] = [];
    let usedMs = 0;
    const isNear = (file: string): boolean => areNamedAlike(path, file);
    const near = files.filter(isNear);
    const others = files.filter((file) => !isNear(file));
    for (const file of [near, others].flatMap((some) =>
      some.toSorted((one, other) => tookMs(one) - tookMs(other)),
    )) {
      // It fails by itself.
      if (tookMs(file) === Infinity) continue;
      usedMs += tookMs(file);
      if (usedMs > longestGuardMs && ran.length > 0) break;
      ran.push(file);
      if (await this.#passes(file, id)) continue;
      // Not by chance, and nothing of it is left behind.
      if (await this.#passes(file, null)) return { noticed: file, ran, notRun: [] };
      this.#tookMs.set(file, Infinity);
      ran.pop();
    }
    return { ran, notRun: files.filter((file) => !ran.includes(file)) };
  }

  async #measure(file: string): Promise<void> {
    const begin = performance.now();
    const isGreen = await this.#passes(file, null);
    this.#tookMs.set(file, isGreen ? performance.now() - begin : Infinity);
  }

  async #passes(file: string, off: number | null): Promise<boolean> {
    tellControl(this.#copy.switchboard.control, off);
    const child = (this.#child ??= await this.#start());
    child.send({ file });
    const limit = AbortSignal.timeout(Math.round(10_000 + 3 * (this.#tookMs.get(file) ?? longestFileMs)));
    try {
      const [message] = (await Promise.race([
        once(child, 'message', { signal: limit }),
        once(child, 'exit', { signal: limit }).then(() => [{ isGreen: false, tookMs: 0 }]),
      ])) as [unknown];
      if (child.exitCode !== null || child.signalCode !== null) this.#child = undefined;
      return answer.parse(message).isGreen;
    } catch (error) {
      if (!limit.aborted) throw error;
      this.stop();
      return false;
    }
  }

  async #start(): Promise<ChildProcess> {
    const child = this.#copy.start((folder, env) =>
      fork(join(folder, 'tests/support/omissions/whole-files-child.ts'), {
        cwd: folder,
        env: { ...env, GUARDS_WHOLE: '1' },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        detached: true,
      }),
    );
    await once(child, 'message');
    return child;
  }

  stop(): void {
    if (this.#child) this.#copy.kill(this.#child);
    this.#child = undefined;
  }
}

/** `on-behalf-of-exchange.ts` and `on-behalf-of.test.ts` */
function areNamedAlike(path: string, test: string): boolean {
  const [module, tested] = [basename(path).replace(/\..*/, ''), basename(test, '.test.ts')];
  return module.includes(tested) || tested.includes(module);
}

// What a slow file does not miss within this time is left to the person who judges.
const longestGuardMs = 60_000;
const longestFileMs = 40_000;
