// First phase of a deployment: everything but the API inside API Management, which needs the code to run (api.bicep).

targetScope = 'subscription'

import { listed, serviceSettings } from 'modules/service-settings.bicep'
import { storageSku } from 'modules/storage.bicep'

@description('Short name of the environment; part of every resource name.')
@allowed(['dev', 'prod'])
param environmentName string

@description('Azure region of every resource.')
param location string

@description('Word in every resource name: lower-case letters, digits, and hyphens. With another one, the same environment can be created beside one whose region is lost (README.md, "A lost region"). With a longer word, the host id of the function app, which is the first 32 characters of its name, would no longer be unique.')
@minLength(2)
@maxLength(13)
param workload string = 'projektordner'

@description('Node version of the Functions runtime; check that the region has it with az functionapp list-flexconsumption-runtimes.')
@allowed(['22', '24'])
param nodeVersion string = '22'

@description('Private endpoints, VNet integration, and no public endpoint of the storage, the vault, and the function app.')
param privateNetwork bool

@description('With privateNetwork: service that the subnet of the pipeline\'s runner is delegated to, GitHub.Network/networkSettings or Microsoft.DevOpsInfrastructure/pools; empty for self-hosted machines.')
param runnerDelegation string = ''

@description('Tier of API Management. The Consumption tier has no rate limits by key, and its limit for bodies is too small for uploads.')
@allowed(['BasicV2', 'StandardV2'])
param apiManagementSku string

@description('Custom domain of the gateway, whose certificate is gateway-certificate in the vault; empty for none. See "A domain of your own" in README.md.')
param gatewayHostname string = ''

@description('Largest upload that the gateway accepts, in MiB.')
@minValue(1)
@maxValue(250)
param gatewayUploadBoundMiB int = 32

@description('Memory of an instance of the function app: 512, 2048 or 4096. 512 costs a quarter of 2048, and needs an upload bound of at most 8 MiB; see "Uploads" in README.md.')
@minValue(512)
@maxValue(4096)
param instanceMemoryMB int = 2048

@description('How the account of the data is copied: RAGZRS also to the paired region, from which it can be read if this one is lost; ZRS where a region has no pair. deploy.sh keeps what an account has.')
param storageRedundancy storageSku = 'Standard_RAGZRS'

@description('Telemetry within a day, in gigabytes, above which Azure collects no more until the next: no fault may cost without a bound.')
@minValue(1)
param telemetryGigabytesADay int = 1

@description('Publisher that API Management displays.')
param publisherName string

@description('Address that API Management sends its notifications to.')
param publisherEmail string

@description('Address that receives the alerts.')
param alertEmail string

@description('Alerts that are paused, comma-separated: the keys in modules/alerts.bicep. A deployment would enable one that was disabled in the portal.')
param pausedAlerts string = ''

@description('Tokens of the AI text provider within a day, above which an alert is raised. A text costs some 2,000.')
@minValue(1)
param aiTokensADay int = 5000000

@description('Object ids of those who can write the secrets of the vault, comma-separated: the deploying identity, and the operators or their group. Not deployer(): what-if of another person would always show a change.')
@minLength(36)
param vaultOfficerIds string

@description('recover for the first deployment after the environment was deleted, otherwise default. See README.md, "Deleting an environment".')
@allowed(['default', 'recover'])
param vaultCreateMode string = 'default'

@description('The variables of this deployment as JSON, for somebody who has no file of the environment (setup.sh). No resource depends on them.')
param deployedVariables string = '{}'

@description('Settings of the service that are not secrets. See README.md, "Variables".')
param service serviceSettings

// Tables and containers that the service uses; a test compares them with lib/.
var tableNames = [
  'Agents'
  'Contacts'
  'FolderRequests'
  'ProjectDocuments'
  'Projects'
]
var templateContainer = 'templates'
var backupContainer = 'backups'
var packageContainer = 'app-package'

var storageRoles = {
  blobDataContributor: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  blobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  queueDataContributor: '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
  tableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
}

// Known before anything is deployed, so that what-if can predict the names that depend on them: those of role assignments
// and of the workbook. The modules read the object ids themselves.
var identityName = 'id-${workload}-${environmentName}'
var gatewayIdentityName = '${identityName}-gateway'
var applicationInsightsName = 'appi-${workload}-${environmentName}'

var suffix = uniqueString(subscription().id, environmentName, location, workload)
var tags = { environment: environmentName, workload: workload }

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: 'rg-${workload}-${environmentName}'
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  scope: group
  name: 'identity'
  params: {
    name: identityName
    location: location
    tags: tags
  }
}

