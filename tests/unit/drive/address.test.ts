import { expect, test } from 'vitest';
import { parseAddress } from '../../../local/stand-ins/drive/calls/address.ts';

const inDrive = (rest: object) => ({ kind: 'item', drive: { of: 'id', driveId: 'b!x' }, ...rest });

test.each([
  ['/me', { kind: 'me' }],
  ['/$batch', { kind: 'batch' }],
  ['/me/drive', { kind: 'drive', drive: { of: 'me' } }],
  ['/me/drives', { kind: 'drives', drive: { of: 'me' } }],
  ['/sites/h,a,b', { kind: 'site', siteId: 'h,a,b' }],
  [
    '/sites/contoso.sharepoint.com:/sites/projekte',
    { kind: 'site', siteId: 'contoso.sharepoint.com:/sites/projekte' },
  ],
  ['/sites/h,a,b/drive', { kind: 'drive', drive: { of: 'site', siteId: 'h,a,b' } }],
  ['/sites/h%2Ca%2Cb/drives', { kind: 'drives', drive: { of: 'site', siteId: 'h,a,b' } }],
  ['/drives/b!x', { kind: 'drive', drive: { of: 'id', driveId: 'b!x' } }],
  ['/sites/h,a,b/drives/b%21x', { kind: 'drive', drive: { of: 'id', driveId: 'b!x' }, siteId: 'h,a,b' }],
  ['/drives/b!x/root', inDrive({ anchorId: null, action: '' })],
  ['/drives/b!x/root/children', inDrive({ anchorId: null, action: 'children' })],
  ['/drives/b!x/root:/A/B', inDrive({ anchorId: null, path: ['A', 'B'], action: '' })],
  ['/drives/b!x/root:/A/B:', inDrive({ anchorId: null, path: ['A', 'B'], action: '' })],
  ['/drives/b!x/root:/A/B:/children', inDrive({ anchorId: null, path: ['A', 'B'], action: 'children' })],
  ['/drives/b!x/items/01A:/b.txt:/content', inDrive({ anchorId: '01A', path: ['b.txt'], action: 'content' })],
  ['/drives/b!x/items/01A/createUploadSession', inDrive({ anchorId: '01A', action: 'createUploadSession' })],
  [
    '/drives/b!x/items/01A/microsoft.graph.createUploadSession',
    inDrive({ anchorId: '01A', action: 'createUploadSession' }),
  ],
  ['/drives/b!x/root:/1+1%20%25%23%3F%2B', inDrive({ anchorId: null, path: ['1+1 %#?+'], action: '' })],
  ['/drives/b!x/root:/A%2FB', inDrive({ anchorId: null, path: ['A', 'B'], action: '' })],
  ["/drives/b!x/root:/'()!&,;=@", inDrive({ anchorId: null, path: ["'()!&,;=@"], action: '' })],
])('%s', (path, address) => {
  expect(parseAddress(path)).toEqual(address);
});

test.each([
  ['/drives/b!x/root:/100%.docx', 400, 'invalidRequest'],
  ['/drives/b!x/root:/%C3', 400, 'invalidRequest'],
  ['/drives/b!x/root:/A//B', 400, 'invalidRequest'],
  ['/drives/b!x/root:/A/%2E%2E/B', 400, 'invalidRequest'],
  ['/drives/b!x/root:/A:/children:/B', 400, 'invalidRequest'],
  ['/drives/b!x/root:A', 400, 'invalidRequest'],
  ['/drives/b!x/root/', 400, 'invalidRequest'],
  ['/drives/b!x/item/01A', 400, 'invalidRequest'],
  ['/drive', 400, 'invalidRequest'],
  ['/users/anna', 501, 'notSupported'],
  ['/sites/contoso.sharepoint.com:/sites/projekte:/drive', 501, 'notSupported'],
  ['/drives/b!x/root/delta', 501, 'notSupported'],
  ["/drives/b!x/root/search(q='a')", 501, 'notSupported'],
  ['/drives/b!x/items/01A/copy', 501, 'notSupported'],
])('%s is rejected', (path, status, code) => {
  expect(() => parseAddress(path)).toThrow(expect.objectContaining({ status, code }));
});
