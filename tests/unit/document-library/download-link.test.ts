import { expect, test } from 'vitest';
import { downloadLinkOf } from '../../../lib/document-library/download-link.ts';

const readAtMs = Date.UTC(2026, 10, 22, 12);
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const link = (tempauth: string) => {
  const url = `https://firma.sharepoint.com/_layouts/15/download.aspx?UniqueId=x&tempauth=${tempauth}&ApiVersion=2.0`;
  return downloadLinkOf({ id: '1', name: 'a', '@microsoft.graph.downloadUrl': url }, readAtMs);
};

test.each([
  ['of the newer form', `v1.${part({ siteid: 'x', exp: '1767827836' })}.CiMK.sig`],
  ['of the older form', `${part({ typ: 'JWT', alg: 'none' })}.${part({ nbf: '1', exp: '1767827836' })}.sig`],
  ['with a number', `v1.${part({ exp: 1_767_827_836 })}.sig`],
])('the expiry is read from the token: %s', (_, token) => {
  expect(link(token).expiresAt).toBe('2026-01-07T23:17:16.000Z');
});

test.each([
  ['is encrypted', 'v1e.AAECAwQ.sig'],
  ['has no expiry', `v1.${part({ siteid: 'x' })}.sig`],
  ['has an expiry that is not a time', `v1.${part({ exp: 'soon' })}.sig`],
  ['has an expiry beyond all dates', `v1.${part({ exp: 1e30 })}.sig`],
  ['is missing', ''],
])('the link expires in two minutes when the token %s', (_, token) => {
  expect(link(token).expiresAt).toBe('2026-11-22T12:02:00.000Z');
});

test('an item that is not a file has no link', () => {
  expect(() => downloadLinkOf({ id: '1', name: 'a', folder: {} }, readAtMs)).toThrow('unusable');
});
