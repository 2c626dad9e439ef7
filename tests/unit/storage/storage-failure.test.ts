import { RestError } from '@azure/data-tables';
import { expect, test } from 'vitest';
import { isStorageOutage, storageUnavailable } from '../../../lib/storage/storage-failure.ts';

const restError = (statusCode?: number, code?: string): RestError =>
  new RestError('rejected', {
    ...(statusCode !== undefined && { statusCode }),
    ...(code !== undefined && { code }),
  });

test.each<[outage: boolean, status: number | undefined, code?: string]>([
  [true, undefined],
  [true, 408],
  [true, 429],
  [true, 500],
  [true, 503],
  [true, 404, 'TableNotFound'],
  [true, 409, 'TableBeingDeleted'],
  [true, 409, 'OperationTimedOut'],
  [false, 404, 'ResourceNotFound'],
  [false, 409, 'EntityAlreadyExists'],
  [false, 400, 'InvalidInput'],
  [true, 401],
  [true, 403, 'AuthorizationFailure'],
  [true, 403, 'AuthorizationPermissionMismatch'],
  [true, 200, 'PARSE_ERROR'],
  [false, 200],
  [false, 412, 'UpdateConditionNotSatisfied'],
])('it is an outage: %j, with status %j and code %s', (outage, status, code) => {
  expect(isStorageOutage(restError(status, code))).toBe(outage);
});

test('a page of a proxy is one, an error of another kind is none, and no token is one', () => {
  expect(isStorageOutage(restError(404))).toBe(true);
  expect(isStorageOutage(new TypeError('wrong'))).toBe(false);
  for (const name of ['CredentialUnavailableError', 'AuthenticationRequiredError', 'AuthenticationError'])
    expect(isStorageOutage(Object.assign(new Error('none'), { name }))).toBe(true);
});

test('a denial is said to be one', () => {
  const { facts } = storageUnavailable(restError(403, 'AuthorizationFailure'));
  expect(facts.detail).toContain('denies the service access');
  expect(storageUnavailable(restError(503)).facts.detail).toContain('did not respond');
});
