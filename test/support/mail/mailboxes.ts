import type { Provider } from '@nestjs/common';
import { type SmtpLimits, SmtpMail } from '../../../src/adapters/mail/smtp/smtp-mail.adapter.js';
import { Environment } from '../../../src/config/environment.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { Egress } from '../../../src/ports/network/egress.port.js';
import { Mail } from '../../../src/ports/network/mail.port.js';
import type { TestApp } from '../app.js';
import { approved } from '../approved.js';
import { done } from '../people.js';
import { type MailServerForTests, mailAuthority, username } from './mail-server.js';

export const password = 'correct horse battery staple';

/** Returns the mail adapter with trust in the servers of the test. */
export const mailOfTests = (limits: Partial<SmtpLimits> = {}): Provider => ({
  provide: Mail,
  inject: [Environment, Egress, Clock],
  useFactory: ({ smtpPlaintextAllow: plaintextAllow }: Environment, egress: Egress, clock: Clock) =>
    new SmtpMail({ egress, clock, plaintextAllow, ca: [mailAuthority.cert], limits }),
});

export const allowingLoopback = { EGRESS_ALLOW: '127.0.0.1' };

let made = 0;

/** Returns the input of createMailAccount for a mailbox at this server. */
export function mailboxAt(server: Pick<MailServerForTests, 'port'>, more: object = {}) {
  return {
    name: `mailbox ${made++}`,
    fromAddress: 'robot@example.com',
    host: '127.0.0.1',
    port: server.port,
    secure: false,
    username,
    password,
    ...more,
  };
}

export const createMailbox = async (app: TestApp, input: object) => done(app, 'automations/createMailAccount', input);

/** Returns the mailbox as listMailAccounts shows it. */
export async function shown(app: TestApp, id: string, key?: string) {
  const all = await done(app, 'automations/listMailAccounts', {}, key);
  return all.find((one: { id: string }) => one.id === id);
}

/** Creates a function with this code and the power 'email', and returns its id. */
export async function mailer(app: TestApp, code: string, more: object = {}): Promise<string> {
  const { id } = await done(app, 'automations/createFunction', { name: `mailer ${made++}`, code, ...more });
  await approved(app, await app.call('automations/setFunctionCapabilities', { id, capabilities: ['email'] }));
  return id;
}

/** Creates an active function of the workspace with this code and the power 'email', which pages of the sites may start. */
export async function pageMailer(app: TestApp, code: string, ...projectIds: readonly string[]): Promise<string> {
  const id = await mailer(app, code, {
    grants: { bases: projectIds.map((projectId) => ({ projectId })) },
    accessRules: {
      execute: { type: 'public', scope: 'internet' },
      runBy: { pages: true, functions: [], agents: [] },
    },
  });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return id;
}

/** Returns code that returns `{ sent }`, or `{ refused }` with the members of the error. */
export const answering = (call: string): string => `
  try { return { sent: await ${call} } }
  catch (error) { return { refused: { message: error.message, code: error.code, status: error.status } } }`;

/** Sends mails with ctx.email: through the mailbox of the given name, or else through the default one. */
export class Mailer {
  private constructor(
    private readonly app: TestApp,
    private readonly fnId: string,
  ) {}

  static async of(app: TestApp): Promise<Mailer> {
    // The mail is passed as JSON text, because test mails may contain characters that no event may contain.
    const mail = 'JSON.parse(params.mail)';
    const call = `params.via === undefined ? ctx.email.send(${mail}) : ctx.email.sendVia(params.via, ${mail})`;
    return new Mailer(app, await mailer(app, answering(`(${call})`)));
  }

  get functionId(): string {
    return this.fnId;
  }

  async send(mail: unknown, via?: string) {
    const event = { mail: JSON.stringify(mail ?? null), ...(via === undefined ? {} : { via }) };
    const { result, runId } = await done(this.app, 'automations/invokeFunction', { id: this.fnId, event });
    return { ...result, runId };
  }
}

export const plain = (more: object = {}) => ({
  to: 'ada@example.org',
  subject: 'Hello',
  text: 'How are you?',
  ...more,
});
