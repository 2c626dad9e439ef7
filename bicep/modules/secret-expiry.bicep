// An alert 30 days before a secret of the vault ends: Key Vault raises the event then, for secrets that have an end
// (put-secret.sh with --expires), and Event Grid passes it to Azure Monitor.

param name string
param location string
param tags object
param vaultId string
param actionGroupId string

resource topic 'Microsoft.EventGrid/systemTopics@2025-02-15' = {
  name: 'egst-${name}'
  location: location
  tags: tags
  properties: {
    source: vaultId
    topicType: 'Microsoft.KeyVault.vaults'
  }
}

resource subscription 'Microsoft.EventGrid/systemTopics/eventSubscriptions@2025-02-15' = {
  parent: topic
  name: 'secret-near-expiry'
  properties: {
    destination: {
      endpointType: 'MonitorAlert'
      properties: {
        severity: 'Sev2'
        description: 'A secret of the vault ends within 30 days.'
        actionGroups: [actionGroupId]
      }
    }
    // The only schema that alerts accept.
    eventDeliverySchema: 'CloudEventSchemaV1_0'
    filter: { includedEventTypes: ['Microsoft.KeyVault.SecretNearExpiry'] }
  }
}
