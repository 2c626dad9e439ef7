// Third phase of a deployment, after infrastructure and code: the API inside API Management, imported from the
// generated OpenAPI document, with its policies. The key of the backend is read from the vault.

import { listed, tokenClientIds } from 'modules/service-settings.bicep'

@description('The gateway that the first phase has deployed.')
param apiManagementName string

@description('The function app that the first phase has deployed.')
param functionAppName string

@description('The vault that the first phase has deployed; holds the secret backend-function-key.')
param keyVaultName string

@description('Tenant whose users can call the API.')
param tenantId string

@description('Client id of the API\'s app registration; the audience of user tokens.')
param apiClientId string

@description('Client id of the console\'s app registration; empty for no console.')
param consoleClientId string = ''

@description('Client id of the verification client, with which an operator\'s commands sign in; empty for none.')
param verificationClientId string = ''

@description('Client ids of the front ends, comma-separated; empty for customers with the console only.')
param frontEndClientIds string = ''

@description('Client ids of the systems of record, which sign in as themselves, comma-separated; the service has the same list.')
param recordsSyncClientIds string = ''

@description('Origins of the front ends, for CORS, comma-separated: https://host without a trailing slash. Empty for customers with the console only.')
param frontEndOrigins string = ''

@description('Custom domain of the gateway; empty for none.')
param gatewayHostname string = ''

@description('Largest upload that the gateway accepts, in MiB. main.bicep sizes the instances for it.')
@minValue(1)
@maxValue(250)
param gatewayUploadBoundMiB int = 32

@description('Whether the gateway responds to the claims of idle agents itself; see "Empty claims" in README.md.')
param cacheEmptyClaims bool = true

@description('Whether a rejected call is logged with the address of its caller; false where the rules of the customer forbid it.')
param logCallerAddresses bool = true

// Without this list, the policy would accept the tokens of every client. The function app has the same list.
var clientIds = tokenClientIds([frontEndClientIds, consoleClientId, verificationClientId, recordsSyncClientIds])
var acceptedClientIds = empty(clientIds)
  ? fail('No client could call the API: set the id of the console, of a front end, of the verification client, or of a system of record (README.md, "Variables").')
  : clientIds

// The console calls the API from the gateway's own origin, as one of the front ends.
var gatewayOrigins = map(
  concat(['${apiManagementName}.azure-api.net'], listed(gatewayHostname)),
  host => 'https://${host}'
)
var allOrigins = union(listed(frontEndOrigins), gatewayOrigins)

var policy = reduce(
  [
    { name: '__TENANT_ID__', text: tenantId }
    { name: '__API_CLIENT_ID__', text: apiClientId }
    { name: '__CLIENT_IDS__', text: join(map(acceptedClientIds, id => '<application-id>${id}</application-id>'), '') }
    { name: '__RECORDS_SYNC_CLIENT_IDS__', text: ',${join(listed(recordsSyncClientIds), ',')},' }
    { name: '__LOGS_CALLER_ADDRESSES__', text: logCallerAddresses ? 'true' : 'false' }
    { name: '__FRONT_END_ORIGINS__', text: join(map(allOrigins, origin => '<origin>${origin}</origin>'), '') }
  ],
  loadTextContent('policies/api.xml'),
  (text, placeholder) => replace(text, placeholder.name, placeholder.text)
)

var guard = reduce(
  [
    { name: '__UPLOAD_BOUND_BYTES__', text: string(gatewayUploadBoundMiB * 1048576) }
    { name: '__LOGS_CALLER_ADDRESSES__', text: logCallerAddresses ? 'true' : 'false' }
  ],
  loadTextContent('policies/guard.xml'),
  (text, placeholder) => replace(text, placeholder.name, placeholder.text)
)

resource gateway 'Microsoft.ApiManagement/service@2024-05-01' existing = {
  name: apiManagementName
}

resource app 'Microsoft.Web/sites@2025-03-01' existing = {
  name: functionAppName
}

resource vault 'Microsoft.KeyVault/vaults@2026-02-01' existing = {
  name: keyVaultName
}

resource telemetry 'Microsoft.ApiManagement/service/loggers@2024-05-01' existing = {
  parent: gateway
  name: 'application-insights'
}

// Calls of both APIs in Application Insights.
var loggedCalls = {
  loggerId: telemetry.id
  alwaysLog: 'allErrors'
  httpCorrelationProtocol: 'W3C'
  logClientIp: false
  // The service writes a line for each successful request; the gateway always logs errors.
  sampling: { samplingType: 'fixed', percentage: 1 }
  // Bodies are never logged, because reading them would buffer uploads and downloads.
  frontend: { request: { body: { bytes: 0 } }, response: { body: { bytes: 0 } } }
  backend: { request: { body: { bytes: 0 } }, response: { body: { bytes: 0 } } }
}

// set-backend-key.sh has created the secret, so the role assignment can be limited to it.
module gatewayReadsKey 'modules/secret-reader.bicep' = {
  name: 'gateway-reads-backend-key'
  params: {
    vaultName: vault.name
    name: 'backend-function-key'
    // The name of the assignment contains it (modules/secret-reader.bicep). What-if runs for main.bicep only.
    #disable-next-line what-if-short-circuiting
    principalId: gateway.identity.principalId
  }
}

// The fragment refers to it as {{backend-function-key}}, so it must exist before the fragment is saved.
resource backendKey 'Microsoft.ApiManagement/service/namedValues@2024-05-01' = {
  parent: gateway
  name: 'backend-function-key'
  properties: {
    displayName: 'backend-function-key'
    secret: true
    // No identityClientId: the system-assigned identity reads it, see modules/api-management.bicep.
    keyVault: { secretIdentifier: '${vault.properties.vaultUri}secrets/backend-function-key' }
  }
  dependsOn: [gatewayReadsKey]
}

