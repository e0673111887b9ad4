import type { Json } from '../../../../kernel/json/json.js';
import { MailError } from '../../../../ports/network/mail.port.js';
import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import type { MailCause, RequestedMail } from '../../../mailboxes/mail/mail-request.api.js';
import { Mailboxes } from '../../../mailboxes/mail/mailboxes.api.js';
import { type CtxCall, type CtxMember, ctxMember } from '../ctx-member.js';
import { refusedCall } from '../ctx-refusals.js';
import type { RunScope } from '../run-scope.js';

interface Sent {
  /** Default: the default mailbox. */
  readonly mailbox?: string;
  readonly mail: Json | undefined;
}

interface MailGroup {
  readonly group: 'email' | 'service.email';
  readonly owner?: 'project';
  readonly power: 'email' | 'service';
  /**
   * Returns the site whose mailboxes are used, or null for mailboxes that belong to no site (settled questions Q-A57,
   * Q-S129).
   */
  siteOf(scope: RunScope): string | null;
  readonly usages: { readonly send: string; readonly sendVia: string; readonly accounts: string };
}

const groups: readonly MailGroup[] = [
  {
    group: 'email',
    power: 'email',
    siteOf: ({ function: { projectId }, request: { pageSite } }) => projectId ?? pageSite ?? null,
    usages: {
      send: "({ to, cc?, bcc?, replyTo?, subject, text?, html?, fromName?, attachments? }): sends a mail through the default mailbox; resolves to { messageId, fromNameOverridden }. An address is a text or an array of texts; an attachment is { filename, content, encoding?: 'utf8' | 'base64', contentType? }.",
      sendVia: '(mailboxName, mail): the same as ctx.email.send, through the mailbox of this name.',
      accounts: '(): resolves to the mailboxes to send through, [{ name, fromAddress, fromName, isDefault }].',
    },
  },
  {
    group: 'service.email',
    owner: 'project',
    power: 'service',
    siteOf: () => null,
    usages: {
      send: "(mail): the same as ctx.email.send, through the account's mailboxes alone.",
      sendVia: "(mailboxName, mail): the same through the account's mailbox of this name.",
      accounts: "(): resolves to the account's mailboxes, which are of no site.",
    },
  },
];

const member = ctxMember({ mailboxes: Mailboxes });

export const emailMembers: readonly CtxMember[] = groups.flatMap(({ group, siteOf, usages, ...rights }) => {
  const recordedAs = `ctx.${group}.send`;
  return [
    member({
      ...rights,
      name: `${group}.send`,
      usage: usages.send,
      recordedAs,
      args: ([mail]): Sent => ({ mail }),
      call: (sent, run) => send(sent, run, siteOf(run.scope), recordedAs),
    }),
    member({
      ...rights,
      name: `${group}.sendVia`,
      usage: usages.sendVia,
      recordedAs,
      args: ([mailbox, mail], no): Sent =>
        typeof mailbox === 'string' ? { mailbox, mail } : no('takes the name of a mailbox, and a mail'),
      call: (sent, run) => send(sent, run, siteOf(run.scope), recordedAs),
    }),
    member({
      ...rights,
      name: `${group}.accounts`,
      usage: usages.accounts,
      args: () => undefined,
      call: async (_, { scope, mailboxes }) => {
        const usable = await mailboxes.usable(scope.request.workspaceId, siteOf(scope));
        return (await scope.secrets.hiding.json(usable.map((mailbox) => ({ ...mailbox })))).value;
      },
    }),
  ];
});

/**
 * Refusals and mail errors are thrown as `CapabilityRefused`, so the function's code can read their `message`, `code`
 * and `status` (settled question Q-L02).
 */
async function send(
  { mailbox, mail }: Sent,
  { scope, mailboxes }: CtxCall & { readonly mailboxes: Mailboxes },
  siteId: string | null,
  operation: string,
): Promise<Json> {
  const { secrets, request } = scope;
  if (mail !== undefined && JSON.stringify(mail).includes(secrets.seal))
    throw new CapabilityRefused(
      'Nothing was sent: a mail cannot contain secrets, and the reference to a secret is not text.',
      'secret-in-mail',
      400,
    );
  try {
    // The cast is safe, because the mail builder checks every field.
    const sent = mail as unknown as RequestedMail;
    const cause = { ...causeOf(scope, operation), siteId };
    const { refused, ...outcome } = await mailboxes.send(request.workspaceId, mailbox, sent, cause);
    const answer = { ...outcome, ...(refused.length > 0 ? { refused } : {}) };
    return (await secrets.hiding.json(answer)).value;
  } catch (error) {
    const refused = refusedCall(error instanceof MailError ? mailRefused(error) : error);
    if (!(refused instanceof CapabilityRefused)) throw refused;
    throw new CapabilityRefused((await secrets.hiding.text(refused.message)).value, refused.code, refused.status);
  }
}

function causeOf({ request, function: fn }: RunScope, operation: string): Omit<MailCause, 'siteId'> {
  const { runId, correlationId } = request;
  const actor = { kind: 'function', id: fn.id, name: fn.name } as const;
  return { actor, operation, correlationId, causationId: runId, run: { functionId: fn.id, runId } };
}

function mailRefused({ kind, message, serverReply, surelyNotSent }: MailError): CapabilityRefused {
  const serverWords = serverReply === undefined ? '' : ` The server's message: ${serverReply}`;
  const perhaps = surelyNotSent ? '' : ' The mail may nevertheless have been sent.';
  return new CapabilityRefused(`${message}${serverWords}${perhaps}`, `mail-${kind}`, statusOf(kind));
}

function statusOf(kind: MailError['kind']): number {
  switch (kind) {
    case 'address':
      return 403;
    case 'later':
      return 503;
    case 'timeout':
      return 504;
    case 'unreachable':
    case 'tls':
    case 'login':
    case 'recipients':
    case 'refused':
    case 'lost':
      return 502;
  }
}
