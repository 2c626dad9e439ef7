// The operators' dashboard: the queue, its agents, requests, and providers, from the same events as the alerts.

param location string
param tags object
param applicationInsightsName string

resource applicationInsights 'Microsoft.Insights/components@2020-02-02' existing = {
  name: applicationInsightsName
}

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  // The name must be a GUID, and the same one in each deployment to update the same workbook.
  name: guid(applicationInsights.id, 'operations')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Operations: folder requests, agents, requests, and providers'
    category: 'workbook'
    sourceId: applicationInsights.id
    version: 'Notebook/1.0'
    serializedData: string(loadJsonContent('../workbooks/operations.json'))
  }
}
