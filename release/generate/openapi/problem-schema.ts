import { z } from 'zod';
import { faultParams, faultSchema, problemCode } from '../../../lib/http/request-faults.ts';
import { maxErrors } from '../../../lib/http/problem.ts';

const text = (description: string, example: string) => z.string().meta({ description, example });

export const problemSchema = z
  .object({
    type: text('A URN of the code', 'urn:problem-type:invalid_request'),
    title: text('The same for every problem of this code', 'Invalid request'),
    status: z.int().meta({ description: 'The HTTP status', example: 400 }),
    detail: text('For developers', 'The request has one fault; see errors.'),
    code: problemCode,
    requestId: text('The id of the request in the log', '5d0b4a86-0ad5-4c5c-9ee1-0a9a0d3d5a11'),
    params: faultParams.optional(),
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
    others: z
      .int()
      .optional()
      .meta({ description: 'Number of records that it neither contains nor would remove', example: 3 }),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457 problem details; `code` is stable, title and detail are for developers.',
  });
