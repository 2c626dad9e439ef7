import { describe, expect, test } from 'vitest';
import { isSameServer, serverLabel } from '../../../lib/contract/server-names.ts';

describe('isSameServer', () => {
  test.each([
    ['fs01', 'FS01'],
    ['fs01', 'fs01.firma.example'],
    ['FS01.Firma.Example', 'fs01.firma.example'],
    ['büro', 'BU\u0308RO'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s and %s', (a, b) => {
    expect([isSameServer(a, b), isSameServer(b, a)]).toEqual([true, true]);
    expect(serverLabel(a)).toBe(serverLabel(b));
  });

  test.each([
    ['fs01', 'fs02'],
    ['fs01', 'fs011'],
    ['fs01.firma.example', 'fs01.other.example'],
    ['fs01.firma', 'fs01.firma.example'],
    ['10', '10.0.0.1'],
    ['10.0.0', '10.0.0.1'],
  ])('not %s and %s', (a, b) => {
    expect([isSameServer(a, b), isSameServer(b, a)]).toEqual([false, false]);
  });
});
