import { expect, test } from 'vitest';
import { syntaxFaultsOf } from '../../../../lib/activities/letter/template/syntax-faults.ts';
import { TemplateParts } from '../../../../lib/activities/letter/word/template-parts.ts';
import { templateZip } from '../../../../lib/activities/letter/word/template-zip.ts';
import { wordFile } from '../../../support/word-file.ts';

const parts = new TemplateParts(templateZip(wordFile('<w:p/>')));
const thrown = (properties: object): Error => Object.assign(new Error('of docxtemplater'), { properties });

test('an error that says nothing about the template is thrown, alone and among faults', () => {
  const bug = new TypeError('a bug');
  expect(() => syntaxFaultsOf(bug, parts)).toThrow(bug);
  const fault = thrown({ id: 'other' });
  expect(() => syntaxFaultsOf(thrown({ id: 'multi_error', errors: [fault, bug] }), parts)).toThrow(bug);
});

test('a fault of a part that the template does not have is one without a place', () => {
  const fault = thrown({ id: 'other', file: 'word/gone.xml' });
  expect(syntaxFaultsOf(thrown({ id: 'multi_error', errors: [fault] }), parts)).toEqual([
    { path: 'word/gone.xml', message: 'of docxtemplater' },
  ]);
});
