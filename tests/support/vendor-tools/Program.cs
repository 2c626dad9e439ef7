using System.Collections;
using System.Globalization;
using System.Management.Automation;
using System.Management.Automation.Language;
using System.Management.Automation.Runspaces;
using System.Text.Json;
using DocumentFormat.OpenXml;
using DocumentFormat.OpenXml.Packaging;
using DocumentFormat.OpenXml.Validation;

// run-script parse SCRIPT: prints `line: message` for each syntax error.
// run-script run STUBS SCRIPT PARAMETERS: runs SCRIPT with the parameters of a JSON object, after dot-sourcing STUBS, which
// replaces what is not in PowerShell's core: the cmdlets of its modules and those of Windows. Prints what the script writes;
// an error goes to standard error, with exit code 1.
// run-script validate FILE...: prints one JSON array per Word file, the errors of Microsoft's validator.
return args switch
{
    ["parse", var script] => Parse(script),
    ["run", var stubs, var script, var parameters] => Run(stubs, script, parameters),
    ["validate", .. var files] => Validate(files),
    _ => throw new ArgumentException("Usage: run-script parse SCRIPT | run STUBS SCRIPT PARAMETERS | validate FILE..."),
};

static int Parse(string script)
{
    Parser.ParseFile(Path.GetFullPath(script), out _, out var errors);
    foreach (var error in errors) Console.WriteLine($"{error.Extent.StartLineNumber}: {error.Message}");
    return 0;
}

static int Validate(string[] files)
{
    var validator = new OpenXmlValidator(FileFormatVersions.Microsoft365);
    foreach (var file in files)
    {
        using var document = WordprocessingDocument.Open(file, false);
        var errors = validator.Validate(document).Select(each => $"{each.Part?.Uri} {each.Path?.XPath}: {each.Description}");
        Console.WriteLine(JsonSerializer.Serialize(errors));
    }
    return 0;
}

static int Run(string stubs, string script, string parameters)
{
    CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
    var state = InitialSessionState.CreateDefault2();
    if (OperatingSystem.IsWindows()) state.ExecutionPolicy = Microsoft.PowerShell.ExecutionPolicy.Bypass;
    using var runspace = RunspaceFactory.CreateRunspace(state);
    runspace.Open();
    using var shell = PowerShell.Create(runspace);
    shell.AddScript($". '{stubs}'").Invoke();
    if (shell.HadErrors) throw new InvalidOperationException(shell.Streams.Error[0].ToString());
    shell.Commands.Clear();
    var given = new Hashtable();
    foreach (var (name, value) in JsonSerializer.Deserialize<Dictionary<string, JsonElement>>(parameters) ?? [])
        given[name] = value.ValueKind == JsonValueKind.String ? value.GetString() : value.GetBoolean();
    shell.AddCommand(script).AddParameters(given);
    var output = new PSDataCollection<PSObject>();
    output.DataAdded += (_, added) => Console.WriteLine(output[added.Index]);
    try
    {
        shell.Invoke(null, output);
    }
    catch (RuntimeException error)
    {
        Console.Error.WriteLine(error.Message);
        return 1;
    }
    foreach (var error in shell.Streams.Error) Console.Error.WriteLine(error);
    return shell.HadErrors ? 1 : 0;
}
