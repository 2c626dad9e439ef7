import { expect, test } from 'vitest';
import { openApiText } from '../../release/generate/generated.ts';
import { lintOpenApi } from '../support/openapi-rules.ts';

test('the document passes Redocly with its recommended rules and ours', async () => {
  expect(await lintOpenApi(openApiText())).toEqual([]);
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
  paths['/folder-requests'].post.requestBody.content['application/json'].example = { path: 7 };
  const found = await lintOpenApi(JSON.stringify(document));
  expect([...new Set(found.map(({ rule }) => rule))].toSorted()).toEqual([
    'no-invalid-media-type-examples',
    'operation-operationId-unique',
    'parameter-description',
    'response-contains-header',
    'service/discriminator',
    'service/integer-limit',
    'service/location',
    'service/open-responses',
    'service/operation-example',
    'service/path-example',
    'service/property-description',
    'service/property-example',
  ]);
  const headers = found.filter(({ rule }) => rule === 'response-contains-header');
  expect(headers.map(({ place }) => place).toSorted()).toEqual([
    '#/paths/~1projects/get/responses/401/headers',
    '#/paths/~1projects/get/responses/503/headers',
  ]);
});
