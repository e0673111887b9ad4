import type { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Vault } from '../../../ports/vault.port.js';
import { type InboundEmail, inboundEmailName } from './inbound-email.record.js';
import { errorOf, inboundStatusOf } from './inbound-status.js';

/** `text`, `html` and `headers` are shortened (settled question Q-A49). */
export class InboundEmailRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) mailhookId!: string;
  @Field({ type: 'string', enum: ['received', 'ok', 'failed', 'duplicate', 'skipped'] }) status!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'The latest run. For a duplicate, the latest run of the first mail.',
  })
  runId!: string | null;
  @Field({ type: 'array', items: 'string', description: 'All runs, oldest first.' }) runIds!: readonly string[];
  @Field({ type: 'string', nullable: true, description: 'Why the mail failed or was skipped.' }) error!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The id of the mail that this one repeats.' }) duplicateOf!:
    | string
    | null;
  @Field({ type: 'integer', description: 'Size of the mail as it was sent, in bytes.' }) size!: number;
  @Field({ type: 'string', format: 'date-time' }) receivedAt!: string;
  @Field({ type: 'string', nullable: true }) messageId!: string | null;
  @Field({ type: 'object', nullable: true, description: '{ name, address }' }) from!: object | null;
  @Field({ type: 'array', items: 'object' }) to!: readonly object[];
  @Field({ type: 'array', items: 'object' }) cc!: readonly object[];
  @Field({ type: 'string', nullable: true }) subject!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The first 2,000 characters.' }) text!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The first 2,000 characters, exactly as they were sent.' })
  html!: string | null;
  @Field({ type: 'object', description: 'The first 16 KB of the headers.' }) headers!: object;
  @Field({ type: 'array', items: 'object', description: '{ name, contentType, size, fileId }' })
  attachments!: readonly object[];
  @Field({ type: 'boolean', description: 'Whether the mail contains more text than is shown here.' })
  truncated!: boolean;
}

/** Shown for a mail whose content is not in the vault, for example because it cannot be parsed. */
const unread = {
  messageId: null,
  from: null,
  to: [],
  cc: [],
  subject: null,
  text: null,
  html: null,
  headers: {},
  attachments: [],
  truncated: false,
} as const;

export async function inboundEmailRecord(mail: InboundEmail, reads: Reads, vault: Vault): Promise<InboundEmailRecord> {
  const { id, workspaceId, mailhookId, size, of, receivedAt } = mail;
  const sealed = await vault.open(inboundEmailName(workspaceId, id));
  const content = sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as JsonObject);
  const first = of === null ? undefined : await reads.get<InboundEmail>(workspaceId, 'inboundEmails', of);
  const runs = mail.runs.length > 0 ? mail.runs : (first?.runs ?? []);
  return {
    ...unread,
    ...content,
    id,
    mailhookId,
    status: inboundStatusOf(mail),
    runId: runs.at(-1)?.runId ?? null,
    runIds: mail.runs.map(({ runId }) => runId),
    error: errorOf(mail),
    duplicateOf: of,
    size,
    receivedAt,
  };
}
