import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, type ISpectralDiagnostic, Spectral } from '@stoplight/spectral-core';
import * as functions from '@stoplight/spectral-functions';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiText } from '../../local/release/generated.ts';

// The rules are in the format of Spectral's command line, which brings 100 packages more than its library.
const { rules } = parse(readFileSync(join(import.meta.dirname, '../support/spectral.yaml'), 'utf8'));
for (const { then } of Object.values<any>(rules)) then.function = (functions as any)[then.function];
const spectral = new Spectral();
spectral.setRuleset({ extends: oas as any, rules });

/** Everything that the linter finds, down to hints. */
const lint = (text: string): Promise<ISpectralDiagnostic[]> => spectral.run(new Document(text, Json));

test('the document passes Spectral with its oas rules', async () => {
  expect(await lint(openApiText())).toEqual([]);
});

test('the linter finds a planted fault of each kind', async () => {
  const document = JSON.parse(openApiText());
  const { schemas } = document.components;
  const paths = document.paths;
  delete schemas.Project.properties.name.description;
  delete schemas.Project.properties.number.example;
  schemas.Contact.additionalProperties = false;
  delete schemas.Activity.discriminator;
  delete paths['/health'].get.responses[200].content['application/json'].example;
  delete paths['/projects/{projectId}'].get.parameters[0].description;
  delete paths['/folder-requests/{id}'].get.parameters[0].schema.example;
  paths['/projects'].get.parameters.find(({ name }: any) => name === 'limit').schema.type = 'string';
  delete paths['/projects'].get.responses[503].headers['Retry-After'];
  delete paths['/projects'].get.responses[401].headers['WWW-Authenticate'];
  delete paths['/folder-requests'].post.responses[200].headers;
  paths['/agents'].get.operationId = 'describe-api';
  const found = await lint(JSON.stringify(document));
  expect([...new Set(found.map(({ code }) => String(code)))].toSorted()).toEqual([
    'discriminator',
    'integer-limit',
    'location',
    'open-responses',
    'operation-example',
    'operation-operationId-unique',
    'parameter-description',
    'path-example',
    'property-description',
    'property-example',
    'retry-after',
    'www-authenticate',
  ]);
});
