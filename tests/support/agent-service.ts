import { ServiceClient } from '../../agent/claims/service-client.ts';
import type { Clock } from '../../lib/contract/clock.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { Secret } from '../../lib/contract/secret.ts';
import { FakeFolderService, type FakeFolderServiceOptions } from './fake-folder-service.ts';

/** A fake service and a real client for it. */
export async function startService(
  options: FakeFolderServiceOptions & { clock?: Clock; requestTimeoutMs?: number } = {},
): Promise<{ service: FakeFolderService; client: ServiceClient; stop: () => Promise<void> }> {
  const service = await FakeFolderService.start(options);
  const settings = {
    baseUrl: service.url,
    key: new Secret(service.key),
    requestTimeoutMs: options.requestTimeoutMs ?? 15_000,
    caBundle: undefined,
    allowInsecureTls: false,
    proxy: undefined,
  };
  const client = new ServiceClient(settings, '0.0.0', options.clock ?? systemClock);
  const stop = async () => {
    client.close();
    await service.stop();
  };
  return { service, client, stop };
}