// What every request passes before it gets the key of the host; the policies of all APIs include it.
resource guardFragment 'Microsoft.ApiManagement/service/policyFragments@2024-05-01' = {
  parent: gateway
  name: 'guard'
  properties: {
    format: 'rawxml'
    value: guard
  }
  dependsOn: [backendKey]
}

resource versions 'Microsoft.ApiManagement/service/apiVersionSets@2024-05-01' = {
  parent: gateway
  name: 'project-folders'
  properties: {
    displayName: 'Project documents, folder requests and activities'
    versioningScheme: 'Segment'
  }
}

resource api 'Microsoft.ApiManagement/service/apis@2024-05-01' = {
  parent: gateway
  name: 'project-folders-v1'
  properties: {
    displayName: 'Project documents, folder requests and activities'
    path: 'api'
    apiVersion: 'v1'
    apiVersionSetId: versions.id
    apiType: 'http'
    protocols: ['https']
    // Callers send a user token or an agent key; subscription keys would be a third secret to rotate.
    subscriptionRequired: false
    format: 'openapi+json'
    value: string(loadJsonContent('openapi.json'))
    serviceUrl: 'https://${app.properties.defaultHostName}/api/v1'
    // Required query parameters remain query parameters instead of becoming part of the path template.
    translateRequiredQueryParameters: 'query'
  }
}

resource apiPolicy 'Microsoft.ApiManagement/service/apis/policies@2024-05-01' = {
  parent: api
  name: 'policy'
  properties: {
    format: 'rawxml'
    value: policy
  }
  dependsOn: [guardFragment]
}

// Read by claim.xml at every claim, so that operators can turn the cache off without a deployment.
resource cacheSwitch 'Microsoft.ApiManagement/service/namedValues@2024-05-01' = {
  parent: gateway
  name: 'cache-empty-claims'
  properties: {
    displayName: 'cache-empty-claims'
    value: cacheEmptyClaims ? 'true' : 'false'
  }
}

resource claimOperation 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' existing = {
  parent: api
  name: 'claim-folder-request'
}

resource claimPolicy 'Microsoft.ApiManagement/service/apis/operations/policies@2024-05-01' = {
  parent: claimOperation
  name: 'policy'
  properties: {
    format: 'rawxml'
    value: loadTextContent('policies/claim.xml')
  }
  dependsOn: [cacheSwitch]
}

// The operations after which an agent may find a request that it did not find before. The end of a lease is not among
// them: the service tells the gateway when it comes.
var claimableOperationIds = [
  'request-folder'
  'batch-folder-requests'
  'requeue-folder-request'
  'release-folder-request'
  'free-folder-request'
  'correct-folder-request'
  'change-agent'
]

resource claimableOperations 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' existing = [
  for id in claimableOperationIds: {
    parent: api
    name: id
  }
]

resource claimablePolicies 'Microsoft.ApiManagement/service/apis/operations/policies@2024-05-01' = [
  for (id, index) in claimableOperationIds: {
    parent: claimableOperations[index]
    name: 'policy'
    properties: {
      format: 'rawxml'
      value: loadTextContent('policies/claimable.xml')
    }
  }
]

// The OpenAPI document does not list HEAD, which the service serves wherever it serves GET.
resource headOperation 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' = {
  parent: api
  name: 'head'
  properties: {
    displayName: 'GET without the body'
    method: 'HEAD'
    urlTemplate: '/*'
  }
}

// The console's files. A separate API, because the API of the OpenAPI document requires a token.
resource console 'Microsoft.ApiManagement/service/apis@2024-05-01' = if (!empty(consoleClientId)) {
  parent: gateway
  name: 'project-folders-console'
  properties: {
    displayName: 'Console'
    path: 'api/console'
    apiType: 'http'
    protocols: ['https']
    subscriptionRequired: false
    serviceUrl: 'https://${app.properties.defaultHostName}/api/console'
  }
}

resource consoleOperations 'Microsoft.ApiManagement/service/apis/operations@2024-05-01' = [
  for operation in [
    { name: 'get-page', displayName: 'The page', method: 'GET', urlTemplate: '/' }
    { name: 'get-file', displayName: 'Files and views', method: 'GET', urlTemplate: '/*' }
    { name: 'head-page', displayName: 'The page without its body', method: 'HEAD', urlTemplate: '/' }
    { name: 'head-file', displayName: 'Files and views without their bodies', method: 'HEAD', urlTemplate: '/*' }
  ]: if (!empty(consoleClientId)) {
    parent: console
    name: operation.name
    properties: {
      displayName: operation.displayName
      method: operation.method
      urlTemplate: operation.urlTemplate
    }
  }
]

resource consolePolicy 'Microsoft.ApiManagement/service/apis/policies@2024-05-01' = if (!empty(consoleClientId)) {
  parent: console
  name: 'policy'
  properties: {
    format: 'rawxml'
    value: loadTextContent('policies/console.xml')
  }
  dependsOn: [guardFragment]
}

resource diagnostics 'Microsoft.ApiManagement/service/apis/diagnostics@2024-05-01' = {
  parent: api
  name: 'applicationinsights'
  properties: loggedCalls
}

resource consoleDiagnostics 'Microsoft.ApiManagement/service/apis/diagnostics@2024-05-01' = if (!empty(consoleClientId)) {
  parent: console
  name: 'applicationinsights'
  properties: loggedCalls
}
