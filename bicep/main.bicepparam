using 'main.bicep'

// What differs between the environments; each variable is explained in README.md.
var environment = readEnvironmentVariable('ENVIRONMENT')
var isProd = environment == 'prod'

param environmentName = environment
param location = readEnvironmentVariable('AZURE_LOCATION', 'germanywestcentral')
param workload = readEnvironmentVariable('WORKLOAD', 'projektordner')
param storageRedundancy = readEnvironmentVariable('STORAGE_REDUNDANCY', 'Standard_RAGZRS')
param telemetryGigabytesADay = int(readEnvironmentVariable('TELEMETRY_GB_A_DAY', '1'))
param privateNetwork = isProd
param runnerDelegation = readEnvironmentVariable('RUNNER_DELEGATION', '')
param apiManagementSku = isProd ? 'StandardV2' : 'BasicV2'
param publisherName = readEnvironmentVariable('PUBLISHER_NAME', 'Projektordner')
param publisherEmail = readEnvironmentVariable('PUBLISHER_EMAIL')
param alertEmail = readEnvironmentVariable('ALERT_EMAIL')
param pausedAlerts = readEnvironmentVariable('PAUSED_ALERTS', '')
param aiTokensADay = int(readEnvironmentVariable('AI_TOKENS_A_DAY', '5000000'))
param vaultOfficerIds = readEnvironmentVariable('VAULT_OFFICER_ID')
param vaultCreateMode = readEnvironmentVariable('VAULT_CREATE_MODE', 'default')
param gatewayHostname = readEnvironmentVariable('GATEWAY_HOSTNAME', '')
param gatewayUploadBoundMiB = int(readEnvironmentVariable('GATEWAY_UPLOAD_BOUND_MIB', '32'))
param instanceMemoryMB = int(readEnvironmentVariable('INSTANCE_MEMORY_MB', '2048'))
param deployedVariables = readEnvironmentVariable('DEPLOYED_VARIABLES', '{}')
param service = {
  tenantId: readEnvironmentVariable('IDP_TENANT_ID')
  apiClientId: readEnvironmentVariable('IDP_API_CLIENT_ID')
  consoleClientId: readEnvironmentVariable('CONSOLE_CLIENT_ID', '')
  verificationClientId: readEnvironmentVariable('VERIFICATION_CLIENT_ID', '')
  frontEndClientIds: readEnvironmentVariable('FRONT_END_CLIENT_IDS', '')
  recordsSyncClientIds: readEnvironmentVariable('RECORDS_SYNC_CLIENT_IDS', '')
  librarySiteId: readEnvironmentVariable('DOCLIB_SITE_ID')
  libraryDriveId: readEnvironmentVariable('DOCLIB_DRIVE_ID')
  maxUploadBytes: int(readEnvironmentVariable('MAX_UPLOAD_BYTES', '262144000'))
  activitiesEnabled: bool(readEnvironmentVariable('ACTIVITIES_ENABLED', 'true'))
  aiBaseUrl: readEnvironmentVariable('AI_BASE_URL', 'https://api.openai.com/v1')
  aiModel: readEnvironmentVariable('AI_MODEL', '')
  aiSendsNames: bool(readEnvironmentVariable('AI_SEND_NAMES', 'true'))
  aiHouseStyle: readEnvironmentVariable('AI_HOUSE_STYLE', '')
  wordTemplates: readEnvironmentVariable('WORD_TEMPLATES', '')
  emailSignature: readEnvironmentVariable('EMAIL_SIGNATURE', 'name')
  mailDrafts: bool(readEnvironmentVariable('MAIL_DRAFTS', 'false'))
  folderQueueShards: 1
  folderRequestRetentionDays: 365
}
