import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../release/repository-root.ts';

/** A resource as the compiler predicts it. Values that only Azure knows are expressions: `[reference('…').vaultUri]`. */
export interface AzureResource {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly sku?: { readonly name: string };
  readonly identity?: { readonly type: string; readonly userAssignedIdentities: object };
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * Every resource that main.bicepparam deploys in an environment, from the committed snapshot, which tests/tools/bicep.test.ts
 * compares with the templates.
 */
export const deployedResources = (environment: 'dev' | 'prod'): AzureResource[] =>
  (
    JSON.parse(readFileSync(join(repositoryRoot, `bicep/snapshots/main.${environment}.json`), 'utf8')) as {
      predictedResources: AzureResource[];
    }
  ).predictedResources;

/** The settings of the function app, by name. */
export function appSettings(resources: readonly AzureResource[]): Map<string, string> {
  const app = resources.find(({ type }) => type === 'Microsoft.Web/sites');
  const config = app?.properties?.['siteConfig'] as
    | { appSettings: { name: string; value: string }[] }
    | undefined;
  if (!config) throw new Error('the snapshot has no function app with siteConfig');
  return new Map(config.appSettings.map(({ name, value }) => [name, value]));
}
