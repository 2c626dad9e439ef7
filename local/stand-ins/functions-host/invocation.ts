import { randomBytes, randomUUID } from 'node:crypto';
import type { Binding, FunctionMetadata, InvocationRequest } from './messages.ts';

export type RegisteredFunction = FunctionMetadata & { functionId: string };

export interface Trigger {
  functionId: string;
  bindingName: string;
  binding: Binding;
}

/** The triggers of one type. */
export function triggersOf(functions: readonly RegisteredFunction[], type: string): Trigger[] {
  return functions.flatMap(({ functionId, bindings }) =>
    Object.entries(bindings)
      .filter(([, binding]) => binding.type === type)
      .map(([bindingName, binding]) => ({ functionId, bindingName, binding })),
  );
}

/** One invocation with its single input, a new id, and a new trace. */
export function newInvocation(
  { functionId, bindingName }: Pick<Trigger, 'functionId' | 'bindingName'>,
  data: InvocationRequest['inputData'][number]['data'],
  triggerMetadata: InvocationRequest['triggerMetadata'],
): InvocationRequest {
  return {
    invocationId: randomUUID(),
    functionId,
    inputData: [{ name: bindingName, data }],
    triggerMetadata,
    traceContext: {
      traceParent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`,
      traceState: '',
      attributes: {},
    },
  };
}
