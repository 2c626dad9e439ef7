import { readdirSync } from 'node:fs';

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
  for (const name of names) {
    console.log(`# ${name}`);
    const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<void> };
    await run();
  }
}
