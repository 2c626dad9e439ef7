import * as z from 'zod';
import type { Fault } from '../base/service-error.ts';
import { faultsOf } from './request-faults.ts';

const maxErrorsOfItem = 20;

/** An item of a batch that does not have the required form. It does not prevent the others from being written. */
export class FaultyItem {
  readonly parsed: z.core.$ZodCatchCtx;

  constructor(parsed: z.core.$ZodCatchCtx) {
    this.parsed = parsed;
  }

  faultsAt(index: number): Fault[] {
    const at = `body.items.${index}`;
    return this.parsed.error.issues.flatMap((issue) => faultsOf(at, issue)).slice(0, maxErrorsOfItem);
  }

  /** Zod makes one, too, for the default value in the OpenAPI document, which has none. */
  toJSON(): undefined {
    return undefined;
  }
}

/** The items of a batch, whose faulty ones are no faults of the body. */
export function batchItems<T>(item: z.ZodType<T>, maxItems: number) {
  const itemOrFault: z.ZodType<T | FaultyItem> = item;
  // Zod counts the items after it has parsed them.
  return z.preprocess(
    (items) => (Array.isArray(items) ? items.slice(0, maxItems + 1) : items),
    z
      .array(itemOrFault.catch((context) => new FaultyItem(context)))
      .min(1)
      .max(maxItems),
  );
}
