import { describe, expect, test } from 'vitest';
import { SettingsError } from '../../../lib/contract/settings-table.ts';
import { readSettings } from '../../../lib/settings/settings.ts';

function faults(given: Record<string, string>): readonly string[] {
  try {
    readSettings({ STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true', ...given });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}

describe('the key of the AI provider', () => {
  test.each(['http://ai.example.com/v1', 'http://10.0.0.5/v1', 'http://127.0.0.1.example.com/v1'])(
    'is not sent to %s',
    (address) => {
      expect(faults({ AI_BASE_URL: address })).toEqual([
        'AI_BASE_URL: must start with https://, because a key would be sent unencrypted; http only to this machine',
      ]);
    },
  );

  test.each([
    'https://ai.example.com/v1',
    'http://localhost:11434/v1',
    'http://127.0.0.1/v1',
    'http://[::1]/v1',
  ])('may be sent to %s', (address) => {
    expect(faults({ AI_BASE_URL: address })).toEqual([]);
  });
});

describe('the AI model', () => {
  const fault =
    'AI_MODEL: is missing (the provider in AI_BASE_URL is not OpenAI, so there is no default model)';

  test.each([
    ['https://api.openai.com.example.com/v1', [fault]],
    ['https://firma.openai.azure.com/openai/v1', [fault]],
    ['http://127.0.0.1:11434/v1', [fault]],
    ['https://api.openai.com/v1', []],
    ['https://eu.api.openai.com/v1', []],
    ['', []],
  ])('has a default at %s only if it is OpenAI', (AI_BASE_URL, expected) => {
    expect(faults({ AI_API_KEY: 'k', AI_BASE_URL, AI_MODEL: ' ' })).toEqual(expected);
    expect(faults({ AI_API_KEY: 'k', AI_BASE_URL, AI_MODEL: 'llama' })).toEqual([]);
    expect(faults({ AI_BASE_URL })).toEqual([]);
  });
});

test.each(['api://22222222-2222-4222-8222-222222222222/access_as_user', 'access_as_user other', 'a"b'])(
  'IDP_API_SCOPE cannot be %o',
  (scope) => {
    expect(faults({ IDP_API_SCOPE: scope })).toEqual([
      'IDP_API_SCOPE: expected one scope such as access_as_user, without the application id URI',
    ]);
  },
);

test.each([
  ['Kiel', 'expected name=path;name=path'],
  ['Kiel=/a.docx;Kiel=/b.docx', 'has the name Kiel twice'],
  ['Briefvorlage=/a.docx', 'is already the name of the template of WORD_TEMPLATE_PATH'],
])('WORD_TEMPLATES cannot be %o', (templates, fault) => {
  const given = { WORD_TEMPLATE_PATH: '/home/Briefvorlage.docx', WORD_TEMPLATES: templates };
  expect(faults(given)).toEqual([expect.stringContaining(fault)]);
});
