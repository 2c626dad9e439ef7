using 'api.bicep'

// What the first phase has deployed, so that gateway and service have the same.
var deployed = json(readEnvironmentVariable('API_PARAMETERS'))

param apiManagementName = deployed.apiManagementName
param functionAppName = deployed.functionAppName
param keyVaultName = deployed.keyVaultName
param tenantId = deployed.tenantId
param apiClientId = deployed.apiClientId
param consoleClientId = deployed.consoleClientId
param verificationClientId = deployed.verificationClientId
param frontEndClientIds = deployed.frontEndClientIds
param recordsSyncClientIds = deployed.recordsSyncClientIds
param gatewayHostname = deployed.gatewayHostname
param gatewayUploadBoundMiB = deployed.gatewayUploadBoundMiB
param frontEndOrigins = readEnvironmentVariable('FRONT_END_ORIGINS', '')
param cacheEmptyClaims = bool(readEnvironmentVariable('CACHE_EMPTY_CLAIMS', 'true'))
param logCallerAddresses = bool(readEnvironmentVariable('LOG_CALLER_ADDRESSES', 'true'))
