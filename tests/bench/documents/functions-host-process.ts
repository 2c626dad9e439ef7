// A Functions host in a process of its own, as in Azure: whoever measures it does not do its work. Its options are the
// argument, as JSON.
import {
  FunctionsHost,
  type FunctionsHostOptions,
} from '../../../local/stand-ins/functions-host/functions-host.ts';

const host = await FunctionsHost.start(JSON.parse(process.argv[2] ?? '') as FunctionsHostOptions);
process.once('SIGTERM', () => void host.stop().then(() => process.exit(0)));
process.send!({ origin: host.origin, workerPid: host.workerPid });
