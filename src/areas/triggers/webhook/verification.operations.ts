import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command } from '../../../engine/operation/bound-operation.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import type { ValuesOf } from '../../../kernel/field/field.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../triggers.refusals.js';
import { signatureFrom, verificationInput } from './verification-input.js';
import { VerificationRecord, verificationRecord } from './verification-view.js';
import { type Webhook, type WebhookEvent, webhooks } from './webhook.record.js';
import { secretOf } from './webhook-secret.js';
import { isNewScheme, removeVerification, setVerification, withoutExpired } from './webhook-verification.js';

export const verificationOperations = [
  /**
   * A new secret is stored in the vault before the event that refers to it, and replaced secrets are destroyed after
   * the event. If the process dies in between, the saga that follows the event completes the work.
   */
  command('automations/setWebhookVerification', {
    summary: 'Sets how deliveries of a webhook must be signed. Other deliveries run nothing.',
    source: 'Beyond the Automations API, Triggers and runs',
    group: 'webhooks',
    permission: 'functions.edit',
    callers: ['person'],
    tools: 'never',
    outside: ['destroys secrets'],
    answers: {
      fields: {
        verification: { type: 'object', shape: () => VerificationRecord, nullable: true },
        secret: {
          type: 'string',
          optional: true,
          description: 'The generated secret. It is shown only in this response.',
        },
      },
    },
    input: verificationInput,
    inject: [CommandRunner, RecordedSecrets, Clock],
    handle: async (sent, call, runner, secrets, clock) => {
      const { id } = sent;
      const signature = signatureFrom(sent, clock.now());
      const webhook = (await runner.find(webhooks, call.workspaceId, id)) ?? webhooks.missing();
      if (call.caller?.neverDeletes && takesAway(webhook, sent)) {
        refuse('key-never-deletes', { operation: call.operation });
      }
      const change = async (decide: (found: Webhook) => readonly WebhookEvent[]) => {
        const decided = (found: Webhook | undefined) => (found ? decide(found) : []);
        return (await secrets.change(call, { aggregate: webhooks, id, decide: decided })).state;
      };
      if (signature === null) {
        await change(removeVerification);
        return { verification: null };
      }
      // The id is drawn before the token, because both are derived from the call and the order in which they are drawn.
      // A repeated call thus stores the same secret under the same id.
      const newId = call.newId('whs');
      const made = sent.secret === undefined ? secretOf(signature.scheme, call.newToken()) : undefined;
      const isNew = made === undefined || sent.newSecret === true || isNewScheme(webhook, signature.scheme);
      const secretChange = {
        secretId: isNew ? newId : undefined,
        removePrevious: sent.removePrevious ?? false,
        previousUntil: sent.previousUntil && new Date(sent.previousUntil).toISOString(),
      };
      const set = async () => {
        const now = clock.now();
        const after = await change((found) => setVerification(found, signature, secretChange, now));
        const verification = withoutExpired(after?.verification ?? null, now);
        const isShown = made !== undefined && verification?.secretId === newId;
        return { verification: verificationRecord(verification), ...(isShown ? { secret: made } : {}) };
      };
      return isNew ? secrets.drafting(webhooks, call, { id: newId, value: made ?? sent.secret ?? '' }, set) : set();
    },
  }),
];

function takesAway({ verification }: Webhook, sent: ValuesOf<typeof verificationInput>): boolean {
  if (verification === null) return false;
  const ends = sent.removePrevious === true || typeof sent.previousUntil === 'string';
  return ends || sent.scheme !== verification.signature.scheme;
}
