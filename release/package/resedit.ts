import { createRequire } from 'node:module';

/** The part of resedit that we use. Its own declarations would add the DOM's types to the whole program. */
interface ResEdit {
  readonly NtExecutable: { from(bytes: Buffer, options?: { ignoreCert: boolean }): NtExecutable };
  readonly NtExecutableResource: { from(executable: NtExecutable): NtExecutableResource };
  readonly Resource: {
    readonly VersionInfo: { fromEntries(entries: readonly ResourceEntry[]): VersionInfo[] };
  };
}

interface NtExecutable {
  readonly newHeader: {
    readonly fileHeader: { readonly machine: number };
    readonly optionalHeaderDataDirectory: { get(index: number): { readonly size: number } };
  };
  getAllSections(): {
    readonly info: { readonly pointerToRawData: number; readonly sizeOfRawData: number };
  }[];
  generate(): ArrayBuffer;
}

interface NtExecutableResource {
  readonly entries: ResourceEntry[];
  outputResource(executable: NtExecutable): void;
}

interface ResourceEntry {
  readonly type: string | number;
  readonly id: string | number;
  readonly lang: number;
  readonly codepage: number;
  readonly bin: ArrayBuffer;
}

interface VersionLanguage {
  readonly lang: number;
  readonly codepage: number;
}

interface VersionInfo {
  readonly fixedInfo: { readonly productVersionMS: number; readonly productVersionLS: number };
  getAllLanguagesForStringValues(): VersionLanguage[];
  getStringValues(language: VersionLanguage): Record<string, string>;
  removeAllStringValues(language: VersionLanguage): void;
  setFileVersion(version: string, lang: number): void;
  setProductVersion(version: string, lang: number): void;
  setStringValues(language: VersionLanguage, values: Record<string, string>): void;
  outputToResourceEntries(entries: ResourceEntry[]): void;
}

export const { NtExecutable, NtExecutableResource, Resource } = createRequire(import.meta.url)(
  'resedit',
) as ResEdit;
