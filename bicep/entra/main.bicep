// The app registrations of the API (scope, app roles, delegated permissions) and of the verification client, with which an
// operator's commands sign in. In a separate folder, because the Graph extension is downloaded from a registry;
// register-app.sh does the same with the Azure CLI.

extension microsoftGraphV1

@description('Immutable name that identifies the registration in later deployments.')
param uniqueName string = 'projektordner-api'

param displayName string = 'Projektordner API'

@description('Application id URI; must use a verified domain of the tenant, e.g. api://contoso.de/projektordner.')
param identifierUri string

@description('The permission that MAIL_DRAFTS requires.')
param mailDrafts bool = false

@description('Immutable name of the verification client.')
param verificationName string = 'projektordner-verification'

@description('Object id of the person who verifies and accepts the deployment, the only one who can sign in with the verification client.')
param operatorId string

var graphAppId = '00000003-0000-0000-c000-000000000000'
var scopeId = guid(uniqueName, 'access_as_user')

var delegatedPermissions = concat(
  ['Files.ReadWrite.All', 'Sites.Read.All', 'User.Read', 'offline_access'],
  mailDrafts ? ['Mail.ReadWrite'] : []
)

// The values of lib/callers/roles.ts; a test compares them.
var userRoles = [
  { value: 'BackOffice', description: 'Project documents and folder requests' }
  { value: 'Management', description: 'Project documents and folder requests' }
  { value: 'ProjectManager', description: 'Project documents' }
  { value: 'Administrator', description: 'Everything, the queue of folder requests included' }
  { value: 'canCreateActivities', description: 'Activities written by the AI text provider' }
]
var applicationRoles = [
  { value: 'Records.Sync', description: 'Projects and contacts, for a system of record without a user' }
]
var appRoles = concat(
  map(userRoles, role => union(role, { memberType: 'User' })),
  map(applicationRoles, role => union(role, { memberType: 'Application' }))
)

resource graph 'Microsoft.Graph/servicePrincipals@v1.0' existing = {
  appId: graphAppId
}

resource api 'Microsoft.Graph/applications@v1.0' = {
  uniqueName: uniqueName
  displayName: displayName
  signInAudience: 'AzureADMyOrg'
  identifierUris: [identifierUri]
  api: {
    requestedAccessTokenVersion: 2
    oauth2PermissionScopes: [
      {
        id: scopeId
        value: 'access_as_user'
        type: 'User'
        isEnabled: true
        adminConsentDisplayName: 'Call the API as the user'
        adminConsentDescription: 'Lets the front end call the API on behalf of the signed-in user.'
        userConsentDisplayName: 'Call the API as you'
        userConsentDescription: 'Lets the front end call the API on your behalf.'
      }
    ]
    preAuthorizedApplications: [{ appId: verification.appId, delegatedPermissionIds: [scopeId] }]
  }
  appRoles: [
    for role in appRoles: {
      id: guid(uniqueName, role.value)
      value: role.value
      displayName: role.value
      description: role.description
      allowedMemberTypes: [role.memberType]
      isEnabled: true
    }
  ]
  requiredResourceAccess: [
    {
      resourceAppId: graphAppId
      resourceAccess: [
        for permission in delegatedPermissions: {
          id: filter(graph.oauth2PermissionScopes, scope => scope.value == permission)[0].id
          type: 'Scope'
        }
      ]
    }
  ]
}

resource principal 'Microsoft.Graph/servicePrincipals@v1.0' = {
  appId: api.appId
  appRoleAssignmentRequired: true
}

// Admin consent; the deployer needs the permissions of a privileged role administrator.
resource consent 'Microsoft.Graph/oauth2PermissionGrants@v1.0' = {
  clientId: principal.id
  consentType: 'AllPrincipals'
  resourceId: graph.id
  scope: join(delegatedPermissions, ' ')
}

// What the commands of local/verify, local/accept, and local/records ask Graph for; a test compares them. The API is not in
// requiredResourceAccess, because it refers to this client itself (preAuthorizedApplications).
var verificationPermissions = ['Files.ReadWrite.All', 'Sites.Read.All', 'User.Read']

// A public client: it has no secret, and a person signs in with a code on any device.
resource verification 'Microsoft.Graph/applications@v1.0' = {
  uniqueName: verificationName
  displayName: '${displayName} (verification)'
  signInAudience: 'AzureADMyOrg'
  isFallbackPublicClient: true
  requiredResourceAccess: [
    {
      resourceAppId: graphAppId
      resourceAccess: [
        for permission in verificationPermissions: {
          id: filter(graph.oauth2PermissionScopes, scope => scope.value == permission)[0].id
          type: 'Scope'
        }
      ]
    }
  ]
}

// Codes can be used for phishing, so nobody but the operator can redeem one of this client.
resource verificationPrincipal 'Microsoft.Graph/servicePrincipals@v1.0' = {
  appId: verification.appId
  appRoleAssignmentRequired: true
}

resource operator 'Microsoft.Graph/appRoleAssignedTo@v1.0' = {
  // The role of a client without roles.
  appRoleId: '00000000-0000-0000-0000-000000000000'
  principalId: operatorId
  resourceId: verificationPrincipal.id
}

resource verificationConsent 'Microsoft.Graph/oauth2PermissionGrants@v1.0' = {
  clientId: verificationPrincipal.id
  consentType: 'AllPrincipals'
  resourceId: graph.id
  scope: join(verificationPermissions, ' ')
}

output IDP_API_CLIENT_ID string = api.appId
output VERIFICATION_CLIENT_ID string = verification.appId
