// The cost of a letter: filling the template compared with docxtemplater and easy-template-x, memory, and the service's
// own share of a request when the text provider responds immediately.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { startAzurite } from '../../local/stand-ins/azurite.ts';
import { World } from '../service/activities/world.ts';
import { findingsIn } from '../../lib/activities/text/text-check.ts';
import { labeledTexts } from '../support/text-corpus/corpus.ts';
import { corpus, type RuleFigures, ruleFigures } from '../support/text-corpus/rule-figures.ts';
import { engines, templates, type EngineName, type TemplateName } from './activities/engines.ts';
import { paragraphsOf } from '../support/word-file.ts';

const goal = 0.15;

export async function run(): Promise<void> {
  await fillingTimes();
  await peakMemory();
  await wholeRequests();
  await firstUse();
  textChecks();
}

/** Precision and recall of each rule of the text check over the labeled texts. */
function textChecks(): void {
  const texts = corpus();
  const parts = [
    texts,
    texts.filter(({ isHeldOut }) => !isHeldOut),
    texts.filter(({ isHeldOut }) => isHeldOut),
  ];
  const [all = [], tuned = [], heldOut = []] = parts.map(ruleFigures);
  const cells = (figures: RuleFigures | undefined): string =>
    `${figures?.faulty} | ${figures?.precision.toFixed(3)} | ${figures?.recall.toFixed(3)}`;
  console.log(
    '\n| rule (goal 0.970 / 0.950) | faulty | precision | recall | tuned on | precision | recall | held out | precision | recall |\n|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const [index, figures] of all.entries()) {
    console.log(
      `| ${figures.rule} | ${cells(figures)} | ${cells(tuned[index])} | ${cells(heldOut[index])} |`,
    );
  }
  const later = ruleFigures(labeledTexts('second-look.txt')).at(-1);
  console.log(`\nforty texts written after the checks (faulty, precision, recall): ${cells(later)}`);
  const timesMs = texts.map(({ text, task }) => {
    const startedAt = performance.now();
    findingsIn(text, task);
    return performance.now() - startedAt;
  });
  console.log(`\none check: ${median(timesMs).toFixed(2)} ms (median of ${texts.length} texts)`);
}

async function fillingTimes(): Promise<void> {
  console.log(
    '| template | engine | prepare ms | fill ms of processor time (median) | min | to docxtemplater |\n|---|---|---|---|---|---|',
  );
  for (const name of Object.keys(templates) as TemplateName[]) {
    const file = await templates[name]();
    const prepared = [];
    for (const engine of Object.keys(engines) as EngineName[]) {
      const startedAt = performance.now();
      const fill = await engines[engine](file);
      prepared.push({
        engine,
        fill,
        prepareMs: performance.now() - startedAt,
        timesMs: [] as number[],
        text: '',
      });
    }
    // Interleaved and in processor time, because a busy machine interrupts the longer of two measurements more often.
    const rounds = name === '1 page' ? 60 : 12;
    for (let round = 0; round < rounds; round++) {
      for (const each of prepared) {
        const before = process.cpuUsage();
        const letter = await each.fill();
        const { user, system } = process.cpuUsage(before);
        each.timesMs.push((user + system) / 1000);
        if (round === 0) each.text = plainText(letter);
      }
    }
    const base = prepared.find(({ engine }) => engine === 'docxtemplater');
    for (const { engine, prepareMs, timesMs, text } of prepared) {
      if (text !== base?.text || /\{\{|\}\}/.test(text))
        throw new Error(`${engine} produced a different letter from ${name}`);
      const ratio = median(timesMs) / median(base.timesMs);
      const verdict = engine === 'this service' ? ` (goal ${goal})` : '';
      console.log(
        `| ${name} | ${engine} | ${prepareMs.toFixed(1)} | ${median(timesMs).toFixed(2)} | ${Math.min(...timesMs).toFixed(2)} | ${ratio.toFixed(3)}${verdict} |`,
      );
    }
  }
}

// One engine writes line breaks as runs and another as paragraphs, so only words and their order are compared. The date
// is a field in the other engines' letters and text in ours.
function plainText(letter: Buffer): string {
  return paragraphsOf(letter)
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/(?:DATE \\@ ?"dd\.MM\.yyyy" )?\d\d\.\d\d\.\d{4}/g, '')
    .trim();
}

