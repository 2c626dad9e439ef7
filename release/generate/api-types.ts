// The console's types of the API, console/openapi/openapi-types.ts, from bicep/openapi.json. Not committed: `npm run check`,
// `npm run generate`, and `npm run package:client` write them. Nothing else reads them: the build erases types.
import { readFile, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

export const openApiPath = join(repositoryRoot, 'bicep', 'openapi.json');
const apiTypesPath = join(repositoryRoot, 'console', 'openapi', 'openapi-types.ts');

interface Compiler {
  readonly default: { readonly factory: { createTypeReferenceNode(name: string): never } };
}

/** The types of an OpenAPI document, as the text of a TypeScript file. */
async function apiTypesText(openApi: string): Promise<string> {
  // openapi-typescript prints with the compiler's JavaScript API, which TypeScript 7 no longer has.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
  });
  try {
    // Its declarations are left out.
    const compiler: string = 'typescript-5';
    const { default: ts } = (await import(compiler)) as Compiler;
    const { default: openapiTS, astToString } = await import('openapi-typescript');
    const blob = ts.factory.createTypeReferenceNode('Blob');
    const transform = ({ format }: { format?: string }) => (format === 'binary' ? blob : undefined);
    return astToString(await openapiTS(openApi, { alphabetize: false, transform }));
  } finally {
    hooks.deregister();
  }
}

export async function writeApiTypes(): Promise<void> {
  const types = await apiTypesText(await readFile(openApiPath, 'utf8'));
  await writeFile(
    apiTypesPath,
    `// The HTTP API as types, made from bicep/openapi.json by \`npm run generate\`.\n\n${types}`,
  );
}

if (import.meta.main) await writeApiTypes();
