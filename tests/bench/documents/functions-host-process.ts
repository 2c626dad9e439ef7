// Runs a Functions host in a separate process, as in Azure, so the measuring process does none of its work. The
// argument has the host's options as JSON.
import {
  FunctionsHost,
  type FunctionsHostOptions,
} from '../../../local/stand-ins/functions-host/functions-host.ts';

const host = await FunctionsHost.start(JSON.parse(process.argv[2] ?? '') as FunctionsHostOptions);
process.once('SIGTERM', () => void host.stop().then(() => process.exit(0)));
process.send!({ origin: host.origin, workerPid: host.workerPid });
