import { startApp, type TestApp } from '../../app.js';
import { freePort } from '../../mail/free-port.js';
import { MailServerForTests } from '../../mail/mail-server.js';
import { allowingLoopback, createMailbox, Mailer, mailboxAt, mailOfTests, password } from '../../mail/mailboxes.js';
import { done } from '../../people.js';
import { type AssistantServer, startAssistantServer, writes } from '../../servers/assistant-server.js';
import { type DnsServer, startDnsServer } from '../../servers/dns-server.js';
import { type StandInProcessor, startProcessor } from '../../servers/payment-processor.js';
import { type EventScene, eventScene } from '../event-triggers.js';
import { activeFlow, activeFunction } from '../flows.js';

/**
 * Part of everything that is secret or personal: of sealed values, mails and addresses. It must not occur in any
 * account event.
 */
export const canary = 'canary-of-across';

export let app: TestApp;
export let scene: EventScene;
export let assistant: AssistantServer;
export let dns: DnsServer;
export let processor: StandInProcessor;
export let outside: MailServerForTests;
export let smtpPort: number;
export let mailer: Mailer;
export let mailboxId: string;
export let idle: { readonly flow: string; readonly fn: string };
export async function startAcross(): Promise<void> {
  assistant = await startAssistantServer();
  assistant.plays(writes('Seen.'));
  outside = await MailServerForTests.start({ password });
  smtpPort = await freePort();
  dns = await startDnsServer();
  processor = await startProcessor();
  app = await startApp({
    environment: {
      ...allowingLoopback,
      ASSISTANT_URL: assistant.url,
      ASSISTANT_KEY: 'sk-across',
      ASSISTANT_MODEL: 'model-1',
      SMTP_IN_PORT: String(smtpPort),
      DNS_SERVERS: dns.address,
      PROCESSOR_URL: processor.url,
    },
    replacements: [mailOfTests()],
  });
  scene = eventScene(app);
  mailboxId = (await createMailbox(app, mailboxAt(outside, { name: 'out', isDefault: true }))).id;
  mailer = await Mailer.of(app);
  idle = { flow: await activeFlow(app, []), fn: await activeFunction(app, 'return 1') };
  await done(app, 'automations/setEnvVar', { name: 'KEY', value: canary, allowedHosts: ['api.example.com'] });
  await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
}

export async function endAcross(): Promise<void> {
  await app.close();
  await outside.close();
  await dns.close();
  await processor.close();
  await assistant.close();
}

export interface Happening {
  readonly subject: object;
  readonly properties: object;
  /** Number of times that the same event is raised along the way. Default: once. */
  readonly times?: number;
}

export let made = 0;
export const name = () => `happening ${made++}`;
export const ok = (operation: string, body: object) => done(app, operation, body);
export const nothing = async () => undefined;

export type Happenings = Readonly<Record<string, () => Promise<Happening>>>;
