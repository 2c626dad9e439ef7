import { type DnsOptions, resolveSrv } from './dns.ts';
import type { SrvRecord } from './dns-message.ts';

export interface ControllerOptions {
  readonly dns?: DnsOptions | undefined;
  /** The site of this machine, whose controllers come first. */
  readonly site?: string | undefined;
}

/**
 * The servers of a domain with a service (RFC 4120 section 7.2.3.2). Below `dc._msdcs` Active Directory lists only domain
 * controllers (MS-ADTS 6.3.2.3). The next name is tried also when a server rejects the first. Empty when the DNS has none.
 * @throws {KerberosError} `KDC_UNREACHABLE` when no name has servers and a query failed
 */
export async function findControllers(
  service: 'kerberos' | 'ldap',
  domain: string,
  { dns, site }: ControllerOptions,
): Promise<SrvRecord[]> {
  let failure: unknown;
  const recordsOf = (below: string) =>
    resolveSrv(`_${service}._tcp.${below}${domain.toLowerCase()}`, dns).catch((error: unknown) => {
      failure ??= error;
      return [];
    });
  const [inSite, ofDomain] = await Promise.all([
    site === undefined ? [] : recordsOf(`${site}._sites.dc._msdcs.`),
    recordsOf('dc._msdcs.'),
  ]);
  const listed = [...inSite, ...ofDomain];
  const records = listed.length > 0 ? listed : await recordsOf('');
  if (records.length === 0 && failure !== undefined) throw failure;
  return [...new Map(records.map((record) => [`${record.host}:${record.port}`, record])).values()];
}
