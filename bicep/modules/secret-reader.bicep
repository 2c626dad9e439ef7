// Permission to read one secret of the vault. A separate module, because the name of a role assignment must be known when
// its deployment starts, and the object id of a system-assigned identity is known only as a parameter of a module. With
// that id in the name, a recreated resource gets its own assignment, next to that of the deleted identity.

param vaultName string

@description('Name of the secret; it exists.')
param name string

@description('Object id of the identity that reads it.')
param principalId string

var keyVaultSecretsUser = '4633458b-17de-408a-b874-0445c86b69e6'

resource vault 'Microsoft.KeyVault/vaults@2026-02-01' existing = {
  name: vaultName
}

resource secret 'Microsoft.KeyVault/vaults/secrets@2026-02-01' existing = {
  parent: vault
  name: name
}

resource readsSecret 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(secret.id, principalId, keyVaultSecretsUser)
  scope: secret
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', keyVaultSecretsUser)
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}
