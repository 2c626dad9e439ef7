import * as z from 'zod';
import { faultAt, problemCodes, ServiceError, type Fault, type ProblemCode } from '../base/service-error.ts';
import { faultCodes, isFaultCode, type FaultCode, type FaultParams } from '../contract/faults.ts';

export const problemCode = z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: 'What happened. Treat an unknown code by its HTTP status',
});

export const faultParams = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .meta({ description: 'The facts of the code, for texts in another language', example: { max: 4000 } });

export const faultSchema = z
  .object({
    path: z.string().meta({
      description: 'Dotted: the part of the request (body, query, params, headers), then the names in it',
      example: 'body.targetPath',
    }),
    code: z.enum(faultCodes as [FaultCode, ...FaultCode[]]).meta({
      id: 'FaultCode',
      example: 'too_long',
      description: 'What is wrong with a value. Treat an unknown code as `invalid`',
    }),
    params: faultParams,
    message: z.string().meta({
      description: 'For developers: a sentence without its subject',
      example: 'must not be longer than 4000 characters',
    }),
  })
  .meta({ id: 'Fault', description: 'One fault of a request' });

/**
 * The faults that an issue of a schema stands for. The message of a rule is a code (`because`), or the code follows from the
 * kind of the rule; zod's own texts never reach a caller.
 *
 * @param issue with its input (`reportInput`)
 */
export function faultsOf(at: string, issue: z.core.$ZodIssue): Fault[] {
  const path = [at, ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => faultAt(`${path}.${key}`, 'unknown_field'));
  if (issue.code === 'invalid_union' && 'options' in issue) {
    // Its input is the object, not the value at its path, which says what the object is.
    const isGiven = Object.hasOwn(issue.input as object, issue.path.at(-1)!);
    const allowed = issue.options?.join(', ') ?? '';
    return [isGiven ? faultAt(path, 'unknown_value', { allowed }) : faultAt(path, 'required')];
  }
  if (issue.input === undefined && issue.code !== 'custom') return [faultAt(path, 'required')];
  const [code, params] = codeOf(issue);
  return [faultAt(path, isFaultCode(issue.message) ? issue.message : code, params)];
}

/**
 * The error of a request with these faults. Wherever a folder is named, an unknown one has its own code, and `detail` has the
 * names of the subfolders.
 *
 * @param summary of the faults; each in a clause unless given
 */
export function rejectionOf(faults: readonly Fault[], summary?: string): ServiceError {
  const isFolder = faults.every(({ code }) => code === 'unknown_folder');
  const each = faults.map(({ path, message }) => `${path.replace(/^\w+\./, '')} ${message}`).join('; ');
  return isFolder
    ? new ServiceError('unknown_folder', { detail: each, errors: faults })
    : new ServiceError('invalid_request', { detail: summary ?? each, errors: faults });
}

function codeOf(issue: z.core.$ZodIssue): [FaultCode, FaultParams?] {
  switch (issue.code) {
    case 'invalid_type':
      return ['wrong_type', { expected: issue.expected === 'int' ? 'integer' : issue.expected }];
    case 'too_big':
      return [sizes[issue.origin]?.[1] ?? 'too_large', { max: Number(issue.maximum) }];
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return ['empty'];
      return [sizes[issue.origin]?.[0] ?? 'too_small', { min: Number(issue.minimum) }];
    case 'invalid_value':
      return ['unknown_value', { allowed: issue.values.join(', ') }];
    case 'custom':
      return ['invalid', issue.params as FaultParams];
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return ['invalid'];
    default:
      return issue satisfies never;
  }
}

const sizes: Partial<Record<string, readonly [FaultCode, FaultCode]>> = {
  string: ['too_small', 'too_long'],
  array: ['too_few', 'too_many'],
};
