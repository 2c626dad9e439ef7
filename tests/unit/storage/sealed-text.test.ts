import { expect, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import { SealedText } from '../../../lib/storage/sealed-text.ts';

const url = 'https://contoso.sharepoint.com/_api/upload?guid=1&tempauth=eyJhbGciOiJub25lIn0';
const sealed = new SealedText(new Secret('a secret'), 'upload session');

test('sealed text is unreadable, differs each time, and can be opened in its place', () => {
  const [first, second] = [sealed.seal(url, 'row 1'), sealed.seal(url, 'row 1')];
  expect(first).not.toBe(second);
  expect(Buffer.from(first, 'base64').toString('latin1')).not.toMatch(/sharepoint|tempauth/);
  for (const text of [first, second]) expect(sealed.open(text, 'row 1')).toBe(url);
});

test('sealed text cannot be opened in another place, with another secret or purpose, or after a change', () => {
  const text = sealed.seal(url, 'row 1');
  expect(sealed.open(text, 'row 2')).toBeNull();
  expect(new SealedText(new Secret('another'), 'upload session').open(text, 'row 1')).toBeNull();
  expect(new SealedText(new Secret('a secret'), 'another').open(text, 'row 1')).toBeNull();
  const bytes = Buffer.from(text, 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(sealed.open(changed.toString('base64'), 'row 1')).toBeNull();
  }
  // Node accepts a tag of four bytes.
  const empty = Buffer.from(sealed.seal('', 'row 1'), 'base64');
  expect(sealed.open(empty.subarray(0, 16).toString('base64'), 'row 1')).toBeNull();
  for (const nothing of ['', 'x', url]) expect(sealed.open(nothing, 'row 1')).toBeNull();
});