async function peakMemory(): Promise<void> {
  console.log('\n| engine | peak MiB over an idle process, 20 letters of 200 pages |\n|---|---|');
  const child = join(import.meta.dirname, 'activities/memory-child.ts');
  const idle = await peakOf(child, 'idle');
  for (const engine of Object.keys(engines)) {
    console.log(`| ${engine} | ${((await peakOf(child, engine)) - idle).toFixed(0)} |`);
  }
}

async function peakOf(child: string, engine: string): Promise<number> {
  return Number((await promisify(execFile)(process.execPath, [child, engine])).stdout);
}

async function wholeRequests(): Promise<void> {
  const azurite = await startAzurite();
  const world = await World.start(azurite.connectionString);
  const waits = new ForeignWaits();
  const realFetch = globalThis.fetch;
  try {
    // Before the service is created, because the AI client keeps a reference to fetch.
    globalThis.fetch = (input, init) =>
      addressOf(input).includes('/api/v1/') ? realFetch(input, init) : waits.during(realFetch(input, init));
    const service = await world.service();
    const { contacts } = service.services;
    const get = contacts.get.bind(contacts);
    contacts.get = (id) => waits.during(get(id));
    const contactId = await service.contact();
    console.log('\n| request | total ms (median) | foreign ms | own ms | own share |\n|---|---|---|---|---|');
    for (const activityType of ['Email', 'Document']) {
      const wholeMs: number[] = [];
      const foreignMs: number[] = [];
      for (let round = 0; round < 40; round++) {
        waits.reset();
        const startedAt = performance.now();
        const { status } = await service.generate({
          activityType,
          contactId,
          description: 'Wir verschieben die Abnahme.',
        });
        if (status !== 200) throw new Error(`${activityType} returned ${status}`);
        // The first rounds load modules and fetch keys.
        if (round < 5) continue;
        wholeMs.push(performance.now() - startedAt);
        foreignMs.push(waits.totalMs());
      }
      const [whole, foreign] = [median(wholeMs), median(foreignMs)];
      const own = whole - foreign;
      console.log(
        `| ${activityType} | ${whole.toFixed(1)} | ${foreign.toFixed(1)} | ${own.toFixed(1)} | ${((own / whole) * 100).toFixed(0)} % |`,
      );
    }
  } finally {
    globalThis.fetch = realFetch;
    await world.close();
    await azurite.stop();
  }
}

/** The modules behind `services.activities()`, which only the first activity of a process loads. */
async function firstUse(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'first-use-'));
  try {
    const outfile = join(folder, 'activities.mjs');
    const modules = ['activities', 'text/text-provider', 'letter/templates'];
    await build({
      stdin: {
        contents: modules.map((name) => `export * from './lib/activities/${name}.ts';`).join('\n'),
        resolveDir: join(import.meta.dirname, '../..'),
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['@azure/*'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const script = `const rss = process.memoryUsage().rss; const startedAt = performance.now(); await import(${JSON.stringify(outfile)}); console.log(performance.now() - startedAt, (process.memoryUsage().rss - rss) / 2 ** 20);`;
    const runs: number[][] = [];
    for (let round = 0; round < 9; round++) {
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
      runs.push(stdout.trim().split(' ').map(Number));
    }
    const [ms, mib] = [0, 1].map((column) => median(runs.map((values) => values[column] ?? Number.NaN)));
    console.log(
      `\nloaded on first use: ${ms?.toFixed(0)} ms, ${mib?.toFixed(0)} MiB (median of 9 processes); other routes do not load it`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Total time spent waiting for at least one foreign system. */
class ForeignWaits {
  #spans: [from: number, to: number][] = [];

  reset(): void {
    this.#spans = [];
  }

  async during<T>(wait: Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      return await wait;
    } finally {
      this.#spans.push([from, performance.now()]);
    }
  }

  totalMs(): number {
    let total = 0;
    let covered = 0;
    for (const [from, to] of this.#spans.toSorted(([one], [other]) => one - other)) {
      total += Math.max(0, to - Math.max(from, covered));
      covered = Math.max(covered, to);
    }
    return total;
  }
}

function addressOf(input: Parameters<typeof fetch>[0]): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
