import { serviceSettings, tokenClientIds } from 'service-settings.bicep'
import { storageEndpoints } from 'storage.bicep'

param name string
param location string
param tags object
param nodeVersion string
param identityId string
param identityClientId string

@description('Account of the host: package, keys, leases.')
param hostStorage storageEndpoints

@description('Account of the data: tables, templates.')
param dataStorage storageEndpoints

param packageContainer string
param templateContainer string
param vaultUri string
param applicationInsightsConnectionString string

@description('Subnet for outgoing traffic; empty for none.')
param subnetId string

@allowed(['Enabled', 'Disabled'])
param publicNetworkAccess string

param alwaysReadyInstances int

@description('Largest upload that the host buffers, in MiB.')
param heldUploadMiB int

@description('Memory of an instance.')
param instanceMemoryMB int

param service serviceSettings

// Names of the secrets in the vault; the runbook describes how to set them.
var secretUris = {
  idpApiClientSecret: '${vaultUri}secrets/idp-api-client-secret'
  folderAgentApiKeys: '${vaultUri}secrets/folder-agent-api-keys'
  aiApiKey: '${vaultUri}secrets/ai-api-key'
}

// Settings that the host and the Azure libraries read. Flex Consumption rejects or ignores the usual settings of other
// plans (FUNCTIONS_WORKER_RUNTIME, WEBSITE_*), so they are absent.
var hostSettings = {
  AzureWebJobsStorage__blobServiceUri: hostStorage.blob
  AzureWebJobsStorage__queueServiceUri: hostStorage.queue
  AzureWebJobsStorage__tableServiceUri: hostStorage.table
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: applicationInsightsConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  // It would need no key.
  AzureWebJobsDisableHomepage: 'true'
  // Kestrel's default is 100 MiB; the multipart frame needs slightly more than the largest file.
  FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: string(service.maxUploadBytes + 10485760)
}

// The settings of lib/settings/service-settings-table.ts; a test compares the names.
var serviceAppSettings = {
  STORAGE_TABLE_ENDPOINT: dataStorage.table
  STORAGE_BLOB_ENDPOINT: dataStorage.blob
  AZURE_CLIENT_ID: identityClientId
  IDP_TENANT_ID: service.tenantId
  IDP_API_CLIENT_ID: service.apiClientId
  IDP_API_SCOPE: 'access_as_user'
  IDP_AUTHORITY_HOST: environment().authentication.loginEndpoint
  IDP_API_CLIENT_SECRET: '@Microsoft.KeyVault(SecretUri=${secretUris.idpApiClientSecret})'
  CONSOLE_CLIENT_ID: service.consoleClientId
  CONSOLE_AUTHORITY_HOST: environment().authentication.loginEndpoint
  CONSOLE_UPLOAD_ORIGIN: 'https://${split(service.librarySiteId, ',')[0]}'
  IDP_TOKEN_CLIENT_IDS: join(
    tokenClientIds([
      service.frontEndClientIds
      service.consoleClientId
      service.verificationClientId
      service.recordsSyncClientIds
    ]),
    ','
  )
  RECORDS_SYNC_CLIENT_IDS: service.recordsSyncClientIds
  RECORDS_SYNC_MAX_MISSING_PERCENT: '10'
  DOCAPI_SCOPES: 'https://graph.microsoft.com/Files.ReadWrite.All https://graph.microsoft.com/Sites.Read.All https://graph.microsoft.com/User.Read'
  GRAPH_BASE_URL: 'https://graph.microsoft.com/v1.0'
  DOCLIB_SITE_ID: service.librarySiteId
  DOCLIB_DRIVE_ID: service.libraryDriveId
  DOCLIB_PROJECT_ROOT_PATH: '/Projekte'
  DOCLIB_UPLOAD_CONFLICT_BEHAVIOR: 'replace'
  MAX_UPLOAD_BYTES: string(service.maxUploadBytes)
  UPLOAD_DISK_BYTES: '536870912'
  FOLDER_AGENT_API_KEYS: '@Microsoft.KeyVault(SecretUri=${secretUris.folderAgentApiKeys})'
  FOLDER_QUEUE_SHARDS: string(service.folderQueueShards)
  FOLDER_REQUEST_LEASE_SECONDS: '300'
  FOLDER_REQUEST_MAX_ATTEMPTS: '5'
  FOLDER_REQUEST_RETRY: 'true'
  FOLDER_REQUEST_RETENTION_DAYS: string(service.folderRequestRetentionDays)
}

// An unresolved reference prevents the app from starting, so these are set only when their secret exists.
var activitySettings = {
  AI_API_KEY: '@Microsoft.KeyVault(SecretUri=${secretUris.aiApiKey})'
  AI_BASE_URL: service.aiBaseUrl
  AI_MODEL: service.aiModel
  AI_TIMEOUT_MS: '60000'
  AI_MAX_OUTPUT_TOKENS: '8000'
  AI_MAX_TEXTS_PER_HOUR: '120'
  AI_SEND_NAMES: service.aiSendsNames ? 'true' : 'false'
  AI_HOUSE_STYLE: service.aiHouseStyle
  AI_OUTPUT_LANGUAGE: 'de'
  WORD_TEMPLATE_PATH: '${dataStorage.blob}${templateContainer}/brief.docx'
  WORD_TEMPLATES: service.wordTemplates
  EMAIL_SIGNATURE: service.emailSignature
  MAIL_DRAFTS: service.mailDrafts ? 'true' : 'false'
  ACTIVITY_FOLDER: 'Aktivitäten'
  ACTIVITY_TIME_ZONE: 'Europe/Berlin'
}

// Before the function starts, the host buffers a body of declared length, with 14/3 bytes of memory for each byte
// (measured: 1,165 MiB for 250). Its heap can use three quarters of an instance, at most all but the 256 MiB that the worker
// needs, and uses 160 MiB of that before any request. The result is the number of uploads of the largest size that fit; with more, the process crashes, and every
// request of the instance fails. docs/decisions/0035.
var maxConcurrency = 32
var concurrency = max(1, min(maxConcurrency, (min(instanceMemoryMB * 3 / 4, instanceMemoryMB - 256) - 160) * 3 / (14 * heldUploadMiB)))

var appSettings = union(hostSettings, serviceAppSettings, service.activitiesEnabled ? activitySettings : {})

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: 'plan-${name}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  tags: tags
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    // The property of the same name under siteConfig no longer takes precedence.
    publicNetworkAccess: publicNetworkAccess
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: '${hostStorage.blob}${packageContainer}'
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: { name: 'node', version: nodeVersion }
      scaleAndConcurrency: {
        maximumInstanceCount: 40
        instanceMemoryMB: instanceMemoryMB
        alwaysReady: alwaysReadyInstances > 0 ? [{ name: 'http', instanceCount: alwaysReadyInstances }] : []
        triggers: { http: { perInstanceConcurrency: concurrency } }
      }
    }
    siteConfig: {
      minTlsVersion: '1.2'
      ftpsState: 'Disabled'
      http20Enabled: true
      appSettings: [for setting in items(appSettings): { name: setting.key, value: setting.value }]
    }
  }

  // Not a loop over the two names: the name determines the type of the resource, so the compiler needs a literal (BCP225).
  resource noBasicAuthForScm 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }

  resource noBasicAuthForFtp 'basicPublishingCredentialsPolicies' = {
    name: 'ftp'
    properties: { allow: false }
  }
}

output id string = app.id
output name string = app.name
output url string = 'https://${app.properties.defaultHostName}'
