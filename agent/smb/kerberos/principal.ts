import { field, Fields, generalString, integer, readSequenceOf, readString, sequence } from './der.ts';

/** RFC 4120 section 6.2, RFC 6806 section 5. */
export const NameType = { principal: 1, serviceInstance: 2, enterprise: 10 } as const;

export interface Principal {
  readonly type: number;
  readonly parts: readonly string[];
}

export const principalText = ({ parts }: Principal) => parts.join('/');

/** Whether two names are equal, ignoring type and case: realms of Active Directory respell names. */
export const isSamePrincipal = (a: Principal, b: Principal) =>
  a.parts.length === b.parts.length &&
  a.parts.every((part, index) => part.toLowerCase() === b.parts[index]!.toLowerCase());

export const principalName = ({ type, parts }: Principal) =>
  sequence(field(0, integer(type)), field(1, sequence(...parts.map(generalString))));

export function readPrincipal(element: Buffer): Principal {
  const fields = new Fields(element);
  return { type: fields.integer(0), parts: readSequenceOf(fields.element(1)).map(readString) };
}

const ticketGranting = 'krbtgt';

/** The ticket-granting service of a realm. */
export const ticketGrantingService = (realm: string): Principal => ({
  type: NameType.serviceInstance,
  parts: [ticketGranting, realm],
});

/** The realm whose KDC accepts tickets for this service; undefined for any other service. */
export function grantedRealm({ parts: [first, realm, ...more] }: Principal): string | undefined {
  return first === ticketGranting && more.length === 0 ? realm : undefined;
}
