// `node local/packages/make-icons.ts` makes fluentui-react-icons/ from the package in the registry: after an update of Fluent
// UI, or when the console imports another icon. The whole package has 306 MB; this has the 120 icons that are imported.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageFile from './fluentui-react-icons/package.json' with { type: 'json' };
import { build } from '../release/esbuild.ts';
import { repositoryFiles } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';

const name = '@fluentui/react-icons';
const folder = join(repositoryRoot, 'local/packages/fluentui-react-icons');

/** The sorted names of the values that files import from the package. */
export async function importedIcons(pattern: string): Promise<string[]> {
  const imports = new RegExp(`import \\{([^}]*)\\} from ['"]${name}(?:/lib/providers)?['"]`, 'g');
  const names = new Set<string>();
  for (const file of repositoryFiles(pattern)) {
    for (const [, list = ''] of (await readFile(join(repositoryRoot, file), 'utf8')).matchAll(imports)) {
      const values = list.split(',').filter((each) => !each.trim().startsWith('type '));
      for (const each of values) names.add(each.trim().replace(/ as .*/, ''));
    }
  }
  names.delete('');
  return [...names].toSorted();
}

export const importers = { console: 'console/**/*.{ts,tsx}', fluent: 'node_modules/@fluentui/*/lib/**/*.js' };

async function makeIcons(): Promise<void> {
  const run = promisify(execFile);
  const work = await mkdtemp(join(tmpdir(), 'icons-'));
  try {
    const { version } = packageFile;
    await run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: work });
    const archive = await readFile(join(work, `fluentui-react-icons-${version}.tgz`));
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    await writeFile(
      join(folder, 'package.json'),
      `${JSON.stringify({ ...packageFile, integrity }, null, 2)}\n`,
    );
    await run('tar', ['xzf', `fluentui-react-icons-${version}.tgz`], { cwd: work });
    await symlink(join(repositoryRoot, 'node_modules'), join(work, 'node_modules'));
    const [own, fluent] = await Promise.all([
      importedIcons(importers.console),
      importedIcons(importers.fluent),
    ]);
    const names = [...new Set([...own, ...fluent])].toSorted().join(', ');
    await build({
      absWorkingDir: work,
      stdin: { contents: `export { ${names} } from './package/lib/index.js';`, resolveDir: work },
      bundle: true,
      packages: 'external',
      format: 'esm',
      outfile: join(folder, 'index.js'),
      banner: { js: `// Made by local/packages/make-icons.ts from ${name} ${version}.` },
    });
    const types = await readFile(join(work, 'package/lib/utils/FluentIconsProps.types.d.ts'), 'utf8');
    const icon = 'export declare type FluentIcon = React.FC<FluentIconsProps>;\n';
    const icons = own.map((each) => `export declare const ${each}: FluentIcon;\n`);
    await writeFile(join(folder, 'index.d.ts'), types + icon + icons.join(''));
  } finally {
    await rm(work, { recursive: true });
  }
}

if (import.meta.main) await makeIcons();
