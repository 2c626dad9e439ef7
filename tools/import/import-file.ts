// `npm run import -w tools -- contacts FILE`: writes the records of a file to the running stack, or to the service of --url as the
// person who signs in (local/README.md, "Signing in").
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { fieldsOf, suggestedColumns, type Columns, type Kind } from '../../console/import-files/columns.ts';
import { fileFaultText, resemblanceText, rowFaultText } from '../../console/import-files/fault-text.ts';
import { tableIn, unreadableAs, type FileTable } from '../../console/import-files/file-table.ts';
import { planOf } from '../../console/import-files/plan.ts';
import { existingRecords, sendPlan, type Call } from '../../console/import-files/send-plan.ts';
import { readStackFile } from '../../local/stack/stack-file.ts';
import { People, signInFlags, type SignInFlags } from '../verify/people.ts';

const usage = `npm run import -w tools -- contacts|projects FILE [--dry-run] [--columns "feld=Spalte,feld=Spalte"] [--same 12,15] [--url https://…]

Liest eine CSV-Datei (Trennzeichen ; , oder Tabulator) und schreibt ihre Kontakte oder Projekte. --dry-run schreibt nichts.
Eine Zeile, die einem gespeicherten Kontakt nur ähnelt, wird neu angelegt; --same nennt die Zeilen, die ihn ändern sollen.
Felder für Kontakte: ${fieldsOf('contacts').join(', ')}
Felder für Projekte: ${fieldsOf('projects').join(', ')}

Mit --url melden Sie sich im Browser an, oder mit --device-code mit einem Code: --client, --tenant und --api, oder VERIFICATION_CLIENT_ID, IDP_TENANT_ID und
IDP_API_CLIENT_ID. Statt der Anmeldung geht ein Zugriffstoken in RECORDS_TOKEN.`;

const maxShownFaults = 50;
const attempts = 5;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

/** @returns 1 if rows have faults */
async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      columns: { type: 'string', default: '' },
      same: { type: 'string', default: '' },
      url: { type: 'string' },
      help: { type: 'boolean', default: false },
      ...signInFlags,
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const [kind, file] = positionals;
  if ((kind !== 'contacts' && kind !== 'projects') || file === undefined) throw new Error(usage);
  const bytes = await readFile(file);
  const unreadable = unreadableAs(bytes);
  if (unreadable) throw new Error(fileFaultText(unreadable, 'de'));
  const table = tableIn(bytes);
  const columns = { ...suggestedColumns(kind, table), ...columnsIn(values.columns, kind, table) };
  for (const field of fieldsOf(kind)) {
    const name = table.header[columns[field] ?? -1];
    print(`${field.padEnd(12)} ${name === undefined ? '–' : `„${name}“`}`);
  }
  const samePerson = linesIn(values.same);
  const call = await caller(values);
  const plan = planOf(kind, table, columns, await existingRecords(kind, call), { samePerson });
  for (const line of samePerson) {
    const resembles = plan.records.some((record) => record.line === line && record.resembling.length > 0);
    if (!resembles) throw new Error(`--same: Zeile ${line} ähnelt keinem gespeicherten Kontakt.`);
  }
  const count = (outcome: string): number =>
    plan.records.filter((record) => record.outcome === outcome).length;
  print(
    `${table.rows.length} Zeilen: ${count('created')} neu, ${count('updated')} geändert, ${count('unchanged')} unverändert, ${plan.faults.length} Fehler`,
  );
  const show = (faults: typeof plan.faults): void => {
    for (const fault of faults.slice(0, maxShownFaults)) print(rowFaultText(fault, 'de'));
    if (faults.length > maxShownFaults) print(`… und ${faults.length - maxShownFaults} weitere`);
  };
  show(plan.faults);
  if (plan.warnings.length > 0) print(`${plan.warnings.length} Hinweise:`);
  show(plan.warnings);
  for (const record of plan.records) {
    if (record.outcome === 'created' && record.resembling.length > 0) {
      print(`Neu, oder dieselbe Person? ${resemblanceText(record, 'de')}`);
    }
  }
  if (values['dry-run']) {
    print('Probelauf: nichts geschrieben.');
    return plan.faults.length > 0 ? 1 : 0;
  }
  const result = await sendPlan(kind, plan, call, (sent, total) => print(`${sent} von ${total} geschrieben`));
  show(result.faults);
  print(`Fertig: ${result.created} angelegt, ${result.updated} geändert.`);
  return plan.faults.length + result.faults.length > 0 ? 1 : 0;
}

function columnsIn(text: string, kind: Kind, { header }: FileTable): Columns {
  const columns: Record<string, number> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [field = '', name = ''] = pair.split('=').map((part) => part.trim());
    const at = header.indexOf(name);
    if (!fieldsOf(kind).includes(field)) throw new Error(`--columns: „${field}“ ist kein Feld.\n\n${usage}`);
    if (at < 0) throw new Error(`--columns: Die Datei hat keine Spalte „${name}“, nur: ${header.join(', ')}`);
    columns[field] = at;
  }
  return columns;
}

function linesIn(text: string): ReadonlySet<number> {
  const parts = text.split(',').map((part) => part.trim());
  if (text === '') return new Set();
  for (const part of parts) {
    if (!/^\d+$/.test(part)) throw new Error(`--same: „${part}“ ist keine Nummer einer Zeile.`);
  }
  return new Set(parts.map(Number));
}

async function caller({ url, ...flags }: SignInFlags & { url?: string | undefined }): Promise<Call> {
  const { baseUrl, token } = url === undefined ? await localService() : await remoteService(url, flags);
  return async (method, path, body) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${baseUrl}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.ok) return response.json();
      const problem = await response.text();
      if (attempt === attempts || (response.status !== 429 && response.status < 500)) {
        throw new Error(`${method} ${path}: HTTP ${response.status} ${problem}`);
      }
      await new Promise((resolve) =>
        setTimeout(resolve, 1000 * Number(response.headers.get('retry-after') ?? attempt)),
      );
    }
  };
}

interface Service {
  readonly baseUrl: string;
  readonly token: () => Promise<string>;
}

async function localService(): Promise<Service> {
  const { baseUrl, tokens } = await readStackFile(
    'Starten Sie den Dienst mit npm start, oder nennen Sie ihn mit --url.',
  );
  const { RECORDS_TOKEN: given = tokens.recordsSync } = process.env;
  return { baseUrl, token: () => Promise.resolve(given) };
}

/** The person signs in before the first call. */
async function remoteService(url: string, flags: SignInFlags): Promise<Service> {
  const token = new People(flags, process.env).apiToken('RECORDS_TOKEN');
  await token();
  return { baseUrl: url.replace(/\/+$/, ''), token };
}
