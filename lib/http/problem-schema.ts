import { z } from 'zod';
import { faultCodes, type FaultCode } from '../contract/faults.ts';
import { problemCodes, type ProblemCode } from '../base/service-error.ts';
import { maxErrors } from './problem.ts';

const params = z
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
    params,
    message: z.string().meta({
      description: 'For developers: a sentence without its subject',
      example: 'must not be longer than 4000 characters',
    }),
  })
  .meta({ id: 'Fault', description: 'One fault of a request' });

const text = (description: string, example: string) => z.string().meta({ description, example });

export const problemSchema = z
  .object({
    type: text('A URN of the code', 'urn:problem-type:invalid_request'),
    title: text('The same for every problem of this code', 'Invalid request'),
    status: z.int().meta({ description: 'The HTTP status', example: 400 }),
    detail: text('For developers', 'The request has one fault; see errors.'),
    code: z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]).meta({
      id: 'ProblemCode',
      description: 'What happened. Treat an unknown code by its HTTP status',
    }),
    requestId: text('The id of the request in the log', '5d0b4a86-0ad5-4c5c-9ee1-0a9a0d3d5a11'),
    params: params.optional(),
    errors: z
      .array(faultSchema)
      .max(maxErrors)
      .optional()
      .meta({ description: 'Every fault of the request' }),
    subject: text('Of an activity that was written, but not stored', 'Baubeginn').optional(),
    content: text('Of an activity that was written, but not stored', 'Sehr geehrte …').optional(),
    missing: z
      .int()
      .optional()
      .meta({ description: 'Number of records that a synchronization would remove', example: 812 }),
    missingIds: z
      .array(z.string())
      .max(100)
      .optional()
      .meta({ description: 'The first of them', example: ['2026-0412'] }),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457 problem details; `code` is stable, title and detail are for developers.',
  });
