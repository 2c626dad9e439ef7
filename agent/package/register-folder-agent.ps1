#Requires -Version 5.1
#Requires -RunAsAdministrator
<#
.SYNOPSIS
  Registers the folder agent as a scheduled task that starts with Windows, or removes it.
.DESCRIPTION
  Checks the files against SHA256SUMS, restricts the environment file to administrators and the agent's account, runs
  agent.js --check, and registers a task that is started at boot, and again within five minutes when it ended.
.PARAMETER EnvironmentFile
  The filled-in copy of folder-agent.env.example.
.PARAMETER NodePath
  node.exe, version 22.18 or later.
.PARAMETER LogFile
  Where the agent's log goes; it is appended to.
.PARAMETER SkipCheck
  Registers even if --check finds faults.
.PARAMETER Unregister
  Stops and removes the task. Files stay.
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
    [string] $LogFile = (Join-Path $env:ProgramData 'folder-agent\agent.log'),

    [Parameter(ParameterSetName = 'Register')]
    [switch] $SkipCheck,

    [Parameter(Mandatory, ParameterSetName = 'Unregister')]
    [switch] $Unregister,

    [string] $TaskName = 'Folder agent'
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Needs no password and has no rights on the network of its own: the agent logs on to the file server by itself.
$account = 'NT AUTHORITY\LOCAL SERVICE'
# The same account, administrators and the system by their well-known identifiers, whatever the language of Windows.
$accountSid = '*S-1-5-19'
$administratorsSid = '*S-1-5-32-544'
$systemSid = '*S-1-5-18'

function Invoke-Checked([string] $Program, [string[]] $Arguments, [string] $Purpose) {
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Purpose failed with exit code $LASTEXITCODE." }
}

if ($Unregister) {
    Stop-ScheduledTask -TaskName $TaskName
    Unregister-ScheduledTask -TaskName $TaskName -Confirm:$false
    Write-Output "The task '$TaskName' is removed."
    return
}

$agent = Join-Path $PSScriptRoot 'agent.js'
foreach ($line in Get-Content (Join-Path $PSScriptRoot 'SHA256SUMS')) {
    $expected, $name = $line -split '\s+\*?', 2
    $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath (Join-Path $PSScriptRoot $name)).Hash
    if ($actual -ne $expected) { throw "$name does not have the checksum that SHA256SUMS names. Unpack the archive again." }
}

$node = (Get-Command $NodePath -CommandType Application | Select-Object -First 1).Source
$environment = (Resolve-Path -LiteralPath $EnvironmentFile).ProviderPath
$logFolder = Split-Path -Parent $LogFile
New-Item -ItemType Directory -Force -Path $logFolder | Out-Null

Invoke-Checked 'icacls.exe' @($environment, '/inheritance:r', '/grant:r', "${systemSid}:F", "${administratorsSid}:F", "${accountSid}:R") 'Restricting the environment file'
Invoke-Checked 'icacls.exe' @($logFolder, '/grant', "${accountSid}:(OI)(CI)M") 'Letting the agent write its log'

if (-not $SkipCheck) {
    Invoke-Checked $node @("--env-file=$environment", $agent, '--check') 'The check of the settings (repeat with -SkipCheck to register anyway)'
}

# The task scheduler keeps no output, so cmd.exe appends it to the log. cmd.exe drops the outer pair of quotes.
$command = '""{0}" "--env-file={1}" "{2}" >> "{3}" 2>&1"' -f $node, $environment, $agent, $LogFile
$action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" -Argument "/d /s /c $command" -WorkingDirectory $PSScriptRoot
# The scheduler's own restart does not look at exit codes. The second trigger does nothing while the agent runs.
$triggers = @(
    New-ScheduledTaskTrigger -AtStartup
    New-ScheduledTaskTrigger -Once -At (Get-Date) -RepetitionInterval (New-TimeSpan -Minutes 5)
)
$principal = New-ScheduledTaskPrincipal -UserId $account -LogonType ServiceAccount -RunLevel Limited
$settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable `
    -ExecutionTimeLimit ([TimeSpan]::Zero) -MultipleInstances IgnoreNew

Register-ScheduledTask -TaskName $TaskName -Action $action -Trigger $triggers -Principal $principal -Settings $settings `
    -Description 'Claims folder requests and creates the requested directories on the file server.' -Force | Out-Null
Start-ScheduledTask -TaskName $TaskName
Write-Output "The task '$TaskName' is registered and started. Its log: $LogFile"
