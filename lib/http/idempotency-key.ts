import { text } from '../contract/text.ts';

/** The header of operations that do their work once per key, however often they are called. */
export const idempotencyKey = text(128).min(1).optional().meta({
  description: 'Any text unique to this request; the same key with another body is rejected.',
});
