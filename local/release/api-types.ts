import { registerHooks } from 'node:module';

const header = `// The HTTP API as types, made from bicep/openapi.json by \`npm run generate\`.

`;

/** The console's types of the API, as the text of a TypeScript file. */
export async function apiTypesText(openApi: string): Promise<string> {
  // openapi-typescript prints with the compiler's JavaScript API, which TypeScript 7 no longer has.
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
  });
  try {
    const { default: openapiTS, astToString } = await import('openapi-typescript');
    return header + astToString(await openapiTS(openApi, { alphabetize: false }));
  } finally {
    hooks.deregister();
  }
}
