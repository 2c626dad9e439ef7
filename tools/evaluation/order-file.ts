import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { newActivity } from '../../lib/activities/activity.ts';
import type { Order } from './orders.ts';

const name = z.string().nullable().default(null);
const pattern = z.string().transform((source, context) => {
  try {
    return new RegExp(source, 'iu');
  } catch {
    context.addIssue({ code: 'custom', message: 'expected a regular expression' });
    return z.NEVER;
  }
});

const orderFile = z
  .array(
    z.strictObject({
      occasion: z.string().default('own'),
      activityType: newActivity.shape.activityType,
      description: newActivity.shape.description,
      contact: z.strictObject({ company: name, title: name, firstName: name, lastName: name }),
      project: z.strictObject({ number: z.string(), name: z.string() }).nullable().default(null),
      sender: z.string().optional(),
      says: z.array(pattern).default([]),
      neverSays: z.array(pattern).default([]),
    }),
  )
  .min(1);

const withoutAddress = { street: null, houseNumber: null, zip: null, city: null, email: null };

/**
 * A company's own orders, as a JSON array. `says` and `neverSays` are regular expressions, in any case.
 * @throws Error that names the file and every fault in it
 */
export function readOrders(path: string): Order[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : 'cannot be read'}`, {
      cause: error,
    });
  }
  const parsed = orderFile.safeParse(json);
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  const updatedAt = new Date().toISOString();
  return parsed.data.map(({ sender, contact, project, ...order }) => ({
    ...order,
    ...(sender !== undefined && { sender }),
    contact: { id: '00000000-0000-4000-8000-000000000000', ...contact, ...withoutAddress, updatedAt },
    project: project && { id: 'p', ...project, updatedAt },
  }));
}
