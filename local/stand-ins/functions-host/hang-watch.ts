import type { IncomingMessage } from 'node:http';
import type { Forwarding, Outcome } from './forwarding.ts';

export interface HangWatch {
  end(): void;
}

/**
 * Detects when host and worker wait for each other until the function's timeout. The real host does not respond to the
 * client until then; this one calls `onHang` with the reason after `limitMs`.
 */
export function watchForHang({
  request,
  forwarding,
  invoked,
  limitMs,
  onHang,
}: {
  request: IncomingMessage;
  forwarding: Forwarding;
  invoked: Promise<void>;
  limitMs: number;
  onHang: (reason: string) => void;
}): HangWatch {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const afterLimit = (check: () => void): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(check, limitMs);
  };
  const givenId = request.headers['x-ms-invocation-id'];
  if (givenId !== undefined) {
    afterLimit(() =>
      onHang(
        `the client sent the header x-ms-invocation-id, which the host keeps, and the worker waits for a request with another value than "${String(givenId)}"`,
      ),
    );
  }
  void forwarding.ended.then((outcome) => {
    afterLimit(() => onHang(whyNeverInvoked(outcome)));
  });
  // The function has ended; checks whether its response is on the way.
  const checkAfter = (bytesBefore: number): void =>
    afterLimit(() => {
      const { progress } = forwarding;
      if (progress.stage === 'sending again') {
        return onHang(
          'the worker closed the connection, and the request was sent again for an invocation that has ended',
        );
      }
      if (progress.stage !== 'sending') return;
      if (progress.isBlocked && progress.bytes === bytesBefore) {
        return onHang(
          'the function responded and stopped reading the body, which the host sends completely before it reads the response',
        );
      }
      checkAfter(progress.bytes);
    });
  void invoked.then(
    () => checkAfter(-1),
    () =>
      afterLimit(() =>
        onHang(
          'the function failed, and the host waits 240 s for the rest of the response, which nothing ends',
        ),
      ),
  );
  return {
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

const whyNeverInvoked = (outcome: Outcome): string =>
  outcome.error === undefined
    ? 'the worker itself responded to the request, and the function keeps waiting for one (431 for headers above 16 KiB, 417 for an unknown Expect)'
    : `${outcome.because}, so the request never reaches the worker, which keeps waiting for it`;
