import { Injectable } from '@nestjs/common';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { WorkspaceCreator } from './create-workspace.api.js';

export const firstWorkspace = { name: 'My workspace', ownerName: 'Owner', ownerEmail: 'owner@localhost' };

@Injectable()
export class FirstStart {
  constructor(
    private readonly events: EventStore,
    private readonly vault: Vault,
    private readonly founding: WorkspaceCreator,
  ) {}

  /**
   * Creates the first workspace, or resolves to undefined if any key exists. The workspace always has the same id, so
   * the next start completes an interrupted creation, and two concurrent starts create only one workspace.
   */
  async run(
    givenKey: string | undefined,
  ): Promise<{ readonly workspaceId: string; readonly ownerKey: string; readonly given: boolean } | undefined> {
    const [key] = await this.events.readAll({ types: ['ApiKeyCreated'], limit: 1 });
    if (key !== undefined) return undefined;
    if (givenKey !== undefined) checkGiven(givenKey);
    const id = derivedId('ws', this.vault.derive('first-workspace'));
    const founded = await this.founding.foundAs(id, firstWorkspace, givenKey);
    if (founded === undefined) return undefined;
    return { workspaceId: founded.workspaceId, ownerKey: founded.ownerKey, given: givenKey !== undefined };
  }
}

/** The form is defined in settled question Q-L16. */
function checkGiven(key: string): void {
  if (!/^[\w.~-]{24,}$/.test(key)) {
    throw new Error('BOOTSTRAP_OWNER_KEY must be at least 24 URL-safe characters (letters, digits, - . _ ~).');
  }
}
