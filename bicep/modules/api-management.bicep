param name string
param location string
param tags object
param sku string
param publisherName string
param publisherEmail string
param identityId string
param identityClientId string
param applicationInsightsId string
param applicationInsightsConnectionString string

@description('Custom domain; empty for none.')
param hostname string

@description('Secret of the vault with the certificate of the custom domain. Without a version, so that a renewed one is used.')
param certificateUri string

@description('Subnet for calls to the private backend; empty for none. StandardV2 only.')
param subnetId string

resource gateway 'Microsoft.ApiManagement/service@2024-05-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: sku, capacity: 1 }
  // The system-assigned identity reads the key of the backend (api.bicep assigns it the role), because a vault behind a
  // firewall trusts no user-assigned identity of API Management. The other one sends telemetry.
  identity: {
    type: 'SystemAssigned, UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    publisherName: publisherName
    publisherEmail: publisherEmail
    // A deployment without this list would remove a domain that was added by hand. The system-assigned identity reads the
    // certificate; the default domain keeps working.
    hostnameConfigurations: empty(hostname)
      ? []
      : [
          {
            type: 'Proxy'
            hostName: hostname
            certificateSource: 'KeyVault'
            keyVaultId: certificateUri
            defaultSslBinding: true
            negotiateClientCertificate: false
          }
        ]
    virtualNetworkType: empty(subnetId) ? 'None' : 'External'
    virtualNetworkConfiguration: empty(subnetId) ? null : { subnetResourceId: subnetId }
  }
}

resource telemetry 'Microsoft.ApiManagement/service/loggers@2024-05-01' = {
  parent: gateway
  name: 'application-insights'
  properties: {
    loggerType: 'applicationInsights'
    resourceId: applicationInsightsId
    credentials: {
      connectionString: applicationInsightsConnectionString
      identityClientId: identityClientId
    }
  }
}

output name string = gateway.name
output gatewayUrl string = empty(hostname) ? gateway.properties.gatewayUrl : 'https://${hostname}'
