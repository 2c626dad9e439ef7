// Alerts on the named events that the service logs. bicep/README.md, "Alerts", describes what each means and what to do.

param name string
param location string
param tags object
param applicationInsightsId string
param actionGroupId string

@description('Tokens of the AI text provider within a day, above which an alert is raised.')
param tokensADay int

@description('Keys of the alerts that are paused.')
param pausedKeys string[]

// Every line of the service is one JSON object, kept as the message of a trace.
var events = 'traces | where message startswith "{" | extend fields = parse_json(message) | extend event = tostring(fields.event)'

var alerts = [
  {
    key: 'settings-invalid'
    displayName: 'The service cannot work with its settings'
    description: 'A setting is missing or wrong, or a secret cannot be read: every request gets 503 not_configured.'
    severity: 1
    // Logged once at each start; until the next one, the app serves only the reason.
    query: '${events} | where event == "settings_invalid"'
    windowSize: 'PT5M'
    threshold: 0
    operator: 'GreaterThan'
    // An event: the end of the window does not mean that the app has recovered.
    closesItself: false
  }
  {
    key: 'folder-request-failed'
    displayName: 'A folder request became FAILED'
    description: 'An agent reported a failure, or the lease of a folder request expired too often. A user waits for that directory.'
    severity: 2
    query: '${events} | where event == "folder_request_failed"'
    windowSize: 'PT5M'
    threshold: 0
    operator: 'GreaterThan'
    // An event, not a state: the entry is still FAILED after the window, and the next failure must be reported too.
    closesItself: false
  }
  {
    key: 'oldest-pending'
    displayName: 'The oldest PENDING folder request is older than 15 minutes'
    description: 'Agents do not keep up, or none is running.'
    severity: 2
    // The last known value, however old: if the timer stops, the requests still wait, and the alert must remain open. Two
    // days is the longest window.
    query: '${events} | where event == "folder_queue_gauges" | summarize arg_max(timestamp, fields) | where todouble(fields.oldestPendingSeconds) > 900'
    windowSize: 'P2D'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'no-gauges'
    displayName: 'The timer of the queue was silent for 5 minutes'
    description: 'The state of the queue is unknown: the app does not run, its timer fails, or its telemetry does not arrive.'
    severity: 1
    // Logged every minute. Quiet before the code is deployed, and for its first five minutes: there is no line of it yet.
    query: '${events} | where isnotempty(event) | summarize since = min(timestamp), gaugedAt = maxif(timestamp, event == "folder_queue_gauges") | where since < ago(5m) and (isnull(gaugedAt) or gaugedAt < ago(5m))'
    windowSize: 'P2D'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'maintenance-failed'
    displayName: 'A timer or the system of record fails or has stopped'
    description: 'Repairs by hand are not applied, gauges are not measured, remains of uploads are not removed, the tables are not copied, or projects and contacts are no longer up to date.'
    severity: 2
    // The others are logged every ten minutes for as long as the host does not call a timer or it fails, or nothing comes.
    query: '${events} | where event endswith "_maintenance_failed" or event in ("timer_overdue", "records_sync_overdue")'
    // Longer than the ten minutes between two runs of the rarest timer.
    windowSize: 'PT15M'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'no-claim'
    displayName: 'No agent was seen for 10 minutes'
    description: 'No agent claims or works: all are stopped or disconnected, or their keys were removed.'
    severity: 1
    // The last known value, as above, logged every minute. Quiet before the first agent: it is null then.
    query: '${events} | where event == "agent_gauges" | summarize arg_max(timestamp, fields) | where todouble(fields.silentSeconds) > 600'
    windowSize: 'P2D'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'ai-provider'
    displayName: 'The AI text provider fails'
    description: 'Invalid key, exhausted quota, texts that the model declines to write, or timeouts, in at least every fifth activity that reached the AI text provider.'
    severity: 3
    // A ratio: most activities of a day can fall into one hour, and with an exhausted quota three failures of three must
    // be reported.
    query: '${events} | where event == "request" and tostring(fields.operation) == "generate-activity" | summarize total = countif(toint(fields.status) < 300 or tostring(fields.code) startswith "ai_provider"), failed = countif(tostring(fields.code) startswith "ai_provider") | where failed > 0 and failed * 5 >= total'
    windowSize: 'PT30M'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'ai-tokens'
    displayName: 'The AI text provider is used more than usual'
    description: 'More tokens within a day than AI_TOKENS_A_DAY. The workbook shows which users and operations call most.'
    severity: 3
    query: '${events} | where event == "ai_tokens" | summarize tokens = sum(tolong(fields.input) + tolong(fields.output)) | where tokens > ${tokensADay}'
    windowSize: 'P1D'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'ai-model-retires'
    displayName: 'The AI model will be switched off'
    description: 'The provider switches the model of AI_MODEL off within 60 days. Afterwards, every activity fails.'
    severity: 3
    // Logged once a day by a timer, so a day of the window has one.
    query: '${events} | where event == "ai_model_retires"'
    windowSize: 'P2D'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'server-errors'
    displayName: 'More than 2 % of the requests of an operation fail with 5xx'
    description: 'The service, its storage, or a system behind it is failing. Parts that are not configured do not count.'
    severity: 1
    // By operation: one idle agent claims about 300 times in the window, which would hide ten failed uploads of ten.
    // Its empty claims have no lines; the total includes them by the number in requests_unlogged.
    query: '${events} | where event in ("request", "requests_unlogged", "response_failed") | summarize total = sum(case(event == "request", 1, event == "requests_unlogged", toint(fields.count), 0)), failed = countif(event == "response_failed" or (toint(fields.status) >= 500 and tostring(fields.code) != "not_configured")) by tostring(fields.operation) | where failed >= 3 and failed > total * 0.02'
    windowSize: 'PT15M'
    threshold: 0
    operator: 'GreaterThan'
    closesItself: true
  }
  {
    key: 'functions-failed'
    displayName: 'Requests fail without a response from the service'
    description: 'The host, an instance or the route from the gateway fails: the service never received these requests, or crashed on them.'
    severity: 1
    // Failed invocations in the host, and 5xx of the gateway. The previous alert covers requests whose response the service
    // logged. These include transfers that the caller aborted: the host records failed functions for them, and
    // request_aborted, which has no operation_Id because it is logged after the function, names their invocations. The
    // service never receives an upload with Content-Length whose caller disconnects while the host still reads it;
    // Kestrel's exceptions identify these. A body that is too large is a BadHttpRequestException too, hence the message.
    query: 'let spoken = ${events} | where event == "request" | distinct operation_Id; let left = exceptions | where innermostMessage has "Unexpected end of request content" or innermostType has_any ("ConnectionResetException", "ConnectionAbortedException") | distinct operation_Id; requests | where toint(resultCode) >= 500 or (success == false and isnotempty(customDimensions.InvocationId)) | where operation_Id !in (spoken) and operation_Id !in (left)'
    windowSize: 'PT15M'
    threshold: 2
    operator: 'GreaterThan'
    closesItself: true
  }
]

resource rules 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = [
  for alert in alerts: {
    name: 'alert-${name}-${alert.key}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: alert.displayName
      description: alert.description
      severity: alert.severity
      enabled: !contains(pausedKeys, alert.key)
      scopes: [applicationInsightsId]
      evaluationFrequency: 'PT5M'
      windowSize: alert.windowSize
      criteria: {
        allOf: [
          {
            query: alert.query
            timeAggregation: 'Count'
            operator: alert.operator
            threshold: alert.threshold
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: { actionGroups: [actionGroupId] }
      autoMitigate: alert.closesItself
      // The tables exist only after the first telemetry.
      skipQueryValidation: true
    }
  }
]
