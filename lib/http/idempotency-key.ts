import * as z from 'zod';

/** The header of operations that do their work once per key, however often they are called. */
export const idempotencyKey = z.string().min(1).max(128).optional().meta({
  description: 'Any text unique to this request; the same key with another body is rejected.',
});
