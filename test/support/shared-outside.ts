import { Clock } from '../../src/ports/clock.port.js';
import { Egress } from '../../src/ports/egress.port.js';
import { startApp, type TestApp } from './app.js';
import { SettableClock } from './clocks/settable-clock.js';
import { EgressScene, resolverOf } from './egress/egress-scene.js';
import { quickPasswords } from './given/quick-passwords.js';
import { freePort } from './mail/free-port.js';
import { allowingLoopback, mailOfTests } from './mail/mailboxes.js';
import { type AssistantServer, startAssistantServer, status } from './servers/assistant-server.js';
import { type StandInProcessor, startProcessor } from './servers/payment-processor.js';
import { sharedService } from './shared-app.js';

/** A service with an outside world: it calls servers on this machine, and names that end in `.test` lead to them. */
export interface OutsideApp extends TestApp {
  /** It answers 500 until the spec file says what it plays. */
  readonly assistant: AssistantServer;
  readonly processor: StandInProcessor;
  /** Where it takes mail. */
  readonly smtpPort: number;
  /** The machine's time until it is set; the next spec file finds that again. */
  readonly clock: SettableClock;
}

export const assistantKey = 'sk-of-the-shared-assistant';

/**
 * As `sharedApp`, and with the outside world. `several`: with TEST_ENGINES=several, in more processes than one, where its
 * clock and its mail servers are only those of the process that takes calls.
 */
export async function sharedOutside({ several = false }: { readonly several?: boolean } = {}): Promise<OutsideApp> {
  const app = await sharedService('outside', () => startOutside(several));
  app.assistant.plays(status(500));
  app.processor.faults();
  app.clock.set(Date.now());
  return app;
}

async function startOutside(several: boolean): Promise<OutsideApp> {
  const [assistant, processor, smtpPort] = [await startAssistantServer(), await startProcessor(), await freePort()];
  const clock = new SettableClock();
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
    replacements: [
      { provide: Clock, useValue: clock },
      { provide: Egress, useValue: egress },
      mailOfTests(),
      quickPasswords,
    ],
    several,
  });
  const close = async () => {
    await app.close();
    await Promise.all([assistant.close(), processor.close()]);
  };
  return { ...app, assistant, processor, smtpPort, clock, close };
}
