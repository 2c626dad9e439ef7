import { parseSettings, type Environment, type SettingValues } from '../contract/settings-table.ts';
import { modelFaults } from './ai-model.ts';
import { ServiceError } from '../base/service-error.ts';
import { wordTemplateFaults } from './word-templates.ts';
import { serviceSettingsTable } from './service-settings-table.ts';

type Table = typeof serviceSettingsTable;
type Values = SettingValues<Table>;
/** A group of variables that switches one part of the service on. */
export type Part = {
  [Name in keyof Table]: PartOf<Table[Name]>;
}[keyof Table];
type PartOf<Row> = Row extends { part: infer P } ? (P extends readonly (infer Each)[] ? Each : P) : never;
type NamesOf<P extends Part> = {
  [Name in keyof Table]: P extends PartOf<Table[Name]> ? Name : never;
}[keyof Table];

/** The service's settings; variables of a part are read through `require`, which checks that they are present. */
export class Settings {
  readonly values: Values;
  readonly #missing: ReadonlyMap<string, readonly string[]>;

  constructor(values: Values, missing: ReadonlyMap<string, readonly string[]>) {
    this.values = values;
    this.#missing = missing;
  }

  /**
   * The values, with every variable of the given parts present.
   *
   * @throws ServiceError `not_configured`, `detail` naming every missing variable of those parts
   */
  require<P extends Part>(
    ...parts: readonly P[]
  ): Values & { readonly [Name in NamesOf<P>]: NonNullable<Values[Name]> } {
    const missing = parts.flatMap((part) => this.#missing.get(part) ?? []);
    if (missing.length > 0) {
      throw new ServiceError('not_configured', {
        detail: `This part of the service is switched off until these variables are set: ${missing.join(', ')}.`,
        retryAfterSeconds: 300,
      });
    }
    return this.values as Values & { [Name in NamesOf<P>]: NonNullable<Values[Name]> };
  }
}

/** @throws SettingsError with all faults */
export function readSettings(env: Environment): Settings {
  const { values, missing } = parseSettings(serviceSettingsTable, env, (given) => [
    ...storageFaults(given),
    ...modelFaults(given),
    ...wordTemplateFaults(given.WORD_TEMPLATE_PATH, given.WORD_TEMPLATES),
  ]);
  return new Settings(values, missing);
}

function storageFaults(given: Partial<Values>): readonly string[] {
  const hasEndpoints = given.STORAGE_TABLE_ENDPOINT && given.STORAGE_BLOB_ENDPOINT;
  return given.STORAGE_CONNECTION_STRING || hasEndpoints
    ? []
    : ['STORAGE_CONNECTION_STRING: is missing, or STORAGE_TABLE_ENDPOINT and STORAGE_BLOB_ENDPOINT are'];
}
