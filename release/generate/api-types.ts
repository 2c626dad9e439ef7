// The console's types of the API, console/openapi/openapi-types.ts, from bicep/openapi.json. Only compilers and editors read
// them: the build erases types.
import { readFile, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

export const openApiPath = join(repositoryRoot, 'bicep', 'openapi.json');
export const apiTypesPath = join(repositoryRoot, 'console', 'openapi', 'openapi-types.ts');

interface Compiler {
  readonly default: { readonly factory: { createTypeReferenceNode(name: string): never } };
}

/** The types of bicep/openapi.json as the text of a TypeScript file. */
export async function apiTypesText(): Promise<string> {
  const openApi = await readFile(openApiPath, 'utf8');
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
    const types = astToString(await openapiTS(openApi, { alphabetize: false, transform }));
    return `// Generated from bicep/openapi.json by \`npm run generate\`.\n\n${types}`;
  } finally {
    hooks.deregister();
  }
}

// For `npm run check:code`: a merge can change the OpenAPI document without its types.
if (import.meta.main) await writeFile(apiTypesPath, await apiTypesText());
