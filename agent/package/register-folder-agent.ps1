#Requires -Version 5.1
#Requires -RunAsAdministrator
<#
.SYNOPSIS
  Registers the folder agent as a scheduled task that starts with Windows, or removes it.
.DESCRIPTION
  Verifies the files against SHA256SUMS, restricts the environment file, the key and password files that it names, and the
  log folder to administrators and the agent's task, runs --check, and registers a task that starts at boot and restarts
  within five minutes if it ends. A task of this name that runs is stopped and replaced.
.PARAMETER EnvironmentFile
  The filled-in copy of folder-agent.env.example.
.PARAMETER NodePath
  node.exe, version 22.18 or later. Not used if folder-agent.exe, which contains Node, is next to this script.
.PARAMETER LogFile
  The agent's log file. At 10 MiB it becomes <LogFile>.1, which is replaced. Its folder must contain nothing else.
.PARAMETER SkipCheck
  Registers the task even if --check finds faults.
.PARAMETER Stop
  Stops the agent and disables the task, until it is registered again.
.PARAMETER Unregister
  Stops the agent and removes the task. Keeps the files.
.EXAMPLE
  .\register-folder-agent.ps1 -EnvironmentFile C:\ProgramData\folder-agent\agent.env
#>
[CmdletBinding(DefaultParameterSetName = 'Register')]
param(
    [Parameter(Mandatory, ParameterSetName = 'Register')]
    [string] $EnvironmentFile,

    [Parameter(ParameterSetName = 'Register')]
    [string] $NodePath = 'node.exe',

    [Parameter(ParameterSetName = 'Register')]
    [string] $LogFile = (Join-Path $env:ProgramData 'folder-agent\log\agent.log'),

    [Parameter(ParameterSetName = 'Register')]
    [switch] $SkipCheck,

    [Parameter(Mandatory, ParameterSetName = 'Stop')]
    [switch] $Stop,

    [Parameter(Mandatory, ParameterSetName = 'Unregister')]
    [switch] $Unregister,

    [string] $TaskName = 'Folder agent'
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# This account needs no password and has no permissions on the network: the agent logs on to the file server by itself. Other
# services share the account, so this script grants it nothing: the process also gets an identifier of the task, which is granted
# access to the files, and only this identifier and the system can access the process (Task Scheduler, "Task Security
# Hardening").
$account = 'NT AUTHORITY\LOCAL SERVICE'

function Invoke-Checked([string] $Program, [string[]] $Arguments, [string] $Purpose) {
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Purpose failed with exit code $LASTEXITCODE." }
}

# Replaces all permissions in one step: full control for the system and for administrators, who become the owner, and $Rights
# for the agent's task. Nothing is inherited. SDDL names do not depend on the language of Windows.
function Restrict-Access([string] $Path, [string] $TaskSid, [string] $Rights) {
    $isFolder = Test-Path -LiteralPath $Path -PathType Container
    $inherited = if ($isFolder) { 'OICI' } else { '' }
    $entries = "(A;${inherited};FA;;;SY)(A;${inherited};FA;;;BA)"
    if ($TaskSid) { $entries += "(A;${inherited};${Rights};;;${TaskSid})" }
    $kind = if ($isFolder) { 'DirectorySecurity' } else { 'FileSecurity' }
    $security = New-Object "System.Security.AccessControl.$kind"
    $security.SetSecurityDescriptorSddlForm("O:BAG:SYD:PAI${entries}")
    Set-Acl -LiteralPath $Path -AclObject $security
}

# The agent's processes: earlier versions of this script ran it below cmd.exe, which the task scheduler ends without the agent,
# hence the search by argument.
function Get-Agent([string] $Option) {
    @(Get-CimInstance -ClassName Win32_Process | Where-Object { "$($_.CommandLine)".Contains($Option) })
}

# Ends the agent of the registered task, if there is one: the new agent must not find the old one at work on a request. The file
# <log>.stop is a signal to the agent, which removes it: on the first it finishes the current request, on the second it releases
# the request. An agent that leaves the file is of an earlier version. Whatever still runs then is ended without grace.
function Stop-Agent {
    $task = Get-ScheduledTask -TaskName $TaskName -ErrorAction SilentlyContinue
    if (-not $task) { return }
    $option = if ("$($task.Actions[0].Arguments)" -match '--env-file=[^"]+') { $Matches[0] } else { return }
    if ("$($task.Actions[0].Arguments)" -match '--log-file=([^"]+)') {
        $signal = "$($Matches[1]).stop"
        foreach ($seconds in 60, 15) {
            if (-not (Get-Agent $option)) { break }
            New-Item -ItemType File -Force -Path $signal | Out-Null
            for ($tenths = 0; $tenths -lt 10 * $seconds -and (Get-Agent $option); $tenths++) {
                if ($tenths -gt 50 -and (Test-Path -LiteralPath $signal)) { break }
                Start-Sleep -Milliseconds 100
            }
        }
        if (Test-Path -LiteralPath $signal) { Remove-Item -LiteralPath $signal }
    }
    Stop-ScheduledTask -TaskName $TaskName
    $deadline = (Get-Date).AddSeconds(60)
    do {
        $left = Get-Agent $option
        foreach ($process in $left) { Stop-Process -Id $process.ProcessId -Force -ErrorAction SilentlyContinue }
        if ((Get-Date) -gt $deadline) { throw "The agent of the task '$TaskName' does not end. End its process and run this script again." }
        if ($left) { Start-Sleep -Milliseconds 200 }
    } while ($left)
}

if ($Stop) {
    # First, because the task starts the agent every five minutes.
    Disable-ScheduledTask -TaskName $TaskName | Out-Null
    Stop-Agent
    Write-Output "The agent was stopped, and the task '$TaskName' is disabled. To start it, register it again."
    return
}

if ($Unregister) {
    Stop-Agent
    Unregister-ScheduledTask -TaskName $TaskName -Confirm:$false
    Write-Output "The task '$TaskName' was removed."
    return
}

foreach ($line in Get-Content (Join-Path $PSScriptRoot 'SHA256SUMS')) {
    $expected, $name = $line -split '\s+\*?', 2
    $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath (Join-Path $PSScriptRoot $name)).Hash
    if ($actual -ne $expected) { throw "The checksum of $name differs from SHA256SUMS. Unpack the archive again." }
}

