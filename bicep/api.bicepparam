using 'api.bicep'

param apiManagementName = readEnvironmentVariable('API_MANAGEMENT_NAME')
param functionAppName = readEnvironmentVariable('FUNCTION_APP_NAME')
param keyVaultName = readEnvironmentVariable('KEY_VAULT_NAME')
param tenantId = readEnvironmentVariable('IDP_TENANT_ID')
param apiClientId = readEnvironmentVariable('IDP_API_CLIENT_ID')
param consoleClientId = readEnvironmentVariable('CONSOLE_CLIENT_ID', '')
param frontEndClientIds = readEnvironmentVariable('FRONT_END_CLIENT_IDS', '')
param recordsSyncClientIds = readEnvironmentVariable('RECORDS_SYNC_CLIENT_IDS', '')
param frontEndOrigins = readEnvironmentVariable('FRONT_END_ORIGINS', '')
param gatewayUploadBoundMiB = int(readEnvironmentVariable('GATEWAY_UPLOAD_BOUND_MIB', '32'))
param cacheEmptyClaims = bool(readEnvironmentVariable('CACHE_EMPTY_CLAIMS', 'true'))
param maxUploadBytes = int(readEnvironmentVariable('MAX_UPLOAD_BYTES', '262144000'))
