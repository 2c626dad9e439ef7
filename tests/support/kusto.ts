import { createRequire } from 'node:module';

// Microsoft's language service for the Kusto Query Language, compiled from C#. It adds the globals Bridge, System, and Kusto,
// and a property to Object.
interface Diagnostic {
  readonly Code: string;
  readonly Message: string;
}
interface Language {
  Symbols: {
    TableSymbol: { From: (schema: string) => { WithName: (name: string) => object } };
    DatabaseSymbol: { $ctor1: new (name: string, tables: object[]) => object };
  };
  GlobalState: { Default: { WithDatabase: (database: object) => object } };
  KustoCode: {
    ParseAndAnalyze: (
      query: string,
      globals: object,
    ) => { GetDiagnostics: () => { Count: number; getItem: (index: number) => Diagnostic } };
  };
}

const require = createRequire(import.meta.url);
require('@kusto/language-service-next/bridge.min.js');
require('@kusto/language-service-next/Kusto.Language.Bridge.min.js');
declare const Kusto: { readonly Language: Language };
const { Symbols, GlobalState, KustoCode } = Kusto.Language;

// learn.microsoft.com, azure-monitor/app/data-model-complete and reference/tables/{apptraces,apprequests,appexceptions}:
// the columns that a query with the scope of an Application Insights resource finds, under their names there.
const everywhere =
  'timestamp: datetime, itemType: string, itemId: string, itemCount: int, customDimensions: dynamic, ' +
  'customMeasurements: dynamic, operation_Name: string, operation_Id: string, operation_ParentId: string, ' +
  'cloud_RoleName: string, cloud_RoleInstance: string, appId: string, appName: string, sdkVersion: string, ' +
  'client_Type: string, client_IP: string, session_Id: string, user_Id: string, _ResourceId: string';
const tables = {
  traces: 'message: string, severityLevel: int',
  requests:
    'id: string, source: string, name: string, url: string, success: bool, resultCode: string, duration: real, ' +
    'performanceBucket: string',
  exceptions:
    'problemId: string, type: string, message: string, assembly: string, method: string, outerType: string, ' +
    'outerMessage: string, innermostType: string, innermostMessage: string, details: dynamic, severityLevel: int',
};
const database = GlobalState.Default.WithDatabase(
  new Symbols.DatabaseSymbol.$ctor1(
    'telemetry',
    Object.entries(tables).map(([name, columns]) =>
      Symbols.TableSymbol.From(`(${everywhere}, ${columns})`).WithName(name),
    ),
  ),
);

/** `KS142 The name … does not refer to any known column` for everything in a query that Azure would not run. */
export function queryFaults(query: string): string[] {
  const found = KustoCode.ParseAndAnalyze(query, database).GetDiagnostics();
  return Array.from({ length: found.Count }, (_, index) => {
    const { Code, Message } = found.getItem(index);
    return `${Code} ${Message}`;
  });
}
