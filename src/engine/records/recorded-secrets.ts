import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { DeclaredSecrets } from '../../kernel/record/secret-fate.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { draftRetentionMs, Vault } from '../../ports/vault.port.js';
import type { Change } from '../commands/change.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { OperationContext } from '../operation/operation-context.js';

export interface SecretKind {
  readonly category: string;
  readonly secrets?: DeclaredSecrets;
}

interface Changed<State, Event> {
  readonly state: State;
  readonly events: readonly Event[];
}

/**
 * The vault stores the secrets, and events refer to them by id. A secret is sealed before its event is recorded, so no
 * event refers to a missing secret. Until the event is recorded, the secret is a draft, which expires if the call is
 * interrupted.
 */
@Injectable()
export class RecordedSecrets {
  private readonly listeners = new Map<string, (workspaceId: string) => void>();

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly runner: CommandRunner,
  ) {}

  /**
   * Returns undefined if the secret was replaced or destroyed or has expired.
   * @throws VaultUnavailable, VaultSealBroken
   */
  async open(kind: SecretKind, workspaceId: string, secretId: string): Promise<string | undefined> {
    const secret = await this.vault.open(entryOf(kind, workspaceId, secretId));
    return secret && Buffer.from(secret).toString('utf8');
  }

  /**
   * `find` must read the record from the log. If the value is missing, it may have been replaced after that read, so
   * the record is read again.
   */
  async openCurrent<Recorded extends { readonly valueId: string }>(
    kind: SecretKind,
    workspaceId: string,
    find: () => Promise<Recorded | undefined>,
  ): Promise<{ readonly recorded: Recorded; readonly value: string } | undefined> {
    for (let gone: string | undefined; ; ) {
      const recorded = await find();
      if (recorded === undefined || recorded.valueId === gone) return undefined;
      const value = await this.open(kind, workspaceId, recorded.valueId);
      if (value !== undefined) return { recorded, value };
      gone = recorded.valueId;
    }
  }

  /**
   * Seals the value as a draft before `record`, which must record an event that refers to the value. An existing entry
   * is never overwritten.
   */
  async drafting<Result>(
    kind: SecretKind,
    { workspaceId }: OperationContext,
    { id, value }: { readonly id: string; readonly value: string },
    record: () => Promise<Result>,
  ): Promise<Result> {
    const name = entryOf(kind, workspaceId, id);
    const expiresAt = this.clock.now() + draftRetentionMs;
    await this.vault.seal(name, Buffer.from(value, 'utf8'), { ifAbsent: true, expiresAt });
    try {
      return await record();
    } catch (error) {
      // A refused command has recorded nothing, so the draft is destroyed. After other errors, the outcome is unknown;
      // if no event refers to the draft, it expires.
      if (error instanceof Refusal) await this.vault.destroy(name);
      throw error;
    }
  }

  async change<Doc extends Document, Event extends DomainEvent>(
    call: OperationContext,
    change: Change<Doc | undefined, Event> & { readonly aggregate: RecordAggregate<Doc, Event> },
  ): Promise<Changed<Doc | undefined, Event>> {
    let events: readonly Event[] = [];
    const state = await this.runner.change<Doc | undefined, Event>(call, {
      ...change,
      decide: (before, read) => {
        events = change.decide(before, read);
        return events;
      },
    });
    for (const event of events) await this.follow(change.aggregate, call.workspaceId, event);
    return { state, events };
  }

  /**
   * Makes the secret permanent if the record refers to it; otherwise destroys it. When a command is repeated, a later
   * command may already have replaced the secret in the record.
   */
  async settle(kind: SecretKind, workspaceId: string, secretId: string, isReferredTo: boolean): Promise<void> {
    const name = entryOf(kind, workspaceId, secretId);
    if (isReferredTo) await this.vault.makePermanent(name);
    else await this.vault.destroy(name);
  }

  /**
   * Makes the secrets permanent, limits their retention or destroys them, as the record declares for the event.
   * Idempotent.
   */
  async follow(kind: SecretKind, workspaceId: string, event: DomainEvent): Promise<void> {
    const fate = kind.secrets?.fateIn(event);
    if (fate === undefined) return;
    this.listeners.get(kind.category)?.(workspaceId);
    const nameOf = (secretId: string) => entryOf(kind, workspaceId, secretId);
    for (const secretId of fate.keeps) await this.vault.makePermanent(nameOf(secretId));
    if (fate.ends !== undefined) await this.sealUntil(nameOf(fate.ends.secretId), fate.ends.until);
    for (const secretId of fate.destroys) await this.vault.destroy(nameOf(secretId));
  }

  /**
   * `listener` is called in this process before an event changes the retention of secrets of this kind or destroys
   * them.
   */
  beforeChange({ category }: SecretKind, listener: (workspaceId: string) => void): void {
    this.listeners.set(category, listener);
  }

  private async sealUntil(name: string, until: string): Promise<void> {
    const secret = await this.vault.open(name);
    if (secret !== undefined) await this.vault.seal(name, secret, { expiresAt: Date.parse(until) });
  }
}

function entryOf({ category, secrets }: SecretKind, workspaceId: string, secretId: string): string {
  if (secrets === undefined) throw new Error(`The record ${category} declares no secrets.`);
  return `${secrets.entry}/${workspaceId}/${secretId}`;
}
