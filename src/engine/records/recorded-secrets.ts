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
  /** Empty if an earlier attempt of the same command recorded them. */
  readonly events: readonly Event[];
}

/**
 * Secrets that the vault stores and events refer to. A secret is sealed before its event is recorded, so no event
 * refers to a missing secret. Until then it is a draft, which expires if the call dies in between. A saga completes the
 * work that an interrupted call leaves to be done after the event.
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
   * Returns undefined if the secret was replaced or destroyed in the meantime. @throws VaultUnavailable,
   * VaultSealBroken
   */
  async open(kind: SecretKind, workspaceId: string, secretId: string): Promise<string | undefined> {
    const secret = await this.vault.open(entryOf(kind, workspaceId, secretId));
    return secret && Buffer.from(secret).toString('utf8');
  }

  /**
   * Returns a secret's value with the record that refers to it, or undefined if it does not exist. If a value is
   * missing, it was replaced after the event was read, so the stream is read again and then refers to another value.
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

  /** Seals a draft, then runs `record`, which records an event that refers to it. Never overwrites an entry. */
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
      // A refused command recorded nothing. After other errors the outcome is unknown; an unused draft expires.
      if (error instanceof Refusal) await this.vault.destroy(name);
      throw error;
    }
  }

  /** Records a change of a record and applies its effects to secrets. */
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
   * Settles the secret of a command that may have been recorded before: retains it if the record refers to it,
   * otherwise destroys it.
   */
  async settle(kind: SecretKind, workspaceId: string, secretId: string, isReferredTo: boolean): Promise<void> {
    const name = entryOf(kind, workspaceId, secretId);
    if (isReferredTo) await this.vault.keep(name);
    else await this.vault.destroy(name);
  }

  /** Retains and destroys secrets as a recorded event requires. Idempotent. */
  async follow(kind: SecretKind, workspaceId: string, event: DomainEvent): Promise<void> {
    const fate = kind.secrets?.fateIn(event);
    if (fate === undefined) return;
    this.listeners.get(kind.category)?.(workspaceId);
    const nameOf = (secretId: string) => entryOf(kind, workspaceId, secretId);
    for (const secretId of fate.keeps) await this.vault.keep(nameOf(secretId));
    if (fate.ends !== undefined) await this.sealUntil(nameOf(fate.ends.secretId), fate.ends.until);
    for (const secretId of fate.destroys) await this.vault.destroy(nameOf(secretId));
  }

  /** Registers a listener in this process that is called before secrets of this kind are retained or destroyed. */
  beforeChange({ category }: SecretKind, listener: (workspaceId: string) => void): void {
    this.listeners.set(category, listener);
  }

  /** A secret with a limited lifetime is destroyed only by its expiry. */
  private async sealUntil(name: string, until: string): Promise<void> {
    const secret = await this.vault.open(name);
    if (secret !== undefined) await this.vault.seal(name, secret, { expiresAt: Date.parse(until) });
  }
}

function entryOf({ category, secrets }: SecretKind, workspaceId: string, secretId: string): string {
  if (secrets === undefined) throw new Error(`The record ${category} declares no secrets.`);
  return `${secrets.entry}/${workspaceId}/${secretId}`;
}
