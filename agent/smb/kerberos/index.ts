/**
 * A Kerberos 5 client in TypeScript, without native code and without dependencies: logon with password or keytab, service
 * tickets through referrals between realms, and the initiator's side of GSS-API. It imports nothing from outside its
 * folder.
 *
 *     const client = new KerberosClient({ realm: 'FIRMA.LOCAL', username: 'agent', secret: { password } });
 *     const context = new GssInitiator(client, 'cifs/fs1.firma.local');
 *     const reply = await exchange(await context.start());
 *     await context.accept(reply);
 */
export { KerberosClient, type KerberosOptions, type RealmStatus } from './kerberos-client.ts';
export { type AccountSecret, keysInKeytab } from './account-keys.ts';
export { GssInitiator, kerberosMechanism, microsoftKerberosMechanism } from './gss-initiator.ts';
export { isAccountRejection, KerberosError, type KerberosErrorCode } from './base/kerberos-error.ts';
export { readKeytab, type KeytabEntry } from './keytab.ts';
export { parseKdcAddress, type KdcAddress } from './kdc.ts';
export { systemRandom, type Random } from './base/random.ts';
export { findControllers } from './lookup/controllers.ts';
export { resolveSrv, type DnsOptions } from './lookup/dns.ts';
export { hostLookup, lookup } from './lookup/host-lookup.ts';
export { firstOfStaggered } from './lookup/staggered.ts';
