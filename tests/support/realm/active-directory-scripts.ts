// Scripts that run as root inside the namespaces. Names and addresses exist only there.

export const agentAccount = { name: 'svc-agent', password: 'Geheim-4711' } as const;
/** Accounts with the same password that the controller rejects: one is disabled, one must change its password. */
export const rejectedAccounts = { disabled: 'gesperrt', mustChange: 'abgelaufen' } as const;
/** Names of machines that receive packets and never respond. */
export const silentHosts = Array.from({ length: 20 }, (_, at) => `still${at + 1}.firma.test`);
const administratorPassword = 'Admin-Geheim-1';

const lines = (...text: readonly string[]) => `${text.join('\n')}\n`;
const file = (path: string, content: string) => `cat >${path} <<'END_OF_FILE'\n${content}END_OF_FILE\n`;
const conf = (settings: Readonly<Record<string, string>>) =>
  lines('[global]', ...Object.entries(settings).map(([name, value]) => ` ${name} = ${value}`));
const share = (name: string, path: string, ...more: readonly string[]) =>
  lines(`[${name}]`, ` path = ${path}`, ' read only = no', ...more.map((line) => ` ${line}`));

/** Target of each link of `\\firma.test\daten`. */
const links: Readonly<Record<string, string>> = {
  Projekte: 'fs1.firma.test\\projekte',
  Vorlagen: 'fs1.firma.test\\vorlagen',
  Zentrale: 'dc1.firma.test\\zentrale',
  Kette: 'fs1.firma.test\\dfs2\\Weiter',
  Ersatz: 'tot.firma.test\\projekte,fs1.firma.test\\projekte',
  Kurz: 'FS1\\projekte',
  // The same machine by a name that is not registered in the realm.
  Unregistriert: 'ablage.firma.test\\projekte',
  Fremd: 'fs1.boese.test\\projekte',
  // More do not fit into the link's file.
  Still: [...silentHosts.slice(-6), 'fs1.firma.test'].map((host) => `${host}\\projekte`).join(),
  // Interlinks: their targets are in the namespace of the domain.
  Intern: 'firma.test\\daten\\Projekte',
  Kreis: 'firma.test\\daten\\Kreis',
};

const otherHosts = [
  '127.0.0.1 localhost',
  '10.99.0.2 fs1.firma.test fs1',
  '10.99.0.2 ablage.firma.test',
  ...silentHosts.map((host, index) => `10.99.0.${71 + index} ${host}`),
];

/** Provisions the controller without starting it. Everything it writes is in `folder`. */
export function directorySetup(folder: string): string {
  const database = `tdb://${folder}/dc/private/sam.ldb`;
  return [
    // Without these folders, Samba exits or writes to the system's.
    `cd ${folder}`,
    'umask 022',
    'mkdir -p run/ncalrpc run/ntp member/ncalrpc member/lock member/cache dfsroot dfsroot2 projekte vorlagen zentrale',
    'chmod 777 projekte vorlagen zentrale',
    'ip link set lo up',
    // Not a dummy device, which a kernel may lack.
    'ip link add ad0 type veth peer name ad1',
    'ip addr add 10.99.0.1/24 dev ad0',
    'ip addr add 10.99.0.2/24 dev ad0',
    'ip link set ad0 up',
    'ip link set ad1 up',
    // Packets to these addresses leave, and the other end of the device drops them.
    ...silentHosts.map(
      (_, index) => `ip neigh add 10.99.0.${71 + index} lladdr 02:00:00:00:00:01 dev ad0 nud permanent`,
    ),
    file('hosts', lines('10.99.0.1 dc1.firma.test dc1', ...otherHosts)),
    file('resolv.conf', lines('nameserver 10.99.0.1', 'search firma.test')),
    file('outage-hosts', lines(...otherHosts)),
    file('outage-resolv.conf', lines('nameserver 10.99.0.71', 'nameserver 10.99.0.1', 'search firma.test')),
    file('nsswitch.conf', lines('passwd: files', 'group: files', 'hosts: files dns')),
    file('member-nsswitch.conf', lines('passwd: files winbind', 'group: files winbind', 'hosts: files dns')),
    file(
      'krb5.conf',
      lines('[libdefaults]', ' default_realm = FIRMA.TEST', ' dns_lookup_kdc = true', ' rdns = false'),
    ),
    file('empty.conf', '[global]\n'),
    'for name in hosts resolv.conf nsswitch.conf; do mount --bind $PWD/$name /etc/$name; done',
    // The folder of winbind's socket is compiled into libwbclient.
    'for name in /run/samba /var/lib/samba /var/log/samba /etc/samba; do mkdir -p $name; mount -t tmpfs none $name; done',
    'cp empty.conf /etc/samba/smb.conf',
    // Debian's own Python has the modules of samba-tool.
    `/usr/bin/python3 /usr/bin/samba-tool domain provision --realm=FIRMA.TEST --domain=FIRMA --server-role=dc \\
      --dns-backend=SAMBA_INTERNAL --host-name=dc1 --host-ip=10.99.0.1 --adminpass=${administratorPassword} \\
      --targetdir=${folder}/dc --configfile=${folder}/empty.conf --option=interfaces=10.99.0.1 \\
      --option='bind interfaces only=yes' --option='vfs objects=' --option=posix:eadb=${folder}/eadb.tdb \\
      --option='pid directory=${folder}/run'`,
    file('dc.conf', controllerConf(folder)),
    file('accounts.ldif', accounts()),
    `ldbmodify -H ${database} accounts.ldif`,
    `/usr/bin/python3 /usr/bin/samba-tool domain exportkeytab ${folder}/agent.keytab --principal=${agentAccount.name} -s dc.conf`,
    ...Object.entries(links).map(([name, targets]) => `ln -s 'msdfs:${targets}' dfsroot/${name}`),
    `ln -s 'msdfs:fs1.firma.test\\vorlagen' dfsroot2/Weiter`,
    file('fs1.conf', memberConf(folder)),
    '',
  ].join('\n');
}

