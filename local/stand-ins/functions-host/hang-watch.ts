import type { IncomingMessage } from 'node:http';
import type { Forwarding, Outcome } from './forwarding.ts';

export interface HangWatch {
  end(): void;
}

/**
 * Tells when host and worker wait for each other in a way that nothing ends but the function's timeout. The real host
 * leaves the client without an answer until then; here `onHang` is told why after `limitMs`.
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
  const inAWhile = (look: () => void): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(look, limitMs);
  };
  const givenId = request.headers['x-ms-invocation-id'];
  if (givenId !== undefined) {
    inAWhile(() =>
      onHang(
        `the client sent the header x-ms-invocation-id, which the host keeps, and the worker waits for a request with another value than "${String(givenId)}"`,
      ),
    );
  }
  void forwarding.ended.then((outcome) => {
    inAWhile(() => onHang(whyNeverInvoked(outcome)));
  });
  // The function is done; is its answer on the way?
  const lookAfter = (bytesBefore: number): void =>
    inAWhile(() => {
      const { progress } = forwarding;
      if (progress.stage === 'sending again') {
        return onHang('the worker broke off, and the request was sent again for an invocation that is over');
      }
      if (progress.stage !== 'sending') return;
      if (progress.isBlocked && progress.bytes === bytesBefore) {
        return onHang(
          'the function answered and stopped reading the body, which the host sends whole before it looks',
        );
      }
      lookAfter(progress.bytes);
    });
  void invoked.then(
    () => lookAfter(-1),
    () => undefined,
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
    ? 'the worker answered the request itself, not the function, which goes on waiting for one (431 for headers above 16 KiB)'
    : `${outcome.because}, so the request never reaches the worker, which goes on waiting for it`;
