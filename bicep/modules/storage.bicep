@export()
@description('Base addresses of an account, each with a trailing slash.')
type storageEndpoints = {
  blob: string
  queue: string
  table: string
}

@export()
@description('The first two are chosen; an account can have the others, for example after a failover.')
type storageSku = 'Standard_RAGZRS' | 'Standard_ZRS' | 'Standard_GZRS' | 'Standard_RAGRS' | 'Standard_GRS' | 'Standard_LRS'

param name string
param location string
param tags object
param containers string[]

@description('The container whose blobs are deleted after 30 days; empty for none.')
param backupContainer string = ''

param tables string[]

param redundancy storageSku

@description('The function app\'s identity, in the same resource group.')
param identityName string

@description('Roles of that identity on the account: ids of role definitions.')
param roleIds string[]

@allowed(['Enabled', 'Disabled'])
param publicNetworkAccess string

@description('Logs who changed which entry of a table.')
param logsChanges bool

param workspaceId string

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: redundancy }
  properties: {
    allowBlobPublicAccess: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: publicNetworkAccess
    networkAcls: {
      bypass: 'AzureServices'
      defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny'
    }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: account
  name: 'default'
  properties: {
    deleteRetentionPolicy: { enabled: true, days: 14 }
    containerDeleteRetentionPolicy: { enabled: true, days: 14 }
  }
}

resource blobContainers 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = [
  for container in containers: {
    parent: blobs
    name: container
    properties: { publicAccess: 'None' }
  }
]

// Copies of the tables, a folder for each day.
resource backupRule 'Microsoft.Storage/storageAccounts/managementPolicies@2025-06-01' = if (!empty(backupContainer)) {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'delete-old-backups'
          type: 'Lifecycle'
          definition: {
            filters: { blobTypes: ['blockBlob'], prefixMatch: ['${backupContainer}/'] }
            actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 30 } } }
          }
        }
      ]
    }
  }
}

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource accountTables 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-06-01' = [
  for table in tables: {
    parent: tableService
    name: table
  }
]

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' existing = {
  name: identityName
}

resource roles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for roleId in roleIds: {
    name: guid(account.id, identity.id, roleId)
    scope: account
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
      principalId: identity.properties.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource tableLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (logsChanges) {
  name: 'to-workspace'
  scope: tableService
  properties: {
    workspaceId: workspaceId
    // Records who changed what; the category group audit would add a row for every read, so for every claim of an idle agent.
    logs: [
      { category: 'StorageWrite', enabled: true }
      { category: 'StorageDelete', enabled: true }
    ]
  }
}

output id string = account.id
output name string = account.name
output endpoints storageEndpoints = {
  blob: account.properties.primaryEndpoints.blob
  queue: account.properties.primaryEndpoints.queue
  table: account.properties.primaryEndpoints.table
}
