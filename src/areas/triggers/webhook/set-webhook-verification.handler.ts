import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { SetWebhookVerification, type VerificationRecord } from './verification.operations.js';
import { verificationRecord, wantedSignature } from './wanted-verification.js';
import { type SignatureScheme, type Webhook, type WebhookEvent, webhooks } from './webhook.record.js';
import { secretOf } from './webhook-secret.js';
import { beginsAnew, lasting, removeVerification, setVerification } from './webhook-verification.js';

interface Answer {
  readonly verification: VerificationRecord | null;
  readonly secret?: string;
}

/**
 * First the new secret is stored in the vault, then the event that refers to it is recorded, then replaced secrets are
 * destroyed. If the process dies in between, the saga that follows the event does the rest.
 */
@CommandHandler(SetWebhookVerification)
export class SetWebhookVerificationHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: RecordedSecrets,
    private readonly clock: Clock,
  ) {}

  async execute(input: SetWebhookVerification): Promise<Answer> {
    const call = callOf(input);
    const now = this.clock.now();
    const signature = wantedSignature(input, now);
    const webhook = (await this.runner.find(webhooks, call.workspaceId, input.id)) ?? webhooks.missing();
    if (call.caller?.neverDeletes && takesAway(webhook, input)) {
      refuse('key-never-deletes', { operation: call.operation });
    }
    if (signature === null) {
      await this.change(call, input.id, removeVerification);
      return { verification: null };
    }
    return this.set(call, input, signature, webhook);
  }

  /** The ids are drawn first, so that a repeat after a crash stores the same secret under the same id. */
  private async set(
    call: Call,
    input: SetWebhookVerification,
    signature: SignatureScheme,
    webhook: Webhook,
  ): Promise<Answer> {
    const newId = call.newId('whs');
    const made = input.secret === undefined ? secretOf(signature.scheme, call.newToken()) : undefined;
    const isNew = made === undefined || input.newSecret === true || beginsAnew(webhook, signature.scheme);
    const change = {
      secretId: isNew ? newId : undefined,
      removePrevious: input.removePrevious ?? false,
      previousUntil: input.previousUntil && new Date(input.previousUntil).toISOString(),
    };
    const set = async () => {
      const now = this.clock.now();
      const after = await this.change(call, input.id, (found) => setVerification(found, signature, change, now));
      const verification = lasting(after?.verification ?? null, now);
      const isShown = made !== undefined && verification?.secretId === newId;
      return { verification: verificationRecord(verification), ...(isShown ? { secret: made } : {}) };
    };
    const value = made ?? input.secret ?? '';
    return isNew ? this.secrets.drafting(webhooks, call, { id: newId, value }, set) : set();
  }

  private async change(call: Call, id: string, decide: (webhook: Webhook) => readonly WebhookEvent[]) {
    const { state } = await this.secrets.change(call, {
      aggregate: webhooks,
      id,
      decide: (webhook) => (webhook ? decide(webhook) : []),
    });
    return state;
  }
}

/** Whether a secret is removed, now or at a set time. */
function takesAway({ verification }: Webhook, input: SetWebhookVerification): boolean {
  if (verification === null) return false;
  const ends = input.removePrevious === true || typeof input.previousUntil === 'string';
  return ends || input.scheme !== verification.signature.scheme;
}
