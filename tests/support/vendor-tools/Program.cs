using System.Collections;
using System.Globalization;
using System.Management.Automation;
using System.Management.Automation.Runspaces;
using System.Text.Json;
using DocumentFormat.OpenXml;
using DocumentFormat.OpenXml.Packaging;
using DocumentFormat.OpenXml.Validation;

// run-script run STUBS: runs the scripts of its input, one JSON object per line with `script`, `parameters`, and
// `environment`, each in a runspace of its own, after dot-sourcing STUBS, which replaces what is not in PowerShell's core:
// the cmdlets of its modules and those of Windows. Prints what the script writes, then a line with its errors as a JSON
// object. One process, because a start takes more than a second of processor time.
// run-script validate FILE...: prints one JSON array per Word file, the errors of Microsoft's validator.
return args switch
{
    ["run", var stubs] => RunAll(stubs),
    ["validate", .. var files] => Validate(files),
    _ => throw new ArgumentException("Usage: run-script run STUBS | validate FILE..."),
};

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

static int RunAll(string stubs)
{
    CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
    while (Console.ReadLine() is { } line)
    {
        using var call = JsonDocument.Parse(line);
        foreach (var each in call.RootElement.GetProperty("environment").EnumerateObject())
            Environment.SetEnvironmentVariable(each.Name, each.Value.GetString());
        var parameters = new Hashtable();
        foreach (var each in call.RootElement.GetProperty("parameters").EnumerateObject())
            parameters[each.Name] = each.Value.ValueKind == JsonValueKind.String ? each.Value.GetString() : each.Value.GetBoolean();
        var errors = Run(stubs, call.RootElement.GetProperty("script").GetString()!, parameters);
        Console.WriteLine(JsonSerializer.Serialize(new { errors }));
    }
    return 0;
}

static string[] Run(string stubs, string script, Hashtable parameters)
{
    var state = InitialSessionState.CreateDefault2();
    if (OperatingSystem.IsWindows()) state.ExecutionPolicy = Microsoft.PowerShell.ExecutionPolicy.Bypass;
    using var runspace = RunspaceFactory.CreateRunspace(state);
    runspace.Open();
    using var shell = PowerShell.Create(runspace);
    shell.AddScript($". '{stubs}'").Invoke();
    if (shell.HadErrors) throw new InvalidOperationException(shell.Streams.Error[0].ToString());
    shell.Commands.Clear();
    shell.AddCommand(script).AddParameters(parameters);
    var output = new PSDataCollection<PSObject>();
    output.DataAdded += (_, added) => Console.WriteLine(output[added.Index]);
    try
    {
        shell.Invoke(null, output);
    }
    catch (RuntimeException error)
    {
        return [error.Message];
    }
    return [.. shell.Streams.Error.Select(error => error.ToString())];
}
