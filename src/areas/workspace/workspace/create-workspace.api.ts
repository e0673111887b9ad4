import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls } from '../../../engine/operation/calls.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { wrongEmail, wrongName } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Ids } from '../../../ports/ids.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { type ApiKeyEvent, apiKeys } from '../api-key/api-key.record.js';
import { apiKeyOf, sealedKey } from '../api-key/key-text.api.js';
import { type OperatorKey, OperatorKeys } from './operator-keys.js';
import { foundingCall, Owners } from './owner.js';
import { createWorkspace } from './workspace.js';
import { workspaces } from './workspace.record.js';

export interface NewWorkspace {
  readonly name: string;
  readonly ownerName: string;
  readonly ownerEmail: string;
}

export interface Founded {
  readonly workspaceId: string;
  readonly ownerId: string;
  /** The key is not stored. */
  readonly ownerKey: string;
}

/**
 * Creates a workspace in several steps. Command ids are derived from the workspace's id, so a repeated step has no
 * effect. The Owner's key is created last. If it is missing, the creation was interrupted, and another `foundAs` with
 * the same id completes it.
 */
@Injectable()
export class WorkspaceCreator {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly ids: Ids,
    private readonly vault: Vault,
    private readonly store: ReadStore,
    private readonly owners: Owners,
    private readonly keys: OperatorKeys,
  ) {}

  /** @throws Refusal invalid-input; Error if the given key already opens another workspace */
  async found(input: NewWorkspace, ownerKey?: string): Promise<Founded> {
    if (ownerKey !== undefined && (await this.store.count('apiKeys', { keyHash: this.sealed(ownerKey).keyHash })) > 0) {
      throw new Error('This key already opens another workspace; pass another key, or none to have one generated.');
    }
    const founded = await this.foundAs(this.ids.newId('ws'), input, ownerKey);
    if (founded === undefined) throw new Error('A workspace with a newly generated id already had a key.');
    return founded;
  }

  /** Resolves to undefined if the workspace already has its first key, and that key is not `givenKey`. */
  async foundAs(workspaceId: string, input: NewWorkspace, givenKey?: string): Promise<Founded | undefined> {
    check(input);
    const ownerKey = givenKey ?? apiKeyOf(this.ids.token());
    await this.runner.change(foundingCall(this.calls, workspaceId, 'workspace'), {
      aggregate: workspaces,
      id: workspaceId,
      begins: true,
      decide: (workspace) => (workspace ? [] : createWorkspace(input.name)),
    });
    const ownerId = await this.owners.ensure(workspaceId, { name: input.ownerName, email: input.ownerEmail });
    return (await this.becomesFirst(workspaceId, ownerId, ownerKey)) ? { workspaceId, ownerId, ownerKey } : undefined;
  }

  /**
   * @throws Refusal if the workspace, member or agent does not exist, or if a member is given for the key of an
   * automation or flow
   */
  createKey(key: OperatorKey): Promise<{ readonly id: string; readonly key: string }> {
    return this.keys.create(key);
  }

  /**
   * Records the workspace's first key unless it exists. Returns whether the recorded key is `key`, so two processes
   * that create the same workspace concurrently cannot both return a generated key.
   */
  private async becomesFirst(workspaceId: string, memberId: string, key: string): Promise<boolean> {
    const sealed = this.sealed(key);
    const facts = {
      name: 'Owner',
      kind: 'person',
      memberId,
      agentId: null,
      readOnly: false,
      neverDeletes: false,
    } as const;
    const recorded = await this.runner.change(foundingCall(this.calls, workspaceId, `key/${sealed.keyHash}`), {
      aggregate: apiKeys,
      id: derivedId('key', `${workspaceId}/first`),
      begins: true,
      decide: (first): readonly ApiKeyEvent[] =>
        first ? [] : [{ type: 'ApiKeyCreated', data: { ...facts, expiresAt: null, ...sealed } }],
    });
    return recorded?.keyHash === sealed.keyHash;
  }

  private sealed(key: string) {
    return sealedKey(key, (text) => this.vault.derive(text));
  }
}

function check({ name, ownerName, ownerEmail }: NewWorkspace): void {
  const wrong = { name: wrongName(name), ownerName: wrongName(ownerName), ownerEmail: wrongEmail(ownerEmail) };
  const errors = Object.entries(wrong).flatMap(([path, message]) => (message === undefined ? [] : [{ path, message }]));
  if (errors.length > 0) refuseInput(errors);
}
