import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleOptions } from '../../local/release/build.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

/** Bundles a module that imports an omitted package, and runs it. */
async function loaded(source: string): Promise<{ call: () => unknown }> {
  const { outputFiles } = await build({
    ...bundleOptions,
    stdin: { contents: source, resolveDir: repositoryRoot },
    banner: {},
    sourcemap: false,
    write: false,
    logLevel: 'silent',
  });
  return (await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`)) as never;
}

test.each([
  ['open', "import open from 'open'; export const call = () => open('https://example.com')"],
  ['jsonwebtoken', "import jwt from 'jsonwebtoken'; export const call = () => jwt.sign({}, 'key')"],
  [
    '@azure/core-process',
    "import { execFile } from '@azure/core-process'; export const call = () => execFile('az')",
  ],
  ['apache-arrow', "export const call = async () => (await import('apache-arrow')).tableFromIPC('')"],
])(
  '%s loads without an error, and a call of it throws an error that names the file to check',
  async (name, source) => {
    const { call } = await loaded(source);
    await expect((async () => call())()).rejects.toThrow(
      new RegExp(`^${name} is not in this bundle \\(.+\\): see local/release/left-out\\.ts$`),
    );
  },
);

test('an unknown export name fails the build', async () => {
  await expect(
    loaded("import { tableToIPC } from 'apache-arrow'; export const call = () => tableToIPC('')"),
  ).rejects.toThrow(/No matching export in "left-out:apache-arrow" for import "tableToIPC"/);
});

test('zod has its English messages but no other languages', async () => {
  const { call } = await loaded(
    "import { z } from 'zod'; export const call = () => [z.string().safeParse(1).error.issues[0].message, Object.keys(z.locales)]",
  );
  expect(call()).toEqual(['Invalid input: expected string, received number', []]);
});
