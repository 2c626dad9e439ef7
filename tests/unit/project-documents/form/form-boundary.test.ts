import { expect, test } from 'vitest';
import { boundaryOf, endsRegularly } from '../../../../lib/project-documents/form/form-boundary.ts';

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b;c"', 'a b;c'],
  ['multipart/form-data; boundary=abc; charset=utf-8', 'abc'],
])('%s has the boundary %s', (contentType, boundary) => {
  expect(boundaryOf(contentType)).toBe(boundary);
});

test.each([
  '',
  'application/json',
  'multipart/mixed; boundary=abc',
  'multipart/form-data',
  `multipart/form-data; boundary=${'x'.repeat(71)}`,
])('%j has no boundary', (contentType) => {
  expect(() => boundaryOf(contentType)).toThrow(expect.objectContaining({ code: 'unsupported_media_type' }));
});

// Each boundary is in the form that its sender generates.
test.each([
  ['Chrome', '----WebKitFormBoundaryf2GbLzTcM7tXq0Ab'],
  ['Firefox 132', '---------------------------735323031399963166993862150'],
  ['Firefox 140', '----geckoformboundaryfaa0f7b264525ad835555a5b95d739'],
  ['curl 7.88', '------------------------4ebf00fbcf09fca3'],
  ['curl 8.14', '------------------------uNAGWDTFLzxDJdQxZN3k4G'],
  ['form-data 4.0.0', '--------------------------329149051338129340128543'],
  ['form-data 4.0.4', '--------------------------4f1c04b8d15a1b3a9ef01c2d'],
  ['.NET', '7c66b2c1-5c0a-4f0b-9f43-1a1b2c3d4e5f'],
  ['requests', '6b1cdd2fa7a24b34b3bfb0d0f2f1a9c4'],
  ['Go', 'a8c3f0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b'],
])('%s ends a form with one line break', (_sender, boundary) => {
  expect(endsRegularly(boundary)).toBe(true);
});

test.each([
  ['Deno', '----7438401693247839217481297403'],
  ['formdata-polyfill', '----formdata-polyfill-0.2397485734'],
  ['undici', '----formdata-undici-017393863466'],
  ['form-data-encoder', 'form-data-boundary-6acb8f04bf10fd97'],
  ['an unknown sender', 'boundary'],
])('how %s ends a form is unknown', (_sender, boundary) => {
  expect(endsRegularly(boundary)).toBe(false);
});
