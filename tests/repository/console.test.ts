import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { apiTypesText } from '../../local/release/api-types.ts';
import { apiTypesPath, openApiText } from '../../local/release/generated.ts';

test('the console’s types of the API are those of its OpenAPI document', async () => {
  expect(await readFile(apiTypesPath, 'utf8'), 'run: npm run generate').toBe(
    await apiTypesText(openApiText()),
  );
});
