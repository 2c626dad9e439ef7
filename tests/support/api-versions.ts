/**
 * The day on which the versions of Azure's APIs were compared with the types of the compiler 0.49.2. Fixed, so that an old
 * release stays deployable; whoever takes a newer compiler compares again, with the day of that.
 */
export const apiVersionsComparedOn = '2026-11-29';

/** From here on a version is replaced, if there is a newer one that is no preview: the rule of Microsoft's linter. */
export const oldestDays = 730;

/** Older ones, and why they stay. */
export const olderVersions: Readonly<Record<string, string>> = {
  'Microsoft.ApiManagement@2024-05-01': 'later ones are previews',
  'namedValues/$named_value/refreshSecret@2024-05-01': 'as the templates of the gateway',
  'Microsoft.Authorization/locks@2020-05-01': 'the last one',
  'Microsoft.Authorization/roleAssignments@2022-04-01': 'the last one',
  'Microsoft.Insights/actionGroups@2023-01-01': 'the last one',
  'Microsoft.Insights/components@2020-02-02': 'the last one',
  'Microsoft.Insights/diagnosticSettings@2021-05-01-preview':
    'the only one that is no preview, of 2016, has no groups of categories',
  'Microsoft.Insights/workbooks@2023-06-01': 'the last one',
  'Microsoft.Network/privateDnsZones@2024-06-01': 'the last one',
  // learn.microsoft.com, app-service/app-service-key-vault-references, "Rotation"; no specification has it.
  'configreferences/appsettings/refresh@2022-03-01': 'the one that Microsoft’s page names',
};
