import { z } from 'zod';
import { faultCodes, type FaultCode } from '../contract/faults.ts';

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
