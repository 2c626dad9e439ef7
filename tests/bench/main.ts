import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// `npm run bench <name…>` runs tests/bench/<name>.ts one after the other; each exports run().
const available = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !available.includes(name));

if (names.length === 0 || unknown.length > 0) {
  for (const name of unknown) console.error(`There is no benchmark "${name}".`);
  console.error(`npm run bench <name…>, with names of: ${available.join(', ')}`);
  process.exitCode = 2;
} else {
  // Everything that the benchmarks start uses this temporary folder, which is removed when they end, also after Ctrl-C.
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  for (const name of names) {
    console.log(`# ${name}`);
    const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<void> };
    await run();
  }
}