# The executable that contains Node, or Node and the program.
$executable = Join-Path $PSScriptRoot 'folder-agent.exe'
[string[]] $agent = if (Test-Path -LiteralPath $executable) {
    $executable
} else {
    (Get-Command $NodePath -CommandType Application | Select-Object -First 1).Source
    Join-Path $PSScriptRoot 'agent.js'
}
$environment = (Resolve-Path -LiteralPath $EnvironmentFile).ProviderPath
$LogFile = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($LogFile)
$logFolder = Split-Path -Parent $LogFile
New-Item -ItemType Directory -Force -Path $logFolder | Out-Null
# Everything in the folder gets the permissions of the log.
$logFiles = @((Split-Path -Leaf $LogFile), "$(Split-Path -Leaf $LogFile).1", "$(Split-Path -Leaf $LogFile).status")
$others = Get-ChildItem -Force -LiteralPath $logFolder | Where-Object { $_.Name -notin $logFiles }
if ($others) { throw "The log folder must contain nothing else: $logFolder contains other files. Use -LogFile to choose another folder." }

# The environment file, and the files in its variables FOLDER_AGENT_..._FILE.
$secrets = @($environment)
foreach ($line in Get-Content -LiteralPath $environment) {
    if ($line -match '^\s*FOLDER_AGENT_\w+_FILE\s*=\s*(\S.*?)\s*$') {
        $secrets += (Resolve-Path -LiteralPath $Matches[1].Trim("'", '"')).ProviderPath
    }
}
foreach ($path in $secrets + $logFolder) { Restrict-Access $path }
# An existing log inherits from its folder like a new one.
foreach ($file in Get-ChildItem -Force -LiteralPath $logFolder) {
    Invoke-Checked 'icacls.exe' @($file.FullName, '/reset', '/Q') 'Restricting the log'
}

if (-not $SkipCheck) {
    $arguments = @($agent | Select-Object -Skip 1) + "--env-file=$environment" + '--check'
    Invoke-Checked $agent[0] $arguments 'The check of the settings (repeat with -SkipCheck to register anyway)'
}

# The task scheduler keeps no output, so the agent writes its log. It is the process of the task, so the task's end is its end.
$arguments = @($agent | Select-Object -Skip 1) + "--env-file=$environment" + "--log-file=$LogFile"
$words = ($arguments | ForEach-Object { '"{0}"' -f $_ }) -join ' '
$action = New-ScheduledTaskAction -Execute $agent[0] -Argument $words -WorkingDirectory $PSScriptRoot
# The scheduler's own restart ignores exit codes. The second trigger has no effect while the agent runs.
$triggers = @(
    New-ScheduledTaskTrigger -AtStartup
    New-ScheduledTaskTrigger -Once -At (Get-Date).AddMinutes(5) -RepetitionInterval (New-TimeSpan -Minutes 5)
)
$principal = New-ScheduledTaskPrincipal -UserId $account -LogonType ServiceAccount -RunLevel Limited -ProcessTokenSidType Unrestricted
$settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable `
    -ExecutionTimeLimit ([TimeSpan]::Zero) -MultipleInstances IgnoreNew

Stop-Agent
Register-ScheduledTask -TaskName $TaskName -Action $action -Trigger $triggers -Principal $principal -Settings $settings `
    -Description 'Claims folder requests and creates the requested directories on the file server.' -Force | Out-Null

# The text around the identifier depends on the language of Windows.
$shown = & schtasks.exe /ShowSid /TN $TaskName
$taskSid = if ("$shown" -match '\bS-1-5-87(-\d+)+\b') { $Matches[0] } else { throw "schtasks /ShowSid shows no identifier of the task '$TaskName'." }
foreach ($secret in $secrets) { Restrict-Access $secret $taskSid 'FR' }
# 0x1301bf is the permission Modify.
Restrict-Access $logFolder $taskSid '0x1301bf'
Start-ScheduledTask -TaskName $TaskName
Write-Output "The task '$TaskName' was registered and started. Log: $LogFile"
