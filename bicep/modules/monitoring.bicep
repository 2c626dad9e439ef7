param name string
param location string
param tags object
param applicationInsightsName string
param alertEmail string

@description('Above this, nothing more is collected within a day.')
param gigabytesADay int

@description('Identities in the same resource group that send telemetry; the component accepts no keys.')
param publisherNames string[]

var monitoringMetricsPublisher = '3913510d-42f4-4e42-8a64-420c390055eb'

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-02-01' = {
  name: 'log-${name}'
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 90
    workspaceCapping: { dailyQuotaGb: gigabytesADay }
    features: { enableLogAccessUsingOnlyResourcePermissions: true }
  }
}

resource applicationInsights 'Microsoft.Insights/components@2020-02-02' = {
  name: applicationInsightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    DisableLocalAuth: true
  }
}

resource publishers 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' existing = [
  for publisherName in publisherNames: {
    name: publisherName
  }
]

resource publishesTelemetry 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for (publisherName, index) in publisherNames: {
    name: guid(applicationInsights.id, publishers[index].id, monitoringMetricsPublisher)
    scope: applicationInsights
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', monitoringMetricsPublisher)
      principalId: publishers[index].properties.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

resource actionGroup 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: 'ag-${name}'
  location: 'Global'
  tags: tags
  properties: {
    groupShortName: 'ordner'
    enabled: true
    emailReceivers: [
      {
        name: 'operations'
        emailAddress: alertEmail
        useCommonAlertSchema: true
      }
    ]
  }
}

output workspaceId string = workspace.id
output applicationInsightsId string = applicationInsights.id
output applicationInsightsConnectionString string = applicationInsights.properties.ConnectionString
output actionGroupId string = actionGroup.id
