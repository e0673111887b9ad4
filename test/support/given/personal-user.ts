import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../all-of.js';
import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';

/** Part of every personal value of the user. */
export const secret = 'Zyxomma';
export const person = {
  email: `${secret}@example.com`,
  name: `${secret} Petiolatum`,
  password: `${secret} flies at dusk`,
  customFields: { city: `${secret}ville` },
};

/** A project whose site has users with personal data, and what the vault holds of them. */
export class PersonalUsers {
  private constructor(
    readonly workspaceId: string,
    readonly projectId: string,
  ) {}

  static async in(app: TestApp): Promise<PersonalUsers> {
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Users' });
    const authCustomFields = [{ name: 'city', type: 'text' }];
    await done(app, 'site/updateProjectAuth', { id: projectId, authCustomFields });
    return new PersonalUsers(workspaceId, projectId);
  }

  /** The vault's entries for password hashes. */
  async passwords(app: TestApp) {
    const beginning = `app-user-password/${this.workspaceId}/`;
    return (await allOf(app.app.get(Vault).sealedEntries())).filter(({ name }) => name.startsWith(beginning));
  }

  /** Length of the key of a user's personal data. 0 if it was destroyed. */
  async keyLength(app: TestApp, id: string): Promise<number | undefined> {
    return (await app.app.get(Vault).open(`personal/${this.workspaceId}/appUser.${id}`))?.length;
  }

  /** Waits until the key of a user's personal data and all passwords but those of `others` users are destroyed. */
  async forgotten(app: TestApp, id: string, others = 0): Promise<void> {
    await eventually(
      () => this.keyLength(app, id),
      (length) => length === 0,
    );
    await eventually(
      () => this.passwords(app),
      (entries) => entries.length === others,
    );
  }
}