/** Joins the member and serves its files, in a separate mount namespace. */
export function memberStart(folder: string): string {
  const join = `net ads join -s ${folder}/fs1.conf -U Administrator@FIRMA.TEST%${administratorPassword} --use-kerberos=required --no-dns-updates -S dc1.firma.test`;
  return lines(
    'mount --make-rprivate /',
    // A winbind separate from the controller's.
    'mount -t tmpfs -o mode=755 none /run/samba',
    `mount --bind ${folder}/member-nsswitch.conf /etc/nsswitch.conf`,
    // A controller that has just started rejects joins.
    `until ${join}; do sleep 0.2; done`,
    `winbindd -F --no-process-group -s ${folder}/fs1.conf &`,
    // smbd rejects logons until winbind has the accounts.
    `until wbinfo -i 'FIRMA\\${agentAccount.name}'; do sleep 0.1; done`,
    `exec smbd -F --no-process-group -s ${folder}/fs1.conf`,
  );
}

function controllerConf(folder: string): string {
  const settings = {
    'server role': 'active directory domain controller',
    realm: 'FIRMA.TEST',
    workgroup: 'FIRMA',
    'netbios name': 'DC1',
    interfaces: '10.99.0.1',
    'bind interfaces only': 'yes',
    'server services': 's3fs, rpc, ldap, cldap, kdc, winbindd, dns',
    'ntlm auth': 'disabled',
    'host msdfs': 'yes',
    'binddns dir': `${folder}/dc/bind-dns`,
    'cache directory': `${folder}/dc/cache`,
    'lock directory': `${folder}/dc`,
    'state directory': `${folder}/dc/state`,
    'private dir': `${folder}/dc/private`,
    'pid directory': `${folder}/run`,
    'ncalrpc dir': `${folder}/run/ncalrpc`,
    'ntp signd socket directory': `${folder}/run/ntp`,
    'log file': `${folder}/log.%m`,
    'posix:eadb': `${folder}/eadb.tdb`,
  };
  return (
    conf(settings) +
    share('sysvol', `${folder}/dc/state/sysvol`) +
    share('daten', `${folder}/dfsroot`, 'msdfs root = yes') +
    share('zentrale', `${folder}/zentrale`)
  );
}

function memberConf(folder: string): string {
  const settings = {
    'server role': 'member server',
    security: 'ads',
    realm: 'FIRMA.TEST',
    workgroup: 'FIRMA',
    'netbios name': 'FS1',
    interfaces: '10.99.0.2',
    'bind interfaces only': 'yes',
    'smb ports': '445',
    'disable netbios': 'yes',
    'ntlm auth': 'disabled',
    'server smb encrypt': 'required',
    'server signing': 'mandatory',
    'host msdfs': 'yes',
    'load printers': 'no',
    // See agent/smb/tests/samba/samba-conf.ts.
    'change notify': 'no',
    'idmap config * : backend': 'tdb',
    'idmap config * : range': '3000-7999',
    'idmap config FIRMA : backend': 'rid',
    'idmap config FIRMA : range': '10000-99999',
    'state directory': `${folder}/member`,
    'cache directory': `${folder}/member/cache`,
    'lock directory': `${folder}/member/lock`,
    'private dir': `${folder}/member`,
    'pid directory': `${folder}/member`,
    'ncalrpc dir': `${folder}/member/ncalrpc`,
    'log file': `${folder}/log.fs1`,
  };
  return (
    conf(settings) +
    share('projekte', `${folder}/projekte`) +
    share('vorlagen', `${folder}/vorlagen`) +
    share('dfs2', `${folder}/dfsroot2`, 'msdfs root = yes')
  );
}

function accounts(): string {
  return [
    // Samba's own update of service principals would come minutes later, and the join needs this one.
    lines(
      'dn: CN=DC1,OU=Domain Controllers,DC=firma,DC=test',
      'changetype: modify',
      'add: servicePrincipalName',
      'servicePrincipalName: ldap/dc1.firma.test',
      // A client gets the ticket before it connects.
      ...silentHosts.map((host) => `servicePrincipalName: cifs/${host}`),
    ),
    user(agentAccount.name, 'userAccountControl: 512'),
    user(rejectedAccounts.disabled, 'userAccountControl: 514'),
    user(rejectedAccounts.mustChange, 'userAccountControl: 512', 'pwdLastSet: 0'),
  ].join('\n');
}

function user(name: string, ...more: readonly string[]): string {
  const password = Buffer.from(`"${agentAccount.password}"`, 'utf16le').toString('base64');
  return lines(
    `dn: CN=${name},CN=Users,DC=firma,DC=test`,
    'changetype: add',
    'objectClass: user',
    `sAMAccountName: ${name}`,
    `userPrincipalName: ${name}@firma.test`,
    `unicodePwd:: ${password}`,
    ...more,
  );
}
