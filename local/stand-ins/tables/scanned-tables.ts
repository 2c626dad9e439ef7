// Preloaded (`--import`) into Azurite, whose pages are as long when a query reads more rows. With this, a query scans the
// range of its keys as the table service does at `SCANNED_ROWS_PER_SECOND`, but takes no time: the rows that are read are
// counted, not those that match, and a page ends after those of five seconds, or at the end of a partition, with a
// continuation. Sources: "Query timeout and pagination" and "Query density" in Microsoft's documentation of Table Storage.
// Requests, signatures, filters, transactions and ETags remain Azurite's.
//
// Tests insert rows, read counts and close a gate by messages (loaded-rows.ts).
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { deserialize } from 'node:v8';
import { keyRangeOf, type FilterNode } from './key-range.ts';
import { OrderedEntities, type StoredEntity } from './ordered-entities.ts';
import { pastGate, type TablesMessage } from './loaded-rows.ts';

const maxPageSeconds = 5;
const maxRows = 1000;
const rowsPerSecond = Number(process.env['SCANNED_ROWS_PER_SECOND']);

interface TableStore {
  getTableCollectionName(account: string, table: string): string;
  rollbackEntityChanges(collection: OrderedEntities): void;
  removeEntitiesAddedInBatch(collection: OrderedEntities): void;
  encodeContinuationHeader(key: string | undefined): string | undefined;
  decodeContinuationHeader(header: string | undefined): string | undefined;
  getEntityCollection(account: string, table: string, context: unknown): OrderedEntities;
  transactionRollbackTheseEntities: unknown[];
  transactionDeleteTheseEntities: unknown[];
}

const require = createRequire(import.meta.url);
const azurite = 'azurite/dist/src/table';
const defaultOf = (path: string): unknown => (require(`${azurite}/${path}`) as { default: unknown }).default;
const queries = defaultOf('persistence/LokiTableStoreQueryGenerator.js') as {
  generateQueryForPersistenceLayer(options: unknown, context: unknown): (row: StoredEntity) => boolean;
};
const parseFilter = defaultOf('persistence/QueryInterpreter/QueryParser.js') as (
  filter: string,
) => FilterNode;
const errors = defaultOf('errors/StorageErrorFactory.js') as { getTableNotExist(context: unknown): Error };
const { prototype } = defaultOf('persistence/LokiTableMetadataStore.js') as { prototype: TableStore };

let scannedRows = 0;
const tables = new Map<string, OrderedEntities>();

const patch: Record<string, unknown> & ThisType<TableStore> = {
  createCollectionForTable({ account, table }: { account: string; table: string }) {
    tables.set(this.getTableCollectionName(account, table.toLowerCase()), new OrderedEntities());
  },
  removeTableCollection(account: string, { table }: { table: string }) {
    tables.delete(this.getTableCollectionName(account, table.toLowerCase()));
  },
  getEntityCollection(account: string, table: string, context: unknown) {
    const found = tables.get(this.getTableCollectionName(account, table.toLowerCase()));
    if (!found) throw errors.getTableNotExist(context);
    return found;
  },
  async endBatchTransaction(
    account: string,
    table: string,
    _batchId: string,
    context: unknown,
    succeeded: boolean,
  ) {
    if (!succeeded) {
      const collection = this.getEntityCollection(account, table, context);
      this.rollbackEntityChanges(collection);
      this.removeEntitiesAddedInBatch(collection);
    }
    this.transactionRollbackTheseEntities = [];
    this.transactionDeleteTheseEntities = [];
  },
  async queryTableEntities(
    context: unknown,
    account: string,
    table: string,
    options: { filter?: string; top?: number },
    nextPartitionKey?: string,
    nextRowKey?: string,
  ) {
    const isMatch = queries.generateQueryForPersistenceLayer(options, context);
    const range = keyRangeOf(options.filter ? parseFilter(options.filter) : undefined);
    const from =
      nextPartitionKey === undefined
        ? range.from
        : {
            PartitionKey: this.decodeContinuationHeader(nextPartitionKey) ?? '',
            RowKey: this.decodeContinuationHeader(nextRowKey) ?? '',
          };
    const { matches, scanned, next } = this.getEntityCollection(account, table, context).scan(
      { ...range, from },
      isMatch,
      { limit: Math.min(options.top ?? maxRows, maxRows), maxScanned: maxPageSeconds * rowsPerSecond },
    );
    scannedRows += scanned;
    return [
      matches,
      this.encodeContinuationHeader(next?.PartitionKey),
      this.encodeContinuationHeader(next?.RowKey),
    ];
  },
};
Object.assign(prototype, patch);

const gatePorts = new Map<string, number>();
const gateAgent = new Agent({ keepAlive: true });

function sendToGate(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, path: url, method, headers, agent: gateAgent });
  onward.on('error', () => outgoing.destroy());
  onward.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) onward.destroy();
  });
  incoming.pipe(onward);
}

const { prototype: listeners } = defaultOf('TableRequestListenerFactory.js') as {
  prototype: { createRequestListener: (this: unknown) => RequestListener };
};
const { createRequestListener } = listeners;
listeners.createRequestListener = function () {
  const listener = createRequestListener.call(this);
  return (incoming, outgoing) => {
    const port =
      incoming.headers[pastGate] === undefined
        ? gatePorts.get(/^\/([^/?]+)/.exec(incoming.url ?? '')?.[1] ?? '')
        : undefined;
    if (port === undefined) listener(incoming, outgoing);
    else sendToGate(incoming, outgoing, port);
  };
};

function respond(message: TablesMessage): number {
  if (message === 'scanned rows') return scannedRows;
  if ('gatePort' in message) {
    if (message.gatePort === null) gatePorts.delete(message.account);
    else gatePorts.set(message.account, message.gatePort);
    return 0;
  }
  const { account, table, rows } = message;
  const entities = tables.get(`${account}$${table.toLowerCase()}`);
  if (!entities) return 0;
  const loadedAt = new Date().toISOString();
  const timestamp = JSON.stringify({ Timestamp: loadedAt, 'Timestamp@odata.type': 'Edm.DateTime' });
  const version = JSON.stringify({
    lastModifiedTime: loadedAt,
    eTag: `W/"datetime'${encodeURIComponent(loadedAt)}'"`,
  });
  entities.load(
    rows.map(({ partitionKey, rowKey, properties }) => ({
      partitionKey,
      rowKey,
      json: mergeObjects(
        JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey }),
        `{"properties":${mergeObjects(properties, timestamp)}}`,
        version,
      ),
    })),
  );
  return rows.length;
}

/** JSON of an object with the members of these, none of which is empty: parsing each row would take most of a load's time. */
const mergeObjects = (...objects: readonly string[]): string =>
  `{${objects.map((json) => json.slice(1, -1)).join(',')}}`;

const server = createServer((request, response) => {
  void buffer(request).then((message) => {
    response.end(String(respond(deserialize(message) as TablesMessage)));
  });
});
// The parent process waits for the port.
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port)).unref();