// A separate identity for API Management's telemetry. Anyone who can edit a policy can act with the identities of the
// gateway, so the function app's identity, which reads the data and the secrets, is not one of them.
module gatewayIdentity 'modules/identity.bicep' = {
  scope: group
  name: 'identity-gateway'
  params: {
    name: gatewayIdentityName
    location: location
    tags: tags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  scope: group
  name: 'monitoring'
  params: {
    name: '${workload}-${environmentName}'
    location: location
    tags: tags
    applicationInsightsName: applicationInsightsName
    alertEmail: alertEmail
    gigabytesADay: telemetryGigabytesADay
    publisherNames: [identityName, gatewayIdentityName]
  }
  dependsOn: [identity, gatewayIdentity]
}

module alerts 'modules/alerts.bicep' = {
  scope: group
  name: 'alerts'
  params: {
    name: '${workload}-${environmentName}'
    location: location
    tags: tags
    applicationInsightsId: monitoring.outputs.applicationInsightsId
    actionGroupId: monitoring.outputs.actionGroupId
    pausedKeys: listed(pausedAlerts)
    tokensADay: aiTokensADay
  }
}

module workbook 'modules/workbook.bicep' = {
  scope: group
  name: 'workbook'
  params: {
    location: location
    tags: tags
    applicationInsightsName: applicationInsightsName
  }
  dependsOn: [monitoring]
}

module network 'modules/network.bicep' = if (privateNetwork) {
  scope: group
  name: 'network'
  params: {
    name: '${workload}-${environmentName}'
    location: location
    tags: tags
    runnerDelegation: runnerDelegation
  }
}

module storage 'modules/storage.bicep' = {
  scope: group
  name: 'storage'
  params: {
    name: 'st${take(replace(workload, '-', ''), 8)}${take(suffix, 13)}'
    location: location
    tags: tags
    containers: [templateContainer, backupContainer]
    backupContainer: backupContainer
    tables: tableNames
    redundancy: storageRedundancy
    identityName: identityName
    roleIds: [storageRoles.blobDataContributor, storageRoles.tableDataContributor]
    publicNetworkAccess: privateNetwork ? 'Disabled' : 'Enabled'
    logsChanges: true
    workspaceId: monitoring.outputs.workspaceId
  }
  dependsOn: [identity]
}

// Separate from the data: otherwise an identity that can write blobs there, for example the letter template, could
// replace the code or read the keys of the host.
module hostStorage 'modules/storage.bicep' = {
  scope: group
  name: 'storage-host'
  params: {
    name: 'sthost${take(replace(workload, '-', ''), 5)}${take(suffix, 13)}'
    location: location
    tags: tags
    containers: [packageContainer]
    tables: []
    // A deployment writes all of it again.
    redundancy: 'Standard_ZRS'
    identityName: identityName
    roleIds: [storageRoles.blobDataOwner, storageRoles.queueDataContributor, storageRoles.tableDataContributor]
    publicNetworkAccess: privateNetwork ? 'Disabled' : 'Enabled'
    // The host's leases and heartbeats are not worth logging.
    logsChanges: false
    workspaceId: monitoring.outputs.workspaceId
  }
  dependsOn: [identity]
}

module vault 'modules/key-vault.bicep' = {
  scope: group
  name: 'key-vault'
  params: {
    name: 'kv-${take(replace(workload, '-', ''), 8)}-${take(suffix, 11)}'
    location: location
    tags: tags
    readerName: identityName
    officerPrincipalIds: listed(vaultOfficerIds)
    publicNetworkAccess: privateNetwork ? 'Disabled' : 'Enabled'
    purgeProtection: environmentName == 'prod'
    createMode: vaultCreateMode
    workspaceId: monitoring.outputs.workspaceId
  }
  dependsOn: [identity]
}

module secretExpiry 'modules/secret-expiry.bicep' = {
  scope: group
  name: 'secret-expiry'
  params: {
    name: '${workload}-${environmentName}'
    location: location
    tags: tags
    vaultId: vault.outputs.id
    actionGroupId: monitoring.outputs.actionGroupId
  }
}

module storageEndpoints 'modules/private-endpoint.bicep' = [
  for groupId in ['blob', 'table']: if (privateNetwork) {
    scope: group
    name: 'private-endpoint-${groupId}'
    params: {
      name: 'pe-${workload}-${environmentName}-${groupId}'
      location: location
      tags: tags
      targetId: storage.outputs.id
      groupId: groupId
      subnetId: network!.outputs.endpointSubnetId
      zoneId: network!.outputs.zoneIds[groupId]
    }
  }
]

module hostStorageEndpoints 'modules/private-endpoint.bicep' = [
  for groupId in ['blob', 'queue', 'table']: if (privateNetwork) {
    scope: group
    name: 'private-endpoint-host-${groupId}'
    params: {
      name: 'pe-${workload}-${environmentName}-host-${groupId}'
      location: location
      tags: tags
      targetId: hostStorage.outputs.id
      groupId: groupId
      subnetId: network!.outputs.endpointSubnetId
      zoneId: network!.outputs.zoneIds[groupId]
    }
  }
]

module vaultEndpoint 'modules/private-endpoint.bicep' = if (privateNetwork) {
  scope: group
  name: 'private-endpoint-vault'
  params: {
    name: 'pe-${workload}-${environmentName}-vault'
    location: location
    tags: tags
    targetId: vault.outputs.id
    groupId: 'vault'
    subnetId: network!.outputs.endpointSubnetId
    zoneId: network!.outputs.zoneIds.vault
  }
}

module functionApp 'modules/function-app.bicep' = {
  scope: group
  name: 'function-app'
  params: {
    name: 'func-${workload}-${environmentName}-${take(suffix, 6)}'
    location: location
    tags: tags
    nodeVersion: nodeVersion
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    hostStorage: hostStorage.outputs.endpoints
    dataStorage: storage.outputs.endpoints
    packageContainer: packageContainer
    templateContainer: templateContainer
    vaultUri: vault.outputs.uri
    applicationInsightsConnectionString: monitoring.outputs.applicationInsightsConnectionString
    subnetId: privateNetwork ? network!.outputs.appSubnetId : ''
    publicNetworkAccess: privateNetwork ? 'Disabled' : 'Enabled'
    alwaysReadyInstances: environmentName == 'prod' ? 1 : 0
    heldUploadMiB: gatewayUploadBoundMiB
    instanceMemoryMB: instanceMemoryMB
    service: service
  }
  // In a private network, the host reaches its storage and its secrets only through these.
  dependsOn: [storageEndpoints, hostStorageEndpoints, vaultEndpoint]
}

module functionAppEndpoint 'modules/private-endpoint.bicep' = if (privateNetwork) {
  scope: group
  name: 'private-endpoint-sites'
  params: {
    name: 'pe-${workload}-${environmentName}-sites'
    location: location
    tags: tags
    targetId: functionApp.outputs.id
    groupId: 'sites'
    subnetId: network!.outputs.endpointSubnetId
    zoneId: network!.outputs.zoneIds.sites
  }
}

module apiManagement 'modules/api-management.bicep' = {
  scope: group
  name: 'api-management'
  params: {
    name: 'apim-${workload}-${environmentName}-${take(suffix, 6)}'
    location: location
    tags: tags
    sku: apiManagementSku
    hostname: gatewayHostname
    certificateUri: '${vault.outputs.uri}secrets/gateway-certificate'
    publisherName: publisherName
    publisherEmail: publisherEmail
    identityId: gatewayIdentity.outputs.id
    identityClientId: gatewayIdentity.outputs.clientId
    applicationInsightsId: monitoring.outputs.applicationInsightsId
    applicationInsightsConnectionString: monitoring.outputs.applicationInsightsConnectionString
    subnetId: privateNetwork ? network!.outputs.gatewaySubnetId : ''
  }
}

output AZURE_RESOURCE_GROUP string = group.name
output FUNCTION_APP_NAME string = functionApp.outputs.name
output FUNCTION_APP_URL string = functionApp.outputs.url
output API_MANAGEMENT_NAME string = apiManagement.outputs.name
output KEY_VAULT_NAME string = vault.outputs.name
output STORAGE_ACCOUNT_NAME string = storage.outputs.name
output APPLICATION_INSIGHTS_NAME string = applicationInsightsName
output GATEWAY_URL string = apiManagement.outputs.gatewayUrl

output DEPLOYED_VARIABLES string = deployedVariables

@description('Parameters of api.bicep, for api.bicepparam.')
output API_PARAMETERS object = {
  apiManagementName: apiManagement.outputs.name
  functionAppName: functionApp.outputs.name
  keyVaultName: vault.outputs.name
  tenantId: service.tenantId
  apiClientId: service.apiClientId
  consoleClientId: service.consoleClientId
  verificationClientId: service.verificationClientId
  frontEndClientIds: service.frontEndClientIds
  recordsSyncClientIds: service.recordsSyncClientIds
  gatewayHostname: gatewayHostname
  gatewayUploadBoundMiB: gatewayUploadBoundMiB
}
