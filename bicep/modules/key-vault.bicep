param name string
param location string
param tags object

@description('Identity in the same resource group that reads secrets: the function app\'s, through its references.')
param readerName string

@description('Write secrets: the pipeline that of the backend\'s key, operators the others.')
param officerPrincipalIds string[]

@allowed(['Enabled', 'Disabled'])
param publicNetworkAccess string

param workspaceId string

@description('Prevents anyone from deleting the vault for good before its retention ends. Cannot be disabled later.')
param purgeProtection bool

@description('recover restores the deleted vault of this name; with default, the deployment fails if there is one.')
@allowed(['default', 'recover'])
param createMode string

var keyVaultSecretsUser = '4633458b-17de-408a-b874-0445c86b69e6'
var keyVaultSecretsOfficer = 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'

// Operators or the pipeline store the secrets; their values never pass through a template.
resource vault 'Microsoft.KeyVault/vaults@2026-02-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: tenant().tenantId
    sku: { family: 'A', name: 'standard' }
    enableRbacAuthorization: true
    createMode: createMode
    // Resource Manager accepts no false.
    enablePurgeProtection: purgeProtection ? true : null
    softDeleteRetentionInDays: 90
    enabledForTemplateDeployment: false
    publicNetworkAccess: publicNetworkAccess
    networkAcls: {
      bypass: 'AzureServices'
      defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny'
    }
  }
}

resource reader 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' existing = {
  name: readerName
}

resource readsSecrets 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(vault.id, reader.id, keyVaultSecretsUser)
  scope: vault
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', keyVaultSecretsUser)
    principalId: reader.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

resource writesSecrets 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for id in officerPrincipalIds: {
    name: guid(vault.id, id, keyVaultSecretsOfficer)
    scope: vault
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', keyVaultSecretsOfficer)
      // No principalType: it is a pipeline, a person or a group, and all exist long before this.
      principalId: id
    }
  }
]

resource audit 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'to-workspace'
  scope: vault
  properties: {
    workspaceId: workspaceId
    logs: [{ categoryGroup: 'audit', enabled: true }]
  }
}

output id string = vault.id
output name string = vault.name
output uri string = vault.properties.vaultUri
