import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The types of the Graph extension are only in Microsoft's registry, which the project's build machines cannot reach; the
// pipelines compile with them (.ci/bicep). These are the parts that bicep/entra/main.bicep uses, in the format of type
// indexes, from microsoftgraph/msgraph-bicep-types da9a87c1ad40, generated/microsoftgraph/microsoft.graph/v1.0/1.0.0.

type Property = readonly [type: object, flags?: number];

const required = 1;
const readOnly = 2;
const constantAtDeployment = 8;
const identifier = 16;

/** Writes index.json and types.json for `bicep publish-extension` into a new folder, and returns the path of the former. */
export function writeGraphTypes(folder: string): string {
  const types: object[] = [];
  const add = (type: object) => ({ $ref: `#/${types.push(type) - 1}` });
  const string = add({ $type: 'StringType' });
  const boolean = add({ $type: 'BooleanType' });
  const integer = add({ $type: 'IntegerType' });
  const literal = (value: string) => add({ $type: 'StringLiteralType', value });
  const listOf = (itemType: object) => add({ $type: 'ArrayType', itemType });
  const object = (name: string, properties: Readonly<Record<string, Property>>) =>
    add({
      $type: 'ObjectType',
      name,
      properties: Object.fromEntries(
        Object.entries(properties).map(([property, [type, flags = 0]]) => [property, { type, flags }]),
      ),
    });
  const resource = (name: string, properties: Readonly<Record<string, Property>>) => {
    const identity = {
      type: [literal(name), readOnly | constantAtDeployment],
      apiVersion: [literal('v1.0'), readOnly | constantAtDeployment],
      id: [string, readOnly],
    } as const;
    const body = object(name, { ...identity, ...properties });
    return [
      `${name}@v1.0`,
      add({ $type: 'ResourceType', name: `${name}@v1.0`, scopeType: 0, body, flags: 0 }),
    ] as const;
  };

  const scope = object('MicrosoftGraphPermissionScope', {
    adminConsentDescription: [string],
    adminConsentDisplayName: [string],
    id: [string, required],
    isEnabled: [boolean],
    type: [string],
    userConsentDescription: [string],
    userConsentDisplayName: [string],
    value: [string],
  });
  const appRole = object('MicrosoftGraphAppRole', {
    allowedMemberTypes: [listOf(string)],
    description: [string],
    displayName: [string],
    id: [string, required],
    isEnabled: [boolean],
    value: [string],
  });
  const access = object('MicrosoftGraphResourceAccess', { id: [string, required], type: [string, required] });
  const preAuthorized = object('MicrosoftGraphPreAuthorizedApplication', {
    appId: [string],
    delegatedPermissionIds: [listOf(string)],
  });
  const resources = [
    resource('Microsoft.Graph/applications', {
      api: [
        object('MicrosoftGraphApiApplication', {
          acceptMappedClaims: [boolean],
          knownClientApplications: [listOf(string)],
          oauth2PermissionScopes: [listOf(scope)],
          preAuthorizedApplications: [listOf(preAuthorized)],
          requestedAccessTokenVersion: [integer],
        }),
      ],
      appId: [string, readOnly],
      appRoles: [listOf(appRole)],
      displayName: [string, required],
      identifierUris: [listOf(string)],
      isFallbackPublicClient: [boolean],
      requiredResourceAccess: [
        listOf(
          object('MicrosoftGraphRequiredResourceAccess', {
            resourceAccess: [listOf(access), required],
            resourceAppId: [string, required],
          }),
        ),
      ],
      signInAudience: [string],
      uniqueName: [string, required | constantAtDeployment | identifier],
    }),
    resource('Microsoft.Graph/servicePrincipals', {
      appId: [string, required | identifier],
      appRoleAssignmentRequired: [boolean],
      oauth2PermissionScopes: [listOf(scope)],
    }),
    resource('Microsoft.Graph/appRoleAssignedTo', {
      appRoleId: [string, required],
      principalId: [string, required],
      resourceId: [string, required],
    }),
    resource('Microsoft.Graph/oauth2PermissionGrants', {
      clientId: [string, required],
      consentType: [string, required],
      principalId: [string],
      resourceId: [string, required],
      scope: [string],
    }),
  ];
  const index = {
    resources: Object.fromEntries(resources.map(([name, { $ref }]) => [name, { $ref: `types.json${$ref}` }])),
    resourceFunctions: {},
    settings: { name: 'MicrosoftGraph', version: '1.0.0', isSingleton: false },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'types.json'), JSON.stringify(types));
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
  return join(folder, 'index.json');
}
