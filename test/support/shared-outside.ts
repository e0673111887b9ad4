import { Clock } from '../../src/ports/clock.port.js';
import { Egress } from '../../src/ports/network/egress.port.js';
import { startApp, type TestApp } from './app.js';
import { MadeUpClock } from './clocks/made-up-clock.js';
import { SettableClock } from './clocks/settable-clock.js';
import { EgressScene, resolverOf } from './egress/egress-scene.js';
import { freePort } from './mail/free-port.js';
import { allowingLoopback, mailOfTests } from './mail/mailboxes.js';
import { type AssistantServer, startAssistantServer, status } from './servers/assistant-server.js';
import { type StandInProcessor, startProcessor } from './servers/payment-processor.js';
import { sharedService } from './shared-app.js';

/** A service with servers to call: all of them are on this machine, and names that end in `.test` lead to them. */
export interface OutsideApp<Time extends Clock = SettableClock> extends TestApp {
  /** The assistant. It responds with 500 until the spec file sets other responses. */
  readonly assistant: AssistantServer;
  readonly processor: StandInProcessor;
  /** Port on which the service receives mail. */
  readonly smtpPort: number;
  readonly clock: Time;
}

export const assistantKey = 'sk-of-the-shared-assistant';

/**
 * Like `sharedApp`, with servers to call and a settable clock.
 * @param several whether TEST_ENGINES=several applies; then only the process that takes calls has this clock and these
 * mail servers
 */
export function sharedOutside({ several = false }: { readonly several?: boolean } = {}): Promise<OutsideApp> {
  return sharedService('outside', () => startOutside(new SettableClock(), several), resetTo(Date.now()));
}

/**
 * Like `sharedOutside`, with a clock that only the spec moves. It is reset to `from`, even if that is earlier than its
 * current time.
 */
export function sharedStandingTime(from = Date.parse('2026-01-01T00:00:00Z')): Promise<OutsideApp<MadeUpClock>> {
  return sharedService('standing time', () => startOutside(new MadeUpClock(from), false), resetTo(from));
}

const resetTo = (time: number) => (app: OutsideApp<SettableClock | MadeUpClock>) => {
  app.clock.set(time);
  app.assistant.plays(status(500));
  app.processor.faults();
};

async function startOutside<Time extends Clock>(clock: Time, several: boolean): Promise<OutsideApp<Time>> {
  const [assistant, processor, smtpPort] = [await startAssistantServer(), await startProcessor(), await freePort()];
  const egress = new EgressScene().egress(resolverOf({ localhost: ['127.0.0.1'] }));
  const app = await startApp({
    environment: {
      ...allowingLoopback,
      ASSISTANT_URL: assistant.url,
      ASSISTANT_KEY: assistantKey,
      ASSISTANT_MODEL: 'model-1',
      PROCESSOR_URL: processor.url,
      SMTP_IN_PORT: String(smtpPort),
      TRUST_PROXY: '1',
    },
    replacements: [{ provide: Clock, useValue: clock }, { provide: Egress, useValue: egress }, mailOfTests()],
    several,
  });
  const close = async () => {
    await app.close();
    await Promise.all([assistant.close(), processor.close()]);
  };
  return { ...app, assistant, processor, smtpPort, clock, close };
}
