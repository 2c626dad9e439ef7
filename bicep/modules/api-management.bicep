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
output gatewayUrl string = gateway.properties.gatewayUrl
